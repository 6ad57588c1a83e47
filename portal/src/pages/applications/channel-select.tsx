import { ServerChannelsDocument } from '../../gql/applications/webhooks.js';
import { useQuery } from '../../query.js';
import { Select } from '../../ui/field.js';

/** The types of channels that have messages, as the wire numbers them: text, voice and announcement. */
const WITH_MESSAGES: readonly number[] = [0, 2, 5];

const VOICE = 2;

interface ChannelSelectProps {
  /** Empty where no server is chosen yet. */
  guildId: string;
  value: string;
  onChange: (channelId: string) => void;
  fault?: string | undefined;
}

/** One of a server's channels that have messages and that the caller sees. */
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
          {type === VOICE ? name : `#${name}`}
        </option>
      ))}
    </Select>
  );
}
