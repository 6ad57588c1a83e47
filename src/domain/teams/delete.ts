import type { Team, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { dropIcon } from '../icons.js';
import { recordForInvited } from '../invited.js';
import { accessTeam } from './access.js';

/**
 * Audit ledger entries stay.
 * @throws UNAUTHENTICATED, UNKNOWN_TEAM, MISSING_PERMISSIONS, CONFLICT while the team owns an application
 */
export async function deleteTeam(call: CallContext, teamId: bigint): Promise<void> {
  await removeTeam(call, teamId, (db) => accessTeam(call, teamId, 'delete', db));
}

/**
 * As {@link deleteTeam}, without its checks of the caller.
 * @param access loads the team if the caller may delete it
 * @throws CONFLICT while the team owns an application, and what `access` throws
 */
export async function removeTeam(
  call: CallContext,
  teamId: bigint,
  access: (db: Transaction) => Promise<Team>,
): Promise<void> {
  const removal = async (write: Write) => remove(write, await access(write.db));
  const { id, iconHash } = await call.write(removal, { streams: [topics.team(teamId)] });
  if (iconHash) await dropIcon(call, { folder: 'team-icons', id }, iconHash);
}

async function remove(write: Write, team: Team): Promise<Team> {
  const { db, record, audit } = write;
  const teamId = team.id;
  const owned = await db.application.count({ where: { ownerTeamId: teamId, deletedAt: null } });
  if (owned > 0)
    throw new DomainError(
      'CONFLICT',
      'A team that owns applications cannot be deleted. Delete its applications first.',
    );
  await recordForInvited(write, { teamId });
  await db.team.delete({ where: { id: teamId } });
  await audit({ action: 'TEAM_DELETE', teamId, targetId: teamId, changes: { name: team.name } });
  record({ type: 'TEAM_UPDATED', teamId });
  return team;
}
