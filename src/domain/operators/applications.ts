import { type Application, Prisma, type User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { requireOperator } from './access.js';
import { type InstancePage, idsOfPage, orderOf, searched, suspended } from './page.js';

export type OwnedApplication = Application & { ownerUser: User | null; ownerTeam: { id: bigint; name: string } | null };

const WITH_OWNER = { ownerUser: true, ownerTeam: { select: { id: true, name: true } } } as const;

export interface ApplicationsQuery extends InstancePage {
  /** Part of a name, or an id. */
  search?: string | undefined;
  isSuspended?: boolean | undefined;
  ownerId?: bigint | undefined;
}

/** In the page's direction, by id. @throws NOT_FOUND */
export async function listApplications(call: CallContext, query: ApplicationsQuery): Promise<OwnedApplication[]> {
  await requireOperator(call, 'MODERATOR');
  const conditions = [
    ...searched(query.search, ['name']),
    Prisma.sql`"deletedAt" IS NULL`,
    ...suspended(query.isSuspended),
    ...(query.ownerId === undefined ? [] : [Prisma.sql`"ownerUserId" = ${query.ownerId}`]),
  ];
  const ids = await idsOfPage(call.read, { from: Prisma.sql`"Application"`, conditions }, query);
  return call.read.application.findMany({
    where: { id: { in: ids } },
    orderBy: { id: orderOf(query) },
    include: WITH_OWNER,
  });
}

/** @throws NOT_FOUND, UNKNOWN_APPLICATION */
export async function getApplication(call: CallContext, id: bigint): Promise<OwnedApplication> {
  await requireOperator(call, 'MODERATOR');
  return findExisting(call.read, id);
}

async function findExisting(reader: Pick<CallContext['read'], 'application'>, id: bigint): Promise<OwnedApplication> {
  const application = await reader.application.findUnique({ where: { id, deletedAt: null }, include: WITH_OWNER });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}

interface Acted {
  applicationId: bigint;
  reason: string;
}

/**
 * Its tokens, webhooks and interactions stop, its gateway sessions close, and it cannot be installed. Nothing is
 * removed. On a suspended application, it changes the text.
 * @param input.text what its developers read
 * @throws NOT_FOUND, UNKNOWN_APPLICATION
 */
export function suspendApplication(call: CallContext, input: Acted & { text: string }): Promise<OwnedApplication> {
  const { text } = input;
  return actOn(call, input, async ({ audit, record }, { id, suspendedAt }) => {
    await audit({ action: 'APPLICATION_SUSPEND', targetId: id, changes: { text } });
    record({ type: 'SUSPENDED', userId: id });
    return { suspendedAt: suspendedAt ?? new Date(call.clock.now()), suspensionText: text };
  });
}

/** @throws NOT_FOUND, UNKNOWN_APPLICATION */
export function restoreApplication(call: CallContext, input: Acted): Promise<OwnedApplication> {
  return actOn(call, input, async ({ audit, record }, { id, suspendedAt }) => {
    if (suspendedAt === null) return {};
    await audit({ action: 'APPLICATION_RESTORE', targetId: id });
    record({ type: 'RESTORED', userId: id });
    return { suspendedAt: null, suspensionText: null };
  });
}

type Columns = Pick<Prisma.ApplicationUncheckedUpdateInput, 'suspendedAt' | 'suspensionText'>;

async function actOn(
  call: CallContext,
  { applicationId: id, reason }: Acted,
  act: (write: Write, before: OwnedApplication) => Promise<Columns>,
): Promise<OwnedApplication> {
  await requireOperator(call, 'MODERATOR');
  return call.because(reason).write(
    async (write) => {
      await requireOperator(call, 'MODERATOR', write.db);
      const data = await act(write, await findExisting(write.db, id));
      write.record({ type: 'APPLICATION_SUSPENSION_UPDATED', applicationId: id });
      return write.db.application.update({ where: { id }, data, include: WITH_OWNER });
    },
    { streams: [topics.application(id)] },
  );
}
