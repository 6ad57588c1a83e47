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
    [ChannelType.announcement]: 'announcements',
  },
  verificationLevel: ['none', 'low', 'medium', 'high', 'very high'],
  defaultMessageNotifications: ['all messages', 'only mentions'],
  explicitContentFilter: ['of nobody', 'of members without roles', 'of everybody'],
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

/** For example “changed what Divers may do in general: allowed Send messages; denied View channels”. */
function overwritten(verb: string, { target, changes }: Told): ReactNode {
  const { roleName, id } = changes;
  const who = typeof roleName === 'string' ? <Value of={roleName} /> : <code>{String(id)}</code>;
  const [allow, deny] = [changedIn(changes, 'allow'), changedIn(changes, 'deny')];
  const said = (what: string, names: string[]) => (names.length === 0 ? '' : `${what} ${names.join(', ')}`);
  const now = [said('allowed', namesIn(allow?.new)), said('denied', namesIn(deny?.new))].filter(Boolean).join('; ');
  return (
    <>
      {verb} what {who} may do in {target}
      {now !== '' && `: ${now}`}
    </>
  );
}

/** For example “changed the role Swimmers: turned listing its members apart on”. */
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
  const whom = isOwn ? 'themselves' : target;
  return (
    <>
      {added !== '' && (
        <>
          gave {whom} <Value of={added} />
        </>
      )}
      {added !== '' && removed !== '' && ' and '}
      {removed !== '' && (
        <>
          took <Value of={removed} /> from {whom}
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
    CHANNEL_CREATE: ({ target }) => <>made the channel {target}</>,
    CHANNEL_UPDATE: changedThing('channel'),
    CHANNEL_DELETE: ({ target }) => <>deleted the channel {target}</>,
    CHANNEL_OVERWRITE_CREATE: (told) => overwritten('set', told),
    CHANNEL_OVERWRITE_UPDATE: (told) => overwritten('changed', told),
    CHANNEL_OVERWRITE_DELETE: (told) => overwritten('no longer says', told),
    ROLE_CREATE: ({ target }) => <>made the role {target}</>,
    ROLE_UPDATE: changedThing('role'),
    ROLE_DELETE: ({ target }) => <>deleted the role {target}</>,
    EMOJI_CREATE: ({ target }) => <>made the emoji {target}</>,
    EMOJI_UPDATE: (told) => changed('emoji', told, told.changes),
    EMOJI_DELETE: ({ target }) => <>deleted the emoji {target}</>,
    INVITE_CREATE: ({ target }) => <>made the invite {target}</>,
    INVITE_DELETE: ({ target }) => <>revoked the invite {target}</>,
    MEMBER_PRUNE: ({ changes: { count, days } }) =>
      `removed ${counted(count, 'member')} who had not been there for ${counted(days, 'day')}`,
    MEMBER_KICK: ({ target }) => <>kicked {target}</>,
    MEMBER_BAN_ADD: ({ target }) => <>banned {target}</>,
    MEMBER_BAN_REMOVE: ({ target }) => <>lifted the ban of {target}</>,
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
    COMMAND_PERMISSIONS_UPDATE: ({ target }) => <>changed who may run {target}</>,
    BOT_ADD: ({ target }) => <>added the bot {target}</>,
    WEBHOOK_CREATE: ({ target, changes }) => (
      <>
        made the webhook {target} for {channelIn(changes)}
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
        deleted a message of {target} in {channelIn(changes)}
      </>
    ),
    MESSAGE_BULK_DELETE: ({ target, changes }) => (
      <>
        deleted {counted(changes.count, 'message')} in {target}
      </>
    ),
    MESSAGE_PIN: ({ target, changes }) => (
      <>
        pinned a message of {target} in {channelIn(changes)}
      </>
    ),
    MESSAGE_UNPIN: ({ target, changes }) => (
      <>
        unpinned a message of {target} in {channelIn(changes)}
      </>
    ),
  };
}
