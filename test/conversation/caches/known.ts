/** How a part of the guild is, by ids. */
export type ById = Record<string, object>;

/** A guild as far as both a database and a client's caches tell of it, in the same words. */
export interface KnownGuild {
  settings: object;
  channels: ById;
  roles: ById;
  members: ById;
  emojis: ById;
  /** Those who are in voice, by their ids. */
  voice: ById;
  /** Those who are seen, by their ids. */
  presences: ById;
  /** The ids of those banned. */
  bans: string[];
  /** The codes of invites. */
  invites: string[];
  messages: ById;
}

/** What a client comes to know of by its rights, and since when. */
export interface Onlooker {
  /** The id of its bot. */
  id: string;
  /** Channels whose messages and pins it heard of from the beginning; null for all. */
  hears: string[] | null;
  /** Channels of whose messages it must not have heard. */
  hidden: string[];
  /** Whether it was told of bans and invites from the beginning. */
  hearsOfModeration: boolean;
  /** Whether its bot reacts itself. */
  reacts: boolean;
}

export function byId<T>(rows: Iterable<T>, idOf: (row: T) => string, told: (row: T) => object): ById {
  return Object.fromEntries([...rows].map((row) => [idOf(row), told(row)]));
}

/** Something that discord.js does not keep in step, or is not told, by design. */
interface NotCached {
  what: string;
  why: string;
  /** Where discord.js says so, below its `src`; or the rule of `docs/gateway.md`, where the reference platform does not tell it either. */
  source: string;
}

/** All that is not compared, and why. */
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
