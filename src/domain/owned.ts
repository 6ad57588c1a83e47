import type { Transaction } from '../infra/database/index.js';
import type { CallContext } from './call.js';
import { DomainError } from './errors.js';
import { limits } from './limits.js';

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
export async function requireCapacityForGuild(
  { instanceLimits }: Pick<CallContext, 'instanceLimits'>,
  db: Transaction,
  ownerId: bigint,
): Promise<void> {
  const guilds = await db.guild.count({ where: { ownerId, deletedAt: null } });
  const most = instanceLimits.valueOf('GUILDS', String(ownerId));
  if (guilds < most) return;
  instanceLimits.refusals.note('GUILDS', String(ownerId), null);
  throw isFull('servers', most);
}

function isFull(what: string, most: number): DomainError {
  return new DomainError('LIMIT_EXCEEDED', `A user can own at most ${most} ${what}. Delete one to make room.`);
}
