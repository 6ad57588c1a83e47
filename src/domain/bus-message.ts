import type { InteractionState } from '../infra/database/index.js';
import type { Bus, Reconnected, TopicKind } from '../infra/processes/bus.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { DomainEvent } from './events.js';
import type { ContentReaders } from './messages/content/content-readers.js';

export type EventName = DomainEvent['type'];

/**
 * The data that caches reload after an event:
 * - `view`: access to the guild: its roles, channels and overwrites; for an event in a channel, that channel only;
 * - `roles`: only the roles of that view;
 * - `member`: the membership of the event's user;
 * - `picture`: the guild in GUILD_CREATE;
 * - `last-message`: the newest message of a channel in GUILD_CREATE;
 * - `live`: presences and voice states in GUILD_CREATE;
 * - `token`: the application, its bot and its bot token;
 * - `commands`: the application's commands, installations and command permissions;
 * - `session`: the portal sessions of the event's user;
 * - `routes`: the guilds of boxes, and the processes with their connections;
 * - `portal`: what portal pages watch;
 * - `home`: a person's portal home.
 */
export type Invalidation =
  | 'view'
  | 'roles'
  | 'member'
  | 'picture'
  | 'last-message'
  | 'live'
  | 'token'
  | 'commands'
  | 'session'
  | 'routes'
  | 'portal'
  | 'home';

export interface Audience {
  /** A session needs one of these intents; 0 if the event is always sent. */
  intent: number;
  /** Bits that are all needed in the channel, as decimal text. */
  inChannel?: string;
  /** Bits of which one is needed in the guild, as decimal text. */
  anyInGuild?: string;
  /**
   * Delivery of an event about a bot: `always` or `never` to that bot, whatever its intents; `only` to that bot.
   * Absent: as to others.
   */
  ownBot?: 'always' | 'never' | 'only';
  /** Sessions leave the guild after this event, even if they were not sent it. */
  detaches?: true;
  /** Only the first session that takes the event gets it. */
  once?: true;
}

export interface EventStamp {
  topic: TopicKind;
  /** Null if the event never leaves the platform. */
  audience: Audience | null;
  invalidates: readonly Invalidation[];
}

export interface ContentForms {
  readers: ContentReaders;
  /** `data` without anything that requires the message-content intent. */
  redacted: string;
  /** `data` without the content of the replied-to message that requires the intent. */
  withoutReply?: string;
}

/** An event rendered once, with the facts that receivers filter by. JSON-safe; ids are decimal text. */
export interface BusMessage extends EventStamp {
  type: EventName;
  guildId?: string;
  channelId?: string;
  /** The user the event is about, such as the member or the author of a reaction. */
  userId?: string;
  /** The detached guild may come back. Absent if it is gone for good. */
  unavailable?: true;
  /** The serialised `d` of the gateway event; `{}` if the event never leaves the platform. */
  data: string;
  /** Set if some receivers may not read all of the content. */
  content?: ContentForms;
  /** The enabled intents. Set if they changed. */
  privilegedIntents?: PrivilegedIntent[];
  interaction?: { id: string; state?: InteractionState };
}

export type Heard = BusMessage | Reconnected;

export type EventBus = Bus<BusMessage>;
