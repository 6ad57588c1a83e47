import { useClient } from 'urql';
import { UpdateChannelDocument } from '../../../gql/servers/channels/channel-settings.js';
import type { ChannelSettingsFragment } from '../../../gql/types.js';
import { type Draft, useDraft } from '../../../ui/draft.js';
import { Select, Switch, TextArea, TextField } from '../../../ui/field.js';
import { DraftForm } from '../../../ui/save.js';
import { ChannelType, isMessageChannel } from '../channels-of.js';
import { lacks } from '../permissions.js';

const NAMES = {
  name: 'Name',
  type: 'Type',
  topic: 'Topic',
  nsfw: 'Age-restricted',
  rateLimitPerUser: 'Slow mode',
  bitrate: 'Bitrate',
  userLimit: 'User limit',
  parentId: 'Category',
};

interface Live extends Record<string, unknown> {
  name: string;
  type: number;
  topic: string;
  nsfw: boolean;
  rateLimitPerUser: number;
  /** In kbit/s, as typed. */
  bitrate: string;
  userLimit: string;
  /** Empty for none. */
  parentId: string;
}

interface ChannelFormProps {
  channel: ChannelSettingsFragment;
  channels: readonly ChannelSettingsFragment[];
}

export function ChannelForm({ channel, channels }: ChannelFormProps) {
  const client = useClient();
  const draft = useDraft<Live>({
    name: channel.name,
    type: channel.type,
    topic: channel.topic ?? '',
    nsfw: channel.nsfw,
    rateLimitPerUser: channel.rateLimitPerUser,
    bitrate: String(channel.bitrate / 1_000),
    userLimit: String(channel.userLimit),
    parentId: channel.parent?.id ?? '',
  });
  const save = ({ bitrate, userLimit, parentId, ...changes }: Partial<Live>) => {
    const input = {
      channelId: channel.id,
      ...changes,
      ...(bitrate === undefined ? {} : { bitrate: Math.round(numberIn(bitrate) * 1_000) }),
      ...(userLimit === undefined ? {} : { userLimit: numberIn(userLimit) }),
      ...(parentId === undefined ? {} : { parentId: parentId === '' ? null : parentId }),
    };
    return client.mutation(UpdateChannelDocument, { input }).toPromise();
  };
  const isVoice = channel.type === ChannelType.voice;
  const isCategory = channel.type === ChannelType.category;
  return (
    <section className="card" aria-label="General">
      <h2>General</h2>
      <DraftForm draft={draft} names={NAMES} save={save} readOnly={lacks(channel.viewerPermissions, 'ManageChannels')}>
        {(faults) => (
          <>
            <TextField
              label="Name"
              hint="1–100 characters."
              maxLength={100}
              value={draft.value.name}
              fault={faults.name}
              onChange={({ target }) => draft.set('name', target.value)}
            />
            {isMessageChannel(channel) && <MessageFields draft={draft} faults={faults} />}
            {isVoice && <VoiceFields draft={draft} faults={faults} />}
            {!isCategory && <Category draft={draft} faults={faults} channels={channels} />}
            {!isCategory && (
              <Switch
                label="Age-restricted"
                checked={draft.value.nsfw}
                onChange={({ target }) => draft.set('nsfw', target.checked)}
              />
            )}
          </>
        )}
      </DraftForm>
    </section>
  );
}

/** Returns -1 for an invalid number, which the server rejects. */
function numberIn(text: string): number {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text.trim()) ? Number(text) : -1;
}

interface FieldsProps {
  draft: Draft<Live>;
  faults: Record<string, string>;
}

function MessageFields({ draft, faults }: FieldsProps) {
  const { value, set } = draft;
  return (
    <>
      <TextArea
        label="Topic"
        maxLength={1_024}
        value={value.topic}
        fault={faults.topic}
        onChange={({ target }) => set('topic', target.value)}
      />
      <Select
        label="Type"
        value={value.type}
        fault={faults.type}
        onChange={({ target }) => set('type', Number(target.value))}
      >
        <option value={ChannelType.text}>Text</option>
        <option value={ChannelType.announcement}>Announcement</option>
      </Select>
      {value.type === ChannelType.text && <SlowMode draft={draft} faults={faults} />}
    </>
  );
}

/** Seconds and labels. */
const WAITS: readonly [seconds: number, text: string][] = [
  [0, 'Off'],
  [5, '5 seconds'],
  [10, '10 seconds'],
  [15, '15 seconds'],
  [30, '30 seconds'],
  [60, '1 minute'],
  [120, '2 minutes'],
  [300, '5 minutes'],
  [600, '10 minutes'],
  [900, '15 minutes'],
  [1_800, '30 minutes'],
  [3_600, '1 hour'],
  [7_200, '2 hours'],
  [21_600, '6 hours'],
];

function SlowMode({ draft: { value, set }, faults }: FieldsProps) {
  const { rateLimitPerUser: seconds } = value;
  const isNamed = WAITS.some(([named]) => named === seconds);
  return (
    <Select
      label="Slow mode"
      hint="How long members must wait between messages."
      value={seconds}
      fault={faults.rateLimitPerUser}
      onChange={({ target }) => set('rateLimitPerUser', Number(target.value))}
    >
      {!isNamed && <option value={seconds}>{seconds} seconds</option>}
      {WAITS.map(([named, text]) => (
        <option key={named} value={named}>
          {text}
        </option>
      ))}
    </Select>
  );
}

function VoiceFields({ draft: { value, set }, faults }: FieldsProps) {
  return (
    <>
      <TextField
        label="Bitrate"
        hint="8–384 kbit/s."
        inputMode="decimal"
        value={value.bitrate}
        fault={faults.bitrate}
        onChange={({ target }) => set('bitrate', target.value)}
      />
      <TextField
        label="User limit"
        hint="Up to 99. Enter 0 for no limit."
        inputMode="numeric"
        value={value.userLimit}
        fault={faults.userLimit}
        onChange={({ target }) => set('userLimit', target.value)}
      />
    </>
  );
}

function Category({ draft: { value, set }, faults, channels }: FieldsProps & Pick<ChannelFormProps, 'channels'>) {
  const categories = channels.filter(({ type }) => type === ChannelType.category);
  if (categories.length === 0) return null;
  return (
    <Select
      label="Category"
      value={value.parentId}
      fault={faults.parentId}
      onChange={({ target }) => set('parentId', target.value)}
    >
      <option value="">None</option>
      {categories.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
