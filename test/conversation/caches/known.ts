export type ById = Record<string, object>;

/** The parts of a guild that are both in the database and in a client's caches, in the same form. */
export interface KnownGuild {
  settings: object;
  channels: ById;
  roles: ById;
  members: ById;
  emojis: ById;
  voice: ById;
  presences: ById;
  bans: string[];
  invites: string[];
  messages: ById;
}

/** The permissions of a client and their history. */
export interface Onlooker {
  id: string;
  /** Channels whose messages and pins it saw from the beginning. Null for all. */
  hears: string[] | null;
  /** Channels whose messages it must never see. */
  hidden: string[];
  /** Whether it saw bans and invites from the beginning. */
  hearsOfModeration: boolean;
  reacts: boolean;
}

export function byId<T>(rows: Iterable<T>, idOf: (row: T) => string, told: (row: T) => object): ById {
  return Object.fromEntries([...rows].map((row) => [idOf(row), told(row)]));
}

/** A part that discord.js does not keep up to date, or does not receive, by design. */
interface NotCached {
  what: string;
  why: string;
  /**
   * The place in discord.js that shows it, below its `src`. Otherwise the rule of `docs/gateway.md`, if the reference
   * platform does not send it either.
   */
  source: string;
}

export const NOT_CACHED: readonly NotCached[] = [
  {
    what: 'which message of a channel is the newest, where messages are deleted',
    why: 'a deletion leaves `lastMessageId`',
    source: 'client/actions/MessageDelete.js',
  },
  {
    what: 'which of several messages that are sent at the same moment is the newest',
    why: '`lastMessageId` is the one that is told last, and their ids may be in another order',
    source: 'client/actions/MessageCreate.js',
  },
  {
    what: 'how often an invite was used',
    why: 'no event tells it; its end is compared',
    source: 'client/actions/InviteDelete.js',
  },
  {
    what: 'invites, bans and messages from before the client was there',
    why: 'GUILD_CREATE has none of them',
    source: 'structures/Guild.js',
  },
  { what: 'why somebody is banned', why: 'the event has no reason', source: 'client/actions/GuildBanAdd.js' },
  {
    what: 'how many reacted with what the own bot reacted with',
    why: 'an own reaction that is taken back is not counted down; who reacted is compared',
    source: 'structures/MessageReaction.js',
  },
  {
    what: 'whether somebody is muted or deafened who is not in voice',
    why: 'it is kept with voice states, which tell of nobody else',
    source: 'structures/VoiceState.js',
  },
  {
    what: 'how the own bot is seen',
    why: 'the client notes what it sends, and is not told of itself',
    source: 'structures/ClientPresence.js',
  },
  {
    what: 'slow mode of a channel for announcements',
    why: 'there is no such field',
    source: 'structures/NewsChannel.js',
  },
  {
    what: 'messages, pins, invites and bans that a bot was not always allowed to hear of',
    why: 'what it may not hear is not sent; what it hears is compared event by event',
    source: 'G-26',
  },
];
