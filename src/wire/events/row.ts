import type { PrivilegedIntent } from '../../domain/applications/index.js';
import type { BusMessage, ContentForms, Embedded, EventName, Invalidation } from '../../domain/bus-message.js';
import type { DomainEvent } from '../../domain/events.js';
import type { InteractionProgress } from '../../domain/interactions/index.js';
import type { WireOptions } from '../messages.js';

/** For an event that every session receives. */
export const NO_INTENT = 0;

export type EventOf<Name extends EventName> = {
  [N in Name]: Extract<DomainEvent, { type: N }> & { type: N };
}[Name];

/** The ids that a row provides, by kind of topic. */
interface SubjectOf {
  /** Topic `facts` if the event changes access or a membership, otherwise `guild`. */
  guild: { guildId: bigint; channelId?: bigint; userId?: bigint; unavailable?: boolean };
  /** Topic `guild`; for a direct channel, topic `user` of each recipient. */
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
  limits: object;
}

export type GuildSubject = SubjectOf['guild'];

export type RowTopic = keyof SubjectOf;

export type Subject = SubjectOf[RowTopic];

export interface RowAudience {
  /** Required in a guild, or `NO_INTENT`. */
  intent: number;
  /** Permission bits, all required in the event's channel. */
  inChannel?: bigint;
  /** Permission bits, one of which is required in the guild. */
  anyInGuild?: bigint;
  /** Whether a bot always or never receives events about itself, or is the only one that does. */
  ownBot?: 'always' | 'never' | 'only';
  /** Sessions lose the guild after the event. */
  detaches?: true;
  /** Only the first session that takes the event receives it. */
  once?: true;
}

/** `directIntent` is required in a direct channel. */
type AudienceIn<Topic extends RowTopic> = Topic extends 'channel'
  ? RowAudience & { directIntent: number }
  : RowAudience;

/** The gateway's `d`, and its redacted forms. */
export interface Rendering {
  d: object;
  content?: ContentForms;
}

type RowUnder<Topic extends RowTopic, Event> = {
  topic: Topic;
  about(event: Event): SubjectOf[Topic];
  invalidates: readonly Invalidation[];
  /** Keys of objects that the event changes, of those that other events embed. */
  changes?(event: Event): string[];
  embeds?(event: Event): Embedded;
  state?(event: Event): BusMessage['state'];
} & ({ audience: null } | { audience: AudienceIn<Topic>; render(event: Event, options: WireOptions): Rendering });

export type EventRow<Event> = { [Topic in RowTopic]: RowUnder<Topic, Event> }[RowTopic];

export type EventRows = { [Name in EventName]: EventRow<EventOf<Name>> };
