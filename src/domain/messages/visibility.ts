import { Prisma } from '../../infra/database/index.js';
import { eventPlace, type Place, recipientsOf } from '../channels/place.js';

/**
 * Who sees a message. Most are for everybody who reads their channel; an ephemeral one is for a single person, and for the application that
 * sent it (Discord's documentation, Receiving and Responding). Every read of messages says for whose eyes it is.
 */
export type Onlooker =
  /** Whoever reads the channel, alike: lists and single messages of bots, what is answered, reacted to, or counted. */
  | { kind: 'everybody' }
  /** One person at the portal. */
  | { kind: 'person'; userId: bigint }
  /** An application, which also sees all that it answered to interactions. */
  | { kind: 'application'; applicationId: bigint };

export const EVERYBODY = { kind: 'everybody' } as const satisfies Onlooker;

/** The messages somebody sees, of those in the channels they may read. */
export function seenBy(onlooker: Onlooker): Pick<Prisma.MessageWhereInput, 'visibleToId' | 'OR'> {
  switch (onlooker.kind) {
    case 'everybody':
      return { visibleToId: null };
    case 'person':
      return { OR: [{ visibleToId: null }, { visibleToId: onlooker.userId }] };
    case 'application':
      return { OR: [{ visibleToId: null }, { applicationId: onlooker.applicationId }] };
  }
}

/** Who reads lists of messages. */
export type Reader = Exclude<Onlooker, { kind: 'application' }>;

/** A condition on the columns of `Message`: the messages that everybody sees who reads their channel. */
export const SEEN_BY_EVERYBODY = Prisma.sql`"visibleToId" IS NULL`;

/**
 * {@link seenBy} as conditions on the columns of `Message`. A message that the reader sees meets exactly one of them. Each has an index of its
 * own; a disjunction of them would make the database look at the ephemeral messages of all others.
 */
export function seenBySql(reader: Reader): Prisma.Sql[] {
  if (reader.kind === 'everybody') return [SEEN_BY_EVERYBODY];
  return [SEEN_BY_EVERYBODY, Prisma.sql`"visibleToId" = ${reader.userId}`];
}

/** A message as far as it decides who sees it. */
interface Aimed {
  visibleToId: bigint | null;
  applicationId: bigint | null;
}

/** Whether everybody who sees a message may see the one it answers beside it. */
export function mayShow(answered: Aimed, beside: Aimed): boolean {
  if (answered.visibleToId === null) return true;
  return answered.visibleToId === beside.visibleToId && answered.applicationId === beside.applicationId;
}

/** Who is told of a message: those in the direct channel, or the one person and the bot who see it; nothing where permissions decide. */
export function listenersOf(place: Place, { visibleToId, applicationId }: Aimed): ReturnType<typeof recipientsOf> {
  if (visibleToId === null) return recipientsOf(place);
  return { recipientIds: [visibleToId, ...(applicationId === null ? [] : [applicationId])] };
}

/** Where an event of a message is told, as events state it: of one for a single person as in a direct channel of theirs with the bot. */
export function toldOf(place: Place, message: Aimed): ReturnType<typeof eventPlace> {
  const isDirect = message.visibleToId !== null;
  return { ...eventPlace(place), ...listenersOf(place, message), ...(isDirect ? { guildId: null } : {}) };
}
