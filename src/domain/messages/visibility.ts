import { Prisma } from '../../infra/database/index.js';
import { type ChannelAccess, eventChannel, recipientsOf } from '../channels/access.js';

/**
 * Every query of messages names its viewer. An ephemeral message is visible only to one user and the application that
 * sent it (Discord's documentation, Receiving and Responding).
 */
export type Viewer =
  /** Any reader of the channel, including bots. */
  | { kind: 'everybody' }
  /** A user of the portal. */
  | { kind: 'person'; userId: bigint }
  /** An application also sees its own responses to interactions. */
  | { kind: 'application'; applicationId: bigint };

export const EVERYONE = { kind: 'everybody' } as const satisfies Viewer;

/** Assumes that the viewer may read the channel. */
export function visibleTo(viewer: Viewer): Pick<Prisma.MessageWhereInput, 'visibleToId' | 'OR'> {
  switch (viewer.kind) {
    case 'everybody':
      return { visibleToId: null };
    case 'person':
      return { OR: [{ visibleToId: null }, { visibleToId: viewer.userId }] };
    case 'application':
      return { OR: [{ visibleToId: null }, { applicationId: viewer.applicationId }] };
  }
}

export type Reader = Exclude<Viewer, { kind: 'application' }>;

export const VISIBLE_TO_EVERYONE = Prisma.sql`"visibleToId" IS NULL`;

/**
 * {@link visibleTo} as conditions, of which a visible message meets exactly one. Each has its own index; with OR, the
 * database would scan the ephemeral messages of all users.
 */
export function visibleToSql(reader: Reader): Prisma.Sql[] {
  if (reader.kind === 'everybody') return [VISIBLE_TO_EVERYONE];
  return [VISIBLE_TO_EVERYONE, Prisma.sql`"visibleToId" = ${reader.userId}`];
}

interface Aimed {
  visibleToId: bigint | null;
  applicationId: bigint | null;
}

/** Whether everyone who sees `beside` may see `answered`, the message it refers to. */
export function mayShow(answered: Aimed, beside: Aimed): boolean {
  if (answered.visibleToId === null) return true;
  return answered.visibleToId === beside.visibleToId && answered.applicationId === beside.applicationId;
}

/** The recipients of a direct or ephemeral message's events. For other messages, permissions decide. */
export function listenersOf(
  place: ChannelAccess,
  { visibleToId, applicationId }: Aimed,
): ReturnType<typeof recipientsOf> {
  if (visibleToId === null) return recipientsOf(place);
  return { recipientIds: [visibleToId, ...(applicationId === null ? [] : [applicationId])] };
}

/** An ephemeral message has no guild in events, like a direct one. */
export function toldOf(place: ChannelAccess, message: Aimed): ReturnType<typeof eventChannel> {
  const isDirect = message.visibleToId !== null;
  return { ...eventChannel(place), ...listenersOf(place, message), ...(isDirect ? { guildId: null } : {}) };
}
