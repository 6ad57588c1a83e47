import { z } from 'zod';
import type { Member, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, invalidInput, missingPermissions } from '../errors.js';
import type { GuildOperation } from '../guild-operations.js';
import { accessGuild, permissionsWithin } from '../guilds/access.js';
import type { GuildView } from '../guilds/views.js';
import { isoTime, snowflake } from '../input.js';
import { limits } from '../limits.js';
import { requireAbove } from '../roles/rank.js';
import { moveInVoice, operationsOfVoice, requireMoveTarget } from '../voice/moderate.js';
import { nickColumns } from './name-keys.js';
import { nickname } from './nickname.js';
import { canBeTimedOut } from './operations.js';
import type { MemberRecord } from './record.js';
import { replaceRoles } from './roles.js';
import { loadMemberRow } from './rows.js';

/** Undefined leaves a value; null removes a nickname or a timeout. */
export const MemberChange = z.object({
  nick: nickname(),
  /** With or without `@everyone`. */
  roleIds: z.array(snowflake()).max(limits.rolesPerGuild).nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
  /** Null disconnects the member from voice. */
  channelId: snowflake().nullish(),
  communicationDisabledUntil: isoTime().nullish(),
});

type MemberChange = z.output<typeof MemberChange>;

export interface UpdateMemberInput extends Partial<MemberChange> {
  guildId: bigint;
  userId: bigint;
}

/**
 * Applies all changes or none. Each field needs its own permission. For a nickname or timeout, the member must rank
 * below the caller. Administrators cannot be timed out.
 * @throws UNKNOWN_MEMBER, UNKNOWN_ROLE, NOT_IN_VOICE, MISSING_PERMISSIONS, INVALID_INPUT for a timeout that is too long
 * or a channel that is not for voice, and the errors of `accessGuild`
 */
export async function updateMember(
  call: CallContext,
  { guildId, userId, ...change }: UpdateMemberInput,
): Promise<MemberRecord> {
  const isOwn = requireUser(call).user.id === userId;
  const { view } = await accessGuild(call, guildId, 'viewGuild', ...operationsOf(change, isOwn));
  await requireMoveTarget(call, guildId, change.channelId);
  checkTimeout(call, change);
  return call.write(
    async (write) => {
      const member = await loadMemberRow(write.db, guildId, userId);
      if (!member) throw new DomainError('UNKNOWN_MEMBER');
      await checkTarget(call, write.db, view, { userId, isOwn, change });
      const withRoles = await replaceRoles(call, write, view, member, change.roleIds ?? null);
      const updated = await updateColumns(write, withRoles, change);
      if (updated !== member) write.record({ type: 'GUILD_MEMBER_UPDATE', member: updated });
      if (concernsVoice(member, change)) await moveInVoice(write, updated, change, soundsOtherwise(member, updated));
      return updated;
    },
    { streams: [topics.guild(guildId)] },
  );
}

/** Needs ManageRoles. @throws as {@link updateMember} does */
export function setMemberRoles(
  call: CallContext,
  input: { guildId: bigint; userId: bigint; roleIds: bigint[] },
): Promise<MemberRecord> {
  return updateMember(call, input);
}

/** @throws as {@link updateMember} does */
export function updateOwnMember(
  call: CallContext,
  { guildId, nick }: { guildId: bigint; nick?: string | null | undefined },
): Promise<MemberRecord> {
  return updateMember(call, { guildId, userId: requireUser(call).user.id, nick });
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function operationsOf(change: Partial<MemberChange>, isOwn: boolean): GuildOperation[] {
  const operations: GuildOperation[] = [];
  if (change.nick !== undefined) operations.push(isOwn ? 'updateOwnNick' : 'updateNick');
  if (isGiven(change.roleIds)) operations.push('setMemberRoles');
  operations.push(...operationsOfVoice(change, isOwn));
  if (change.communicationDisabledUntil !== undefined) operations.push('timeOutMember');
  return operations;
}

/** @throws INVALID_INPUT */
function checkTimeout({ clock }: CallContext, { communicationDisabledUntil: until }: Partial<MemberChange>): void {
  if (!isGiven(until) || until.getTime() <= clock.now() + limits.timeout * 1_000) return;
  throw invalidInput({
    path: 'communicationDisabledUntil',
    code: 'INVALID_COMMUNICATION_DISABLED_TIMESTAMP',
    message: 'Invalid communication disabled timestamp',
  });
}

/** @throws MISSING_PERMISSIONS */
async function checkTarget(
  call: CallContext,
  db: Transaction,
  view: GuildView,
  { userId, isOwn, change }: { userId: bigint; isOwn: boolean; change: Partial<MemberChange> },
): Promise<void> {
  const { communicationDisabledUntil: until } = change;
  const changesOthersNick = change.nick !== undefined && !isOwn;
  if (changesOthersNick || until !== undefined) await requireAbove(call, db, view, userId);
  if (isGiven(until)) {
    const bits = await permissionsWithin(db, view.id, userId, call.clock.now());
    if (!canBeTimedOut(bits)) throw missingPermissions();
  }
}

/** Clients may send back unchanged `mute` and `deaf` for a member who is not in voice. */
function concernsVoice(before: Member, { mute, deaf, channelId }: Partial<MemberChange>): boolean {
  const isOther = (given: boolean | null | undefined, is: boolean) => isGiven(given) && given !== is;
  return isOther(mute, before.mute) || isOther(deaf, before.deaf) || channelId !== undefined;
}

function soundsOtherwise(before: Member, after: Member): boolean {
  return before.mute !== after.mute || before.deaf !== after.deaf;
}

type Columns = Partial<Pick<Member, 'nick' | 'nickKey' | 'mute' | 'deaf' | 'communicationDisabledUntil'>>;

/** @returns `member` itself if nothing changes */
export async function updateColumns(
  { db, audit }: Write,
  member: MemberRecord,
  change: Partial<MemberChange>,
): Promise<MemberRecord> {
  const data = changedColumns(member, change);
  if (Object.keys(data).length === 0) return member;
  const { guildId, userId } = member;
  await db.member.update({
    where: { guildId_userId: { guildId, userId } },
    data,
    select: { userId: true },
  });
  await audit({ action: 'MEMBER_UPDATE', guildId, targetId: userId, changes: auditedColumns(member, data) });
  return { ...member, ...data };
}

function changedColumns(member: Member, change: Partial<MemberChange>): Columns {
  const { nick, mute, deaf, communicationDisabledUntil: until } = change;
  const isOtherTime = until !== undefined && until?.getTime() !== member.communicationDisabledUntil?.getTime();
  return {
    ...(nick !== undefined && nick !== member.nick && nickColumns(nick)),
    ...(isGiven(mute) && mute !== member.mute && { mute }),
    ...(isGiven(deaf) && deaf !== member.deaf && { deaf }),
    ...(isOtherTime && { communicationDisabledUntil: until }),
  };
}

function auditedColumns(old: Member, data: Columns): AuditChanges['MEMBER_UPDATE'] {
  const { nick, mute, deaf, communicationDisabledUntil: until } = data;
  const timeText = (time: Date | null) => time?.toISOString() ?? null;
  return {
    ...(nick !== undefined && { nick: { old: old.nick, new: nick } }),
    ...(mute !== undefined && { mute: { old: old.mute, new: mute } }),
    ...(deaf !== undefined && { deaf: { old: old.deaf, new: deaf } }),
    ...(until !== undefined && {
      communicationDisabledUntil: { old: timeText(old.communicationDisabledUntil), new: timeText(until) },
    }),
  };
}
