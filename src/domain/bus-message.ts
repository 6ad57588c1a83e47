import type { InteractionState } from '../infra/database/index.js';
import type { Bus, Reconnected, TopicKind } from '../infra/processes/bus.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { DomainEvent } from './events.js';
import type { ContentReaders } from './messages/content/content-readers.js';

export type EventName = DomainEvent['type'];

/**
 * The data that caches reload after an event:
 * - `view`: the guild's roles, channels and overwrites; for an event in a channel, only that channel;
 * - `roles`: only the roles of that view;
 * - `member`: the membership of the event's user;
 * - `picture`, `last-message`, `live`: the guild, a channel's newest message, and presences and voice states in
 * GUILD_CREATE;
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
  /** A session needs one of these intents; 0 for none. */
  intent: number;
  /** Permission bits that are all needed in the channel, as decimal text. */
  inChannel?: string;
  /** Permission bits of which one is needed in the guild, as decimal text. */
  anyInGuild?: string;
  /**
   * The bot that the event is about receives it `always` or `never`, whatever its intents, or as the `only` receiver.
   */
  ownBot?: 'always' | 'never' | 'only';
  /** After this event, sessions drop the guild, even if the event was not sent to them. */
  detaches?: true;
  /** Only one session receives the event: the first that accepts it. */
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
  /** `data` without anything that needs the message-content intent. */
  redacted: string;
  /** `data` without the replied-to message's content, which needs the intent. */
  withoutReply?: string;
}

/** A rendered event with the data that receivers filter by. JSON-safe; ids are decimal text. */
export interface BusMessage extends EventStamp {
  type: EventName;
  guildId?: string;
  channelId?: string;
  /** The user that the event is about, such as the member or the author of a reaction. */
  userId?: string;
  /** Whether the detached guild is only unreachable. */
  unavailable?: true;
  /** The gateway event's `d` as JSON; `{}` without an audience. */
  data: string;
  /** Set if some receivers may not read all content. */
  content?: ContentForms;
  /** The enabled intents, if they changed. */
  privilegedIntents?: PrivilegedIntent[];
  interaction?: { id: string; state?: InteractionState };
}

export type Heard = BusMessage | Reconnected;

export type EventBus = Bus<BusMessage>;
