import type { PrivilegedIntent } from '../../domain/applications/index.js';
import type { ContentForms, EventName, Invalidation } from '../../domain/bus-message.js';
import type { DomainEvent } from '../../domain/events.js';
import type { InteractionProgress } from '../../domain/interactions/index.js';
import type { WireOptions } from '../messages.js';

/** The intent of an event that every session gets. */
export const NO_INTENT = 0;

/** The one event of a name. */
export type EventOf<Name extends EventName> = {
  [N in Name]: Extract<DomainEvent, { type: N }> & { type: N };
}[Name];

/** What a row has to say of an event for it to find its way, by where it travels. */
interface SubjectOf {
  /** A guild: under `facts` where it changes the view or a membership, or else under `guild`. */
  guild: { guildId: bigint; channelId?: bigint; userId?: bigint; unavailable?: boolean };
  /** A guild's channel: under `guild`; or a direct one: under `user`, for each recipient. */
  channel: { guildId: bigint | null; recipientIds?: readonly bigint[]; channelId: bigint; userId?: bigint };
  user: { userId: bigint; guildId?: bigint };
  application: {
    applicationId: bigint;
    guildId?: bigint | null;
    privilegedIntents?: PrivilegedIntent[];
    interaction?: InteractionProgress;
  };
  team: { teamId: bigint };
  sessions: { userId: bigint };
  box: { boxId: bigint };
  boxes: object;
}

/** What an event says that happened in a guild. */
export type GuildSubject = SubjectOf['guild'];

export type RowTopic = keyof SubjectOf;

export type Subject = SubjectOf[RowTopic];

/** Whom the gateway sends the event to. */
export interface RowAudience {
  /** The intent that asks for it in a guild, or `NO_INTENT`. */
  intent: number;
  /** Permission bits that are all needed in the event's channel. */
  inChannel?: bigint;
  /** Permission bits of which any is needed in the guild. */
  anyInGuild?: bigint;
  /** Where a bot gets an event about itself whatever its intents, or never, or no other bot does. */
  ownBot?: 'always' | 'never' | 'only';
  /** Whether no session holds the guild after it. */
  detaches?: true;
  /** Whether one session gets it, whichever takes it first. */
  once?: true;
}

/** An event of a channel says, too, which intent asks for it in a direct one. */
type AudienceIn<Topic extends RowTopic> = Topic extends 'channel'
  ? RowAudience & { directIntent: number }
  : RowAudience;

/** The gateway's `d`, and its forms for those who may not read all of it. */
export interface Rendering {
  d: object;
  content?: ContentForms;
}

type RowUnder<Topic extends RowTopic, Event> = {
  topic: Topic;
  /** Whom and what the event is about. */
  about(event: Event): SubjectOf[Topic];
  /** What whoever remembers it reads anew. */
  invalidates: readonly Invalidation[];
} & ({ audience: null } | { audience: AudienceIn<Topic>; render(event: Event, options: WireOptions): Rendering });

/** All that is to be said of one kind of event. */
export type EventRow<Event> = { [Topic in RowTopic]: RowUnder<Topic, Event> }[RowTopic];

/** A row for each event there is. */
export type EventRows = { [Name in EventName]: EventRow<EventOf<Name>> };
