import type { Bus, Reconnected, TopicKind } from '../infra/bus.js';
import type { InteractionState } from '../infra/database/index.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { DomainEvent } from './events.js';
import type { ContentReaders } from './messages/content.js';

/** Every event there is: those of the gateway, and the platform's own. */
export type EventName = DomainEvent['type'];

/**
 * What is read anew after an event by whoever remembers it:
 * - `view`: what decides access in the guild: itself, its roles, channels and overwrites; of an event in a channel, that channel alone;
 * - `roles`: of that view, the roles alone;
 * - `member`: the membership of the user whom the event is about;
 * - `picture`: the guild as GUILD_CREATE shows it;
 * - `last-message`: of that picture, the newest message of a channel;
 * - `live`: who is there and in voice, as GUILD_CREATE shows it;
 * - `token`: the application, its bot and its bot token;
 * - `commands`: the application's commands, where it is installed, and who may run them;
 * - `session`: the portal sessions of the person whom the event is about;
 * - `routes`: which guilds are on which boxes, and which process has a box's connection;
 * - `portal`: what portal pages watch;
 * - `home`: what people's portal homes show.
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

/** Who is sent an event over the gateway. */
export interface Audience {
  /** The intents of which a session needs one; 0 for an event that is always sent. */
  intent: number;
  /** Permission bits that are all needed in the event's channel, as decimal text. */
  inChannel?: string;
  /** Permission bits of which one is needed in the guild, as decimal text. */
  anyInGuild?: string;
  /** Whether a bot gets an event about itself always, whatever its intents, or never; or whether it alone gets it. Absent: as others do. */
  ownBot?: 'always' | 'never' | 'only';
  /** Whether no session holds the guild after it, whether or not it was sent it. */
  detaches?: true;
  /** Whether it goes to one session only: to whoever takes it first. */
  once?: true;
}

/** What an event's row says of it, for all that hear of it. */
export interface EventStamp {
  /** Under what kind of topic it travels. */
  topic: TopicKind;
  /** Null for what never leaves the platform. */
  audience: Audience | null;
  invalidates: readonly Invalidation[];
}

/** The forms of a message for those who may not read all of it. */
export interface ContentForms {
  readers: ContentReaders;
  /** `data` without anything that only the message-content intent may see. */
  redacted: string;
  /** `data` without what only the intent may see of the answered message. */
  withoutReply?: string;
}

/**
 * What travels: an event rendered once, and the few facts its receivers filter by. JSON-safe, ids as decimal text. It says by
 * itself whom it concerns and what it makes obsolete, so that nobody keeps lists of names.
 */
export interface BusMessage extends EventStamp {
  type: EventName;
  guildId?: string;
  channelId?: string;
  /** Whom the event is about: the member, the reacting or typing person. */
  userId?: string;
  /** Whether the guild that nobody holds after it is out of reach, and may be back. Absent: it is gone for good. */
  unavailable?: true;
  /** The serialised `d` of the gateway event; `{}` for what never leaves the platform. */
  data: string;
  /** Where not everybody who gets the event may read all of it. */
  content?: ContentForms;
  /** Where they changed: which of an application's are on now. */
  privilegedIntents?: PrivilegedIntent[];
  /** The interaction that it is about, and the state that it came into. */
  interaction?: { id: string; state?: InteractionState };
}

/** What subscribers hear. */
export type Heard = BusMessage | Reconnected;

export type EventBus = Bus<BusMessage>;
