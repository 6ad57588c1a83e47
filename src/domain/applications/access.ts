import { type Application, Prisma, type Reader } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { IdPage } from '../id-page.js';
import { type ApplicationOperation, mayWithApplication, type PortalRole } from '../portal-permissions.js';
import { ownTeamRole } from '../teams/access.js';

type ApplicationReader = Pick<Reader, 'application' | 'team'>;

type Ownership = Pick<Application, 'ownerUserId' | 'ownerTeamId' | 'transferredById'>;

/** The personal owner, and the person who transferred the application to its team, is OWNER. */
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
 * Ascending. Walks an index for each source of a role, because an OR would scan all applications.
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

/** Only for queries that select few rows anyway, because of its OR. @throws UNAUTHENTICATED */
export function visibleApplications(call: CallContext): Prisma.ApplicationWhereInput {
  const { id } = requirePerson(call).user;
  return {
    deletedAt: null,
    OR: [{ ownerUserId: id }, { transferredById: id }, { ownerTeam: { members: { some: { userId: id } } } }],
  };
}

/**
 * @param read a transaction, if the result must still hold at the write
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION if it is missing or the caller has no role, MISSING_PERMISSIONS
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
 * As {@link accessApplication}, but also allows the application's own bot.
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
