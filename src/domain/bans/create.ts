import { z } from 'zod';
import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import type { GuildView } from '../guilds/views.js';
import { listUpTo, snowflake } from '../input.js';
import { limits } from '../limits.js';
import { endMembership, streamsOfMembership } from '../members/remove.js';
import { requireAbove } from '../roles/rank.js';
import { deleteWebhooksIn } from '../webhooks/delete.js';
import { messagesToRemove } from './messages.js';

/** 0 or absent deletes no messages. */
export const DeleteMessageSeconds = z.number().int().min(0).max(limits.bannedMessagesAge).nullish();

export const UsersToBan = listUpTo(limits.bansAtOnce, snowflake()).transform((ids) => [...new Set(ids)]);

interface BanInput {
  guildId: bigint;
  userId: bigint;
  deleteMessageSeconds?: number | null | undefined;
}

/**
 * Needs BanMembers. A user who is a member must rank below the caller. A job deletes the messages, even if the user was
 * already banned.
 * @returns false if the user was already banned
 * @throws UNKNOWN_USER, MISSING_PERMISSIONS and the errors of `accessGuild`
 */
export async function banMember(call: CallContext, input: BanInput): Promise<boolean> {
  const { view } = await accessGuild(call, input.guildId, 'banMember');
  return ban(call, view, input);
}

interface BulkBan {
  bannedIds: bigint[];
  /** Includes unknown and already banned users. */
  failedIds: bigint[];
}

/**
 * Bans each user separately. Needs BanMembers and ManageGuild.
 * @throws NOBODY_BANNED and the errors of `accessGuild`
 */
export async function banMembers(
  call: CallContext,
  { userIds, ...input }: Omit<BanInput, 'userId'> & { userIds: readonly bigint[] },
): Promise<BulkBan> {
  const { view } = await accessGuild(call, input.guildId, 'banMembers');
  const result: BulkBan = { bannedIds: [], failedIds: [] };
  for (const userId of userIds) {
    await yieldToEventLoop();
    const isBanned = await banned(call, view, { ...input, userId });
    (isBanned ? result.bannedIds : result.failedIds).push(userId);
  }
  if (result.bannedIds.length === 0) throw new DomainError('NOBODY_BANNED');
  return result;
}

async function banned(call: CallContext, view: GuildView, input: BanInput): Promise<boolean> {
  try {
    return await ban(call, view, input);
  } catch (error) {
    if (error instanceof DomainError && ['UNKNOWN_USER', 'MISSING_PERMISSIONS'].includes(error.code)) return false;
    throw error;
  }
}

async function ban(call: CallContext, view: GuildView, input: BanInput): Promise<boolean> {
  const { guildId, userId } = input;
  const streams = await streamsOfMembership(call, guildId, userId);
  return call.write(
    async (write) => {
      const { db, record, audit } = write;
      const user = await db.user.findUnique({ where: { id: userId } });
      if (!user) throw new DomainError('UNKNOWN_USER');
      const key = { guildId_userId: { guildId, userId } };
      const member = await db.member.findUnique({ where: key, select: { userId: true } });
      await requireMayBan(call, write, view, { userId, isMember: member !== null });
      if (input.deleteMessageSeconds) await write.addJob(messagesToRemove(call, input, input.deleteMessageSeconds));
      if (await db.ban.findUnique({ where: key, select: { userId: true } })) return false;
      await db.ban.create({ data: { guildId, userId, reason: call.auditReason } });
      await audit({ action: 'MEMBER_BAN_ADD', guildId, targetId: userId });
      record({ type: 'GUILD_BAN_ADD', guildId, user });
      if (member) await endMembership(call, write, guildId, user);
      else if (user.bot) await deleteWebhooksIn(call, write, { applicationId: userId, guildId });
      return true;
    },
    { streams },
  );
}

/** Only members have a rank. */
async function requireMayBan(
  call: CallContext,
  { db }: Write,
  view: GuildView,
  { userId, isMember }: { userId: bigint; isMember: boolean },
): Promise<void> {
  if (isMember) return requireAbove(call, db, view, userId);
  if (userId === requireUser(call).user.id) throw missingPermissions();
}
