import { ServerChannelsDocument } from '../../../gql/applications/webhooks/webhooks.js';
import { useQuery } from '../../../query.js';
import { Select } from '../../../ui/field.js';
import { ChannelType } from '../../servers/channels-of.js';

const WITH_MESSAGES: readonly number[] = [ChannelType.text, ChannelType.voice, ChannelType.announcement];

interface ChannelSelectProps {
  /** Empty if no server is chosen. */
  guildId: string;
  value: string;
  onChange: (channelId: string) => void;
  fault?: string | undefined;
}

export function ChannelSelect({ guildId, value, onChange, fault }: ChannelSelectProps) {
  const { data } = useQuery({
    query: ServerChannelsDocument,
    variables: { id: guildId },
    pause: guildId === '',
  });
  const channels = data?.guild?.channels.filter(({ type }) => WITH_MESSAGES.includes(type)) ?? [];
  return (
    <Select
      label="Channel"
      value={value}
      disabled={guildId === ''}
      fault={fault}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Choose a channel</option>
      {channels.map(({ id, name, type }) => (
        <option key={id} value={id}>
          {type === ChannelType.voice ? name : `#${name}`}
        </option>
      ))}
    </Select>
  );
}
