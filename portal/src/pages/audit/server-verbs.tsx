import type { ReactNode } from 'react';
import { ChannelType } from '../servers/channels-of.js';
import { type Changed, type Changes, changedIn, changesIn, namesIn, textIn, Value } from './changes.js';
import type { Told, Verb } from './language.js';
import { changesOf, renamed } from './sentences.js';
import type { ServerAction } from './server-words.js';

type NameOfChannel = (id: string) => string;

/** By column and value. */
const WORDS: Record<string, Readonly<Record<number, string>>> = {
  type: {
    [ChannelType.text]: 'text',
    [ChannelType.voice]: 'voice',
    [ChannelType.category]: 'category',
    [ChannelType.announcement]: 'announcement',
  },
  verificationLevel: ['none', 'low', 'medium', 'high', 'very high'],
  defaultMessageNotifications: ['all messages', 'only mentions'],
  explicitContentFilter: ['off', 'members without roles', 'all members'],
};

function readable(column: string, value: unknown, nameOfChannel: NameOfChannel): unknown {
  if (typeof value === 'string' && /(ChannelId|parentId)$/.test(column)) return nameOfChannel(value);
  if (typeof value === 'string' && column === 'communicationDisabledUntil') return new Date(value).toLocaleString();
  if (typeof value !== 'number') return value;
  if (column === 'color') return value === 0 ? null : `#${value.toString(16).padStart(6, '0')}`;
  return WORDS[column]?.[value] ?? value;
}

function readableChanges(changes: Changes, nameOfChannel: NameOfChannel): Changes {
  const readableOf = (column: string, { old, new: now }: Changed): Changed => ({
    old: readable(column, old, nameOfChannel),
    new: readable(column, now, nameOfChannel),
  });
  return Object.fromEntries(
    Object.keys(changes).map((column) => {
      const changed = changedIn(changes, column);
      return [column, changed ? readableOf(column, changed) : changes[column]];
    }),
  );
}

function namesOf(stated: unknown): string {
  if (!Array.isArray(stated)) return '';
  return stated.map((one) => textIn(changesIn(one), 'name')).join(', ');
}

/** For example “changed the permissions of Divers in general: allowed Send messages; denied View channels”. */
function overwritten(verb: string, { target, changes }: Told): ReactNode {
  const { roleName, id } = changes;
  const who = typeof roleName === 'string' ? <Value of={roleName} /> : <code>{String(id)}</code>;
  const [allow, deny] = [changedIn(changes, 'allow'), changedIn(changes, 'deny')];
  const said = (what: string, names: string[]) => (names.length === 0 ? '' : `${what} ${names.join(', ')}`);
  const now = [said('allowed', namesIn(allow?.new)), said('denied', namesIn(deny?.new))].filter(Boolean).join('; ');
  return (
    <>
      {verb} the permissions of {who} in {target}
      {now !== '' && `: ${now}`}
    </>
  );
}

/** For example “changed the role Swimmers: turned separate listing of members on”. */
function changed(what: string, told: Told, changes: Changes): ReactNode {
  const columns = Object.keys(changes);
  if (columns.length === 1 && columns[0] === 'name') return renamed(what, told);
  return (
    <>
      changed the {what} {told.target}
      {columns.length > 0 && <>: {changesOf(changes)}</>}
    </>
  );
}

function rolesGiven({ target, changes, isOwn }: Told): ReactNode {
  const [added, removed] = [namesOf(changes.added), namesOf(changes.removed)];
  return (
    <>
      changed {isOwn ? 'their own roles' : <>the roles of {target}</>}:
      {added !== '' && (
        <>
          {' '}
          added <Value of={added} />
        </>
      )}
      {added !== '' && removed !== '' && ','}
      {removed !== '' && (
        <>
          {' '}
          removed <Value of={removed} />
        </>
      )}
    </>
  );
}

function counted(count: unknown, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

export function serverVerbs(nameOfChannel: NameOfChannel): Record<ServerAction, Verb> {
  const channelIn = (changes: Changes) => <Value of={nameOfChannel(textIn(changes, 'channelId'))} />;
  const changedThing = (what: string) => (told: Told) =>
    changed(what, told, readableChanges(told.changes, nameOfChannel));
  return {
    GUILD_UPDATE: ({ changes }) => changesOf(readableChanges(changes, nameOfChannel)),
    CHANNEL_CREATE: ({ target }) => <>created the channel {target}</>,
    CHANNEL_UPDATE: changedThing('channel'),
    CHANNEL_DELETE: ({ target }) => <>deleted the channel {target}</>,
    CHANNEL_OVERWRITE_CREATE: (told) => overwritten('set', told),
    CHANNEL_OVERWRITE_UPDATE: (told) => overwritten('changed', told),
    CHANNEL_OVERWRITE_DELETE: (told) => overwritten('reset', told),
    ROLE_CREATE: ({ target }) => <>created the role {target}</>,
    ROLE_UPDATE: changedThing('role'),
    ROLE_DELETE: ({ target }) => <>deleted the role {target}</>,
    EMOJI_CREATE: ({ target }) => <>created the emoji {target}</>,
    EMOJI_UPDATE: (told) => changed('emoji', told, told.changes),
    EMOJI_DELETE: ({ target }) => <>deleted the emoji {target}</>,
    INVITE_CREATE: ({ target }) => <>created the invite {target}</>,
    INVITE_DELETE: ({ target }) => <>revoked the invite {target}</>,
    MEMBER_PRUNE: ({ changes: { count, days } }) =>
      `removed ${counted(count, 'member')} after ${counted(days, 'day')} of inactivity`,
    MEMBER_KICK: ({ target }) => <>kicked {target}</>,
    MEMBER_BAN_ADD: ({ target }) => <>banned {target}</>,
    MEMBER_BAN_REMOVE: ({ target }) => <>unbanned {target}</>,
    MEMBER_UPDATE: ({ target, changes, isOwn }) => (
      <>
        {changesOf(readableChanges(changes, nameOfChannel))} for {isOwn ? 'themselves' : target}
      </>
    ),
    MEMBER_ROLE_UPDATE: rolesGiven,
    MEMBER_MOVE: ({ target, changes }) => (
      <>
        moved {target} to {channelIn(changes)}
      </>
    ),
    MEMBER_DISCONNECT: ({ target }) => <>disconnected {target} from voice</>,
    COMMAND_PERMISSIONS_UPDATE: ({ target }) => <>changed the command permissions of {target}</>,
    BOT_ADD: ({ target }) => <>added the bot {target}</>,
    WEBHOOK_CREATE: ({ target, changes }) => (
      <>
        created the webhook {target} in {channelIn(changes)}
      </>
    ),
    WEBHOOK_UPDATE: changedThing('webhook'),
    WEBHOOK_DELETE: ({ target }) => <>deleted the webhook {target}</>,
    INTEGRATION_CREATE: ({ changes }) => (
      <>
        installed the application <Value of={textIn(changes, 'name')} />
      </>
    ),
    INTEGRATION_DELETE: ({ changes }) => (
      <>
        uninstalled the application <Value of={textIn(changes, 'name')} />
      </>
    ),
    MESSAGE_DELETE: ({ target, changes }) => (
      <>
        deleted a message from {target} in {channelIn(changes)}
      </>
    ),
    MESSAGE_BULK_DELETE: ({ target, changes }) => (
      <>
        deleted {counted(changes.count, 'message')} in {target}
      </>
    ),
    MESSAGE_PIN: ({ target, changes }) => (
      <>
        pinned a message from {target} in {channelIn(changes)}
      </>
    ),
    MESSAGE_UNPIN: ({ target, changes }) => (
      <>
        unpinned a message from {target} in {channelIn(changes)}
      </>
    ),
  };
}
