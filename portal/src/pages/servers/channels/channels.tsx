import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateChannelDocument } from '../../../gql/servers/channels/channels.js';
import type { ChannelRowFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { closeFirst, OpenDialog } from '../../../ui/dialog.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { isSame } from '../../../ui/draft.js';
import { Select, TextField } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { useOpenLink } from '../../../ui/open-link.js';
import { useTitle } from '../../../ui/page.js';
import { ChannelType, groupsOf, isMessageChannel } from '../channels-of.js';
import { useIsOnBox, useLack, useServer } from '../server.js';
import './channels.css';

export function Channels() {
  const { channels } = useServer();
  const { channelId } = useParams({ strict: false });
  const lack = useLack('ManageChannels');
  const [isNew, setNew] = useState(false);
  return (
    <div className={channelId ? 'channels one' : 'channels'}>
      <nav className="card tree" aria-label="Channels">
        {groupsOf(channels).map(({ category, channels }) => (
          <Group key={category?.id ?? 'none'} category={category} channels={channels} />
        ))}
        <button type="button" className="plain small" disabled={lack !== undefined} onClick={() => setNew(true)}>
          New channel
        </button>
        {lack && <p className="soft small">{lack}</p>}
      </nav>
      <Outlet />
      {isNew && <NewChannel onClose={() => setNew(false)} />}
    </div>
  );
}

function Group({ category, channels }: { category: ChannelRowFragment | null; channels: ChannelRowFragment[] }) {
  return (
    <div className="group">
      {category && (
        <h3 className="soft small">
          <SettingsLink channel={category} />
        </h3>
      )}
      <ul ref={useOpenLink()}>
        {channels.map((channel) => (
          <li key={channel.id}>
            <ChannelLink channel={channel} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ChannelLink({ channel }: { channel: ChannelRowFragment }) {
  const { id: guildId } = useServer();
  const isOnBox = useIsOnBox();
  if (!isMessageChannel(channel)) {
    return (
      <span className="soft" title="You can't join voice channels in the portal.">
        <span aria-hidden="true">♪ </span>
        <SettingsLink channel={channel} />
        <span className="badge">voice</span>
      </span>
    );
  }
  const name = (
    <>
      <span aria-hidden="true"># </span>
      <bdi>{channel.name}</bdi>
    </>
  );
  if (isOnBox) return <span className="soft">{name}</span>;
  return (
    <Link to="/servers/$guildId/channels/$channelId" params={{ guildId, channelId: channel.id }}>
      {name}
    </Link>
  );
}

/** Categories and voice channels have no page, so they link to their settings. */
function SettingsLink({ channel: { id: channelId, name } }: { channel: ChannelRowFragment }) {
  const { id: guildId } = useServer();
  if (useIsOnBox()) return <bdi>{name}</bdi>;
  return (
    <Link
      to="/servers/$guildId/channels/$channelId/settings"
      params={{ guildId, channelId }}
      aria-label={`Settings for ${name}`}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

export function NoChannel() {
  useTitle('Channels', useServer().name);
  return (
    <p className="hint">
      {useIsOnBox()
        ? "This server runs on a box. Open its channels in the box's own portal."
        : 'Open a channel to read messages, send messages and run commands.'}
    </p>
  );
}

const TYPES = [
  [ChannelType.text, 'Text'],
  [ChannelType.voice, 'Voice'],
  [ChannelType.announcement, 'Announcement'],
  [ChannelType.category, 'Category'],
] as const;

const EMPTY = { name: '', type: 0, parentId: '' };

function NewChannel({ onClose }: { onClose: () => void }) {
  const { id: guildId, channels } = useServer();
  const navigate = useNavigate();
  const [input, setInput] = useState(EMPTY);
  const { run, isBusy, problem } = useAction(CreateChannelDocument, { isQuiet: true });
  const categories = channels.filter(({ type }) => type === ChannelType.category);
  const isCategory = input.type === ChannelType.category;
  const create = async () => {
    const { name, type, parentId } = input;
    const made = await run({ input: { guildId, name, type, ...(parentId && !isCategory ? { parentId } : {}) } });
    if (!made) return;
    closeFirst(onClose);
    const { id: channelId } = made.createChannel.channel;
    if (isMessageChannel({ type })) {
      void navigate({ to: '/servers/$guildId/channels/$channelId', params: { guildId, channelId } });
    }
  };
  return (
    <OpenDialog title="New channel" onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={!isSame(input, EMPTY)}
        onSubmit={create}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Create channel" />}
      >
        <TextField
          label="Name"
          hint="1–100 characters."
          maxLength={100}
          value={input.name}
          fault={problem?.fields.name}
          onChange={({ target }) => setInput({ ...input, name: target.value })}
        />
        <Select
          label="Type"
          value={input.type}
          fault={problem?.fields.type}
          onChange={({ target }) => setInput({ ...input, type: Number(target.value) })}
        >
          {TYPES.map(([type, text]) => (
            <option key={type} value={type}>
              {text}
            </option>
          ))}
        </Select>
        {!isCategory && categories.length > 0 && (
          <Select
            label="Category"
            value={input.parentId}
            fault={problem?.fields.parentId}
            onChange={({ target }) => setInput({ ...input, parentId: target.value })}
          >
            <option value="">None</option>
            {categories.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Form>
    </OpenDialog>
  );
}
