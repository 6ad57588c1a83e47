import { ChannelType } from 'discord-api-types/v10';
import { isUniqueConflict } from '../../infra/database/faults.js';
import { type Channel, Prisma, type User } from '../../infra/database/index.js';
import { MAX_ID } from '../../infra/ids/ids.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { viewerOf } from '../messages/load.js';
import { visibleToSql } from '../messages/visibility.js';
import { shownByIds } from '../users/shown-by-id.js';
import { type ChannelAccess, othersIn } from './access.js';
import { type ChannelDetails, loadChannel } from './get.js';

/**
 * Returns the users' existing channel, or creates it.
 * @throws UNAUTHENTICATED, UNKNOWN_USER for a user of a box, INVALID_RECIPIENT for the caller or an unknown user,
 * CANNOT_MESSAGE_USER
 */
export async function openDirectChannel(call: CallContext, recipientId: bigint): Promise<ChannelDetails> {
  const { user } = requireUser(call);
  if (call.boxRoutes.mayHave(recipientId)) throw new DomainError('UNKNOWN_USER');
  const recipient = await call.read.user.findUnique({ where: { id: recipientId } });
  if (!recipient || recipient.id === user.id) throw new DomainError('INVALID_RECIPIENT');
  const recipientIds = [user.id, recipient.id].sort((a, b) => (a < b ? -1 : 1));
  const directKey = recipientIds.join(':');
  const existing = await findByKey(call, directKey);
  if (!existing && (await shownByIds(call, [recipient])).length === 0) throw new DomainError('INVALID_RECIPIENT');
  const { id } = existing ?? (await makeChannel(call, directKey, { user, recipient }));
  await showAgain(call, id, user.id);
  return loadChannel(call, { kind: 'direct', channelId: id, recipientIds });
}

function findByKey({ read }: CallContext, directKey: string): Promise<Channel | null> {
  return read.channel.findUnique({ where: { directKey } });
}

async function showAgain({ read, writeOne }: CallContext, channelId: bigint, userId: bigint): Promise<void> {
  const seat = { channelId, userId };
  const closed = await read.channelRecipient.findFirst({ where: { ...seat, closedId: { not: null } } });
  if (closed) await writeOne((db) => db.channelRecipient.updateMany({ where: seat, data: { closedId: null } }));
}

export interface DirectChannelPage {
  after?: bigint | undefined;
  before?: bigint | undefined;
  /** Whether ids descend, from the end of the range. */
  backwards: boolean;
  take: number;
}

/** Skips channels that the caller closed and that have no later message. @throws UNAUTHENTICATED */
export async function listDirectChannelIds(call: CallContext, page: DirectChannelPage): Promise<bigint[]> {
  const { user } = requireUser(call);
  const { after = 0n, before = MAX_ID, backwards, take } = page;
  const order = backwards ? Prisma.sql`DESC` : Prisma.sql`ASC`;
  const written = visibleToSql(viewerOf(call)).map(
    (isSeen) => Prisma.sql`
      EXISTS (SELECT 1 FROM "Message" WHERE "channelId" = r."channelId" AND "id" > r."closedId" AND ${isSeen})`,
  );
  const seats = await call.read.$queryRaw<{ channelId: bigint }[]>`
    SELECT r."channelId" FROM "ChannelRecipient" AS r
    WHERE r."userId" = ${user.id} AND r."channelId" > ${after} AND r."channelId" < ${before}
      AND (r."closedId" IS NULL OR ${Prisma.join(written, ' OR ')})
    ORDER BY r."channelId" ${order} LIMIT ${take}`;
  return seats.map(({ channelId }) => channelId);
}

interface Pair {
  user: User;
  recipient: User;
}

/** Concurrent calls create one channel, and all return it. */
async function makeChannel(call: CallContext, directKey: string, { user, recipient }: Pair): Promise<Channel> {
  await requireReachable(call, user, recipient);
  const recipients = { create: [{ userId: user.id }, { userId: recipient.id }] };
  const data = { id: call.nextId(), type: ChannelType.DM, name: '', directKey, recipients };
  try {
    return await call.writeOne((db) => db.channel.create({ data }));
  } catch (error) {
    const made = isUniqueConflict(error) ? await findByKey(call, directKey) : null;
    if (made) return made;
    throw error;
  }
}

/** In guild channels, permissions decide. @throws CANNOT_MESSAGE_USER */
export async function requireReachableIn(call: CallContext, place: ChannelAccess): Promise<void> {
  if (place.kind !== 'direct') return;
  const { user } = requireUser(call);
  const recipient = await call.read.user.findFirst({ where: { id: { in: othersIn(place, user.id) } } });
  if (recipient) await requireReachable(call, user, recipient);
}

/**
 * To message each other, two users need a shared guild, or one must have installed the other's application. Two bots
 * cannot.
 */
async function requireReachable(call: CallContext, from: User, to: User): Promise<void> {
  if (to.deletedAt !== null || (from.bot && to.bot)) throw new DomainError('CANNOT_MESSAGE_USER');
  const [many, few] = from.bot ? [from.id, to.id] : [to.id, from.id];
  if (await sharesGuild(call, few, many)) return;
  const isInstalled = (from.bot || to.bot) && (await isInstalledBy(call, few, many));
  if (!isInstalled) throw new DomainError('CANNOT_MESSAGE_USER');
}

/**
 * Ignores deleted guilds whose rows still exist.
 * @param few the user whose memberships are scanned; not a bot, which may have many
 */
export async function sharesGuild({ read }: Pick<CallContext, 'read'>, few: bigint, many: bigint): Promise<boolean> {
  const shared = await read.$queryRaw<unknown[]>`
    SELECT 1 AS "shared" FROM "Member" AS "few" WHERE "few"."userId" = ${few} AND EXISTS (
      SELECT 1 FROM "Member" AS "many" JOIN "Guild" ON "Guild"."id" = "many"."guildId" AND "Guild"."deletedAt" IS NULL
      WHERE "many"."guildId" = "few"."guildId" AND "many"."userId" = ${many})
    LIMIT 1`;
  return shared.length > 0;
}

async function isInstalledBy({ read }: CallContext, userId: bigint, applicationId: bigint): Promise<boolean> {
  const installation = await read.installation.findFirst({ where: { applicationId, userId }, select: { id: true } });
  return installation !== null;
}
