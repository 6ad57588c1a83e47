import type { InteractionState } from '../infra/database/index.js';
import type { StreamGap } from '../infra/streams/stream.js';
import type { Streams } from '../infra/streams/streams.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { DomainEvent } from './events.js';
import type { ContentReaders } from './messages/content/content-readers.js';

export type EventName = DomainEvent['type'];

/**
 * The data that caches reload after an event:
 * - `view`: the guild's roles, channels and overwrites; for an event in a channel, only that channel;
 * - `roles`: only the roles of that view;
 * - `channel`: the row of the event's channel, of which the view is the same;
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
  | 'channel'
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
  /** Null if the event never leaves the platform. */
  audience: Audience | null;
  invalidates: readonly Invalidation[];
}

/** Data that clients cache, and that is optional in the event. Streams leave out what has changed since it was read. */
export interface Embedded {
  /** Field of `data` by key of the object in it, such as `member:1`. */
  fields: Record<string, 'member' | 'referenced_message'>;
  /** The stream's clock when they were read; 0 if unknown. */
  asOf: number;
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
  embedded?: Embedded;
  /** Set if the event has the whole state of an object. Receivers skip those with an older clock. */
  state?: { key: string; clock: number };
  /** Keys of objects that the event changes, of those that other events embed. */
  changes?: string[];
  /** The enabled intents, if they changed. */
  privilegedIntents?: PrivilegedIntent[];
  /** With a listener, no session may take the interaction. */
  interaction?: { id: string; state?: InteractionState; listenerId?: string };
}

export type Heard = BusMessage | StreamGap;

export type EventBus = Streams<BusMessage>;

export interface Publication {
  topics: string[];
  message: BusMessage;
}

/** For subscribers that cache only access, channels and portal homes. Other events of a guild are far more frequent. */
export function decidesAccess({ invalidates }: Pick<BusMessage, 'invalidates'>): boolean {
  return invalidates.some((what) => what === 'view' || what === 'member' || what === 'channel' || what === 'home');
}

export const keyOfMember = (userId: bigint) => `member:${userId}`;
export const keyOfPresence = (userId: bigint) => `presence:${userId}`;
export const keyOfMessage = (id: bigint) => `message:${id}`;

/** @param isOutdated whether the object with the key has changed since */
export function withoutOutdated(message: BusMessage, isOutdated: (key: string, asOf: number) => boolean): BusMessage {
  const { embedded, data, content } = message;
  if (!embedded) return message;
  const outdated = Object.keys(embedded.fields).filter((key) => isOutdated(key, embedded.asOf));
  if (outdated.length === 0) return message;
  const names = outdated.map((key) => embedded.fields[key]);
  const cut = (text: string): string => {
    const fields: Record<string, unknown> = JSON.parse(text);
    return JSON.stringify(
      Object.fromEntries(Object.entries(fields).filter(([name]) => !names.some((one) => one === name))),
    );
  };
  return {
    ...message,
    data: cut(data),
    ...(content && {
      content: {
        ...content,
        redacted: cut(content.redacted),
        ...(content.withoutReply !== undefined && { withoutReply: cut(content.withoutReply) }),
      },
    }),
  };
}
