import type { Application, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { type TeamRecord, WITH_PEOPLE } from '../teams/get.js';
import { countInstallations, type InstallCounts, NOT_INSTALLED } from './install-counts.js';

export type ApplicationRecord = Application & {
  bot: User;
  ownerUser: User | null;
  ownerTeam: TeamRecord | null;
  installCounts: InstallCounts;
};

/** @throws ONLY_BOTS, UNKNOWN_APPLICATION */
export async function getOwnApplication(call: CallContext): Promise<ApplicationRecord> {
  if (call.actor.kind !== 'bot') throw new DomainError('ONLY_BOTS');
  return loadApplicationRecord(call, call.actor.applicationId);
}

/** @throws UNAUTHENTICATED, NOT_OWN_APPLICATION */
export function requireOwnBot({ actor }: CallContext, applicationId: bigint): User {
  if (actor.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED');
  if (actor.kind !== 'bot' || actor.applicationId !== applicationId) throw new DomainError('NOT_OWN_APPLICATION');
  return actor.user;
}

/** Does not check access. @throws UNKNOWN_APPLICATION */
export async function loadApplicationRecord(call: CallContext, id: bigint): Promise<ApplicationRecord> {
  const application = await call.read.application.findUnique({
    where: { id, deletedAt: null },
    include: { bot: true, ownerUser: true, ownerTeam: { include: WITH_PEOPLE } },
  });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  const installCounts = (await countInstallations(call, [id])).get(id) ?? NOT_INSTALLED;
  return { ...application, installCounts };
}
