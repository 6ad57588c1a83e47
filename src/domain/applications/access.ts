import { type Application, Prisma, type Reader } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { IdPage } from '../id-page.js';
import { type ApplicationOperation, mayWithApplication, type PortalRole } from '../portal-permissions.js';
import { ownTeamRole } from '../teams/access.js';

/** What reading an application takes: the reading door, or a transaction. */
type ApplicationReader = Pick<Reader, 'application' | 'team'>;

/** The part of an application that says whose it is. */
type Ownership = Pick<Application, 'ownerUserId' | 'ownerTeamId' | 'transferredById'>;

/**
 * What somebody is to an application: OWNER as its personal owner or as who transferred it to its team, otherwise what they
 * are in that team; null for nothing.
 */
export function applicationRole(
  userId: bigint,
  application: Ownership,
  roleInTeam: PortalRole | null,
): PortalRole | null {
  const { ownerUserId, ownerTeamId, transferredById } = application;
  if (ownerUserId === userId) return 'OWNER';
  if (ownerTeamId === null) return null;
  return transferredById === userId ? 'OWNER' : roleInTeam;
}

/**
 * Ids of the applications that the caller has a role in, in ascending order. Each reason for a role is a walk along an index of its own: a
 * disjunction would look at every application of the instance.
 * @throws UNAUTHENTICATED
 */
export async function ownApplicationIds(call: CallContext, { after = 0n, take }: IdPage): Promise<bigint[]> {
  const { id: userId } = requirePerson(call).user;
  const page = Prisma.sql`a."id" > ${after} AND a."deletedAt" IS NULL ORDER BY a."id" LIMIT ${take}`;
  const rows = await call.read.$queryRaw<{ id: bigint }[]>`
    SELECT "id" FROM "Application" WHERE "id" IN (
      SELECT "id" FROM (SELECT a."id" FROM "Application" a WHERE a."ownerUserId" = ${userId} AND ${page}) AS "walk"
      UNION
      SELECT "id" FROM (SELECT a."id" FROM "Application" a WHERE a."transferredById" = ${userId} AND ${page}) AS "walk"
      UNION
      SELECT "id" FROM (
        SELECT a."id" FROM "TeamMember" m JOIN "Application" a ON a."ownerTeamId" = m."teamId"
        WHERE m."userId" = ${userId} AND ${page}) AS "walk")
    ORDER BY "id" LIMIT ${take}`;
  return rows.map(({ id }) => id);
}

/** The applications the caller has a role in, as a condition on few of them. @throws UNAUTHENTICATED */
export function visibleApplications(call: CallContext): Prisma.ApplicationWhereInput {
  const { id } = requirePerson(call).user;
  return {
    deletedAt: null,
    OR: [{ ownerUserId: id }, { transferredById: id }, { ownerTeam: { members: { some: { userId: id } } } }],
  };
}

/**
 * An application with which the caller may do `operation`.
 * @param read the transaction, where the answer must still hold when it is written
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION for one that is missing or in which the caller has no role, and
 *   MISSING_PERMISSIONS for a role that does not allow it
 */
export async function accessApplication(
  call: CallContext,
  applicationId: bigint,
  operation: ApplicationOperation,
  read: ApplicationReader = call.read,
): Promise<Application> {
  const { user } = requirePerson(call);
  const application = await read.application.findUnique({ where: { id: applicationId, deletedAt: null } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  const { ownerTeamId } = application;
  const roleInTeam = ownerTeamId === null ? null : await ownTeamRole(call, ownerTeamId, read);
  const role = applicationRole(user.id, application, roleInTeam);
  if (role === null) throw new DomainError('UNKNOWN_APPLICATION');
  if (!mayWithApplication(role, operation)) throw missingPermissions();
  return application;
}

/**
 * An application whose settings the caller may change: as {@link accessApplication}, or as the application's own bot.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS
 */
export async function accessSettings(
  call: CallContext,
  applicationId: bigint,
  read: ApplicationReader = call.read,
): Promise<Application> {
  if (call.actor.kind !== 'bot' || call.actor.applicationId !== applicationId) {
    return accessApplication(call, applicationId, 'updateSettings', read);
  }
  const application = await read.application.findUnique({ where: { id: applicationId, deletedAt: null } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}
