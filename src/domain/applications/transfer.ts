import type { Application } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { requireCapacityForApplications } from '../owned.js';
import { accessTeam } from '../teams/access.js';
import { accessApplication } from './access.js';
import { checkTypedName } from './typed-name.js';

export interface TransferApplicationInput {
  applicationId: bigint;
  teamId: bigint;
  /** The application's name, typed as confirmation. */
  appName: string;
}

/**
 * Moves a personal application and its audit ledger entries to a team for good. The caller must own or administer the
 * team, and stays OWNER.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, UNKNOWN_TEAM, MISSING_PERMISSIONS, CONFLICT if a team owns it already,
 * LIMIT_EXCEEDED for the team's owner, INVALID_INPUT if the name is wrong
 */
export async function transferApplication(call: CallContext, input: TransferApplicationInput): Promise<Application> {
  const { applicationId, teamId } = input;
  const streams = [topics.application(applicationId), topics.team(teamId)];
  return call.write((write) => move(call, write, input), { streams });
}

async function move(call: CallContext, write: Write, input: TransferApplicationInput): Promise<Application> {
  const { db, record, audit } = write;
  const { applicationId, teamId, appName } = input;
  const { user } = requirePerson(call);
  const before = await accessApplication(call, applicationId, 'transfer', db);
  if (before.ownerTeamId !== null)
    throw new DomainError('CONFLICT', 'This application already belongs to a team. It cannot be moved to another one.');
  const team = await accessTeam(call, teamId, 'receiveApplication', db);
  // This event also makes the transaction lock the owner's stream.
  record({ type: 'PORTAL_HOME_UPDATED', userId: team.ownerUserId });
  if (team.ownerUserId !== user.id) await requireCapacityForApplications(db, team.ownerUserId);
  checkTypedName(before, appName, 'appName');
  const after = await db.application.update({
    where: { id: applicationId },
    data: { ownerUserId: null, ownerTeamId: teamId, transferredById: user.id },
  });
  await db.auditEntry.updateMany({ where: { applicationId }, data: { teamId } });
  const changes = { ownerUserId: { old: String(user.id), new: null }, ownerTeamId: { old: null, new: String(teamId) } };
  await audit({ action: 'APPLICATION_TRANSFER', applicationId, teamId, targetId: applicationId, changes });
  record({ type: 'APPLICATION_UPDATED', applicationId });
  record({ type: 'TEAM_UPDATED', teamId });
  return after;
}
