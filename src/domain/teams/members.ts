import { z } from 'zod';
import type { Team, TeamMemberRole } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { requireCapacityForApplications, requireCapacityForTeam } from '../owned.js';
import { accessTeam, OWNER_STAYS } from './access.js';
import type { TeamRecord } from './get.js';

export interface TeamUserInput {
  teamId: bigint;
  userId: bigint;
}

/** Excludes OWNER, because ownership is transferred. */
export const GivenRole = z.enum(['ADMIN', 'DEVELOPER', 'READ_ONLY']);

export type GivenRole = z.output<typeof GivenRole>;

interface ChangedMember {
  team: Team;
  member: TeamMemberRecord;
}

type TeamMemberRecord = TeamRecord['members'][number];

/** @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS (also for the owner's role), UNKNOWN_TEAM_MEMBER */
export function updateTeamMember(
  call: CallContext,
  input: TeamUserInput & { role: GivenRole },
): Promise<ChangedMember> {
  return call.write((write) => changeRole(call, write, input, input.role), { streams: [topics.team(input.teamId)] });
}

async function changeRole(
  call: CallContext,
  { db, record, audit }: Write,
  { teamId, userId }: TeamUserInput,
  role: TeamMemberRole,
): Promise<ChangedMember> {
  const team = await accessTeam(call, teamId, 'changeRole', db);
  const before = await findOther(db, team, userId);
  if (before.role === role) return { team, member: before };
  const where = { teamId_userId: { teamId, userId } };
  const member = await db.teamMember.update({ where, data: { role }, include: { user: true } });
  const changes = { role: { old: before.role, new: role } };
  await audit({ action: 'TEAM_MEMBER_UPDATE', teamId, targetId: userId, changes });
  record({ type: 'TEAM_UPDATED', teamId });
  return { team, member };
}

/**
 * Callers can remove themselves.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS (also for the owner), UNKNOWN_TEAM_MEMBER
 */
export function removeTeamMember(call: CallContext, input: TeamUserInput): Promise<Team> {
  return call.write((write) => remove(call, write, input), { streams: [topics.team(input.teamId)] });
}

async function remove(
  call: CallContext,
  { db, record, audit }: Write,
  { teamId, userId }: TeamUserInput,
): Promise<Team> {
  const leaves = requirePerson(call).user.id === userId;
  const team = await accessTeam(call, teamId, leaves ? 'leave' : 'removeMember', db);
  const { role } = await findOther(db, team, userId);
  await db.teamMember.delete({ where: { teamId_userId: { teamId, userId } } });
  const action = leaves ? 'TEAM_MEMBER_LEAVE' : 'TEAM_MEMBER_REMOVE';
  await audit({ action, teamId, targetId: userId, changes: { role } });
  record({ type: 'TEAM_UPDATED', teamId });
  return team;
}

/**
 * The previous owner becomes an admin.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS, UNKNOWN_TEAM_MEMBER, CONFLICT for the current owner,
 * LIMIT_EXCEEDED if the member would own too much
 */
export function transferTeamOwnership(call: CallContext, input: TeamUserInput): Promise<Team> {
  return call.write((write) => handOver(call, write, input), {
    streams: [topics.team(input.teamId), topics.user(input.userId)],
  });
}

/** As {@link transferTeamOwnership}, within a transaction. */
export async function handOver(
  call: CallContext,
  { db, record, audit }: Write,
  { teamId, userId }: TeamUserInput,
): Promise<Team> {
  const { ownerUserId } = await accessTeam(call, teamId, 'transferOwnership', db);
  if (ownerUserId === userId) throw new DomainError('CONFLICT', 'This user already owns the team.');
  await findMember(db, teamId, userId);
  await requireCapacityForTeam(db, userId);
  const applications = await db.application.count({ where: { ownerTeamId: teamId, deletedAt: null } });
  await requireCapacityForApplications(db, userId, applications);
  const pair = { teamId, userId: { in: [userId, ownerUserId] } };
  await db.teamMember.updateMany({ where: pair, data: { role: 'ADMIN' } });
  const team = await db.team.update({ where: { id: teamId }, data: { ownerUserId: userId } });
  const changes = { ownerUserId: { old: String(ownerUserId), new: String(userId) } };
  await audit({ action: 'TEAM_TRANSFER_OWNERSHIP', teamId, targetId: userId, changes });
  record({ type: 'TEAM_UPDATED', teamId });
  return team;
}

/** @throws MISSING_PERMISSIONS for the owner, UNKNOWN_TEAM_MEMBER */
async function findOther(db: Write['db'], team: Team, userId: bigint): Promise<TeamMemberRecord> {
  if (userId === team.ownerUserId) throw missingPermissions(OWNER_STAYS);
  return findMember(db, team.id, userId);
}

async function findMember(db: Write['db'], teamId: bigint, userId: bigint): Promise<TeamMemberRecord> {
  const where = { teamId_userId: { teamId, userId } };
  const member = await db.teamMember.findUnique({ where, include: { user: true } });
  if (!member) throw new DomainError('UNKNOWN_TEAM_MEMBER');
  return member;
}
