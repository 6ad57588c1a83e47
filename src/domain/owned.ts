import type { Transaction } from '../infra/database/index.js';
import { topics } from '../infra/streams/topics.js';
import { type CallContext, requirePerson } from './call.js';
import { DomainError } from './errors.js';
import { limits } from './limits.js';

/**
 * Locked by all that change what a person owns.
 * @param teamId owner of the application; undefined for the caller
 */
export async function streamsOfOwner(call: CallContext, teamId: bigint | undefined): Promise<string[]> {
  if (teamId === undefined) return [topics.user(requirePerson(call).user.id)];
  const team = await call.read.team.findUnique({ where: { id: teamId }, select: { ownerUserId: true } });
  return [topics.team(teamId), ...(team ? [topics.user(team.ownerUserId)] : [])];
}

/**
 * Includes the applications of the person's teams. The transaction must lock the owner's stream.
 * @throws LIMIT_EXCEEDED
 */
export async function requireCapacityForApplications(db: Transaction, ownerUserId: bigint, added = 1): Promise<void> {
  const teams = await db.team.findMany({ where: { ownerUserId }, select: { id: true } });
  const ownerTeamId = { in: teams.map(({ id }) => id) };
  const [own, ofTeams] = [
    await db.application.count({ where: { ownerUserId, deletedAt: null } }),
    await db.application.count({ where: { ownerTeamId, deletedAt: null } }),
  ];
  if (own + ofTeams + added > limits.applicationsPerOwner) throw isFull('applications', limits.applicationsPerOwner);
}

/** The transaction must lock the owner's stream. @throws LIMIT_EXCEEDED */
export async function requireCapacityForTeam(db: Transaction, ownerUserId: bigint): Promise<void> {
  const teams = await db.team.count({ where: { ownerUserId } });
  if (teams >= limits.teamsPerOwner) throw isFull('teams', limits.teamsPerOwner);
}

/** The transaction must lock the owner's stream. @throws LIMIT_EXCEEDED */
export async function requireCapacityForGuild(db: Transaction, ownerId: bigint): Promise<void> {
  const guilds = await db.guild.count({ where: { ownerId, deletedAt: null } });
  if (guilds >= limits.guildsPerOwner) throw isFull('servers', limits.guildsPerOwner);
}

function isFull(what: string, most: number): DomainError {
  return new DomainError('LIMIT_EXCEEDED', `A user can own at most ${most} ${what}. Delete one to make room.`);
}
