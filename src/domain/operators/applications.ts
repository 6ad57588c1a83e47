import type { Application, Prisma, User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { requireOperator } from './access.js';
import { type InstancePage, pageOf } from './page.js';

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
  const { isSuspended, ownerId } = query;
  return call.read.application.findMany({
    where: {
      AND: [searched(query.search), pageOf(query, 'id')],
      deletedAt: null,
      ...(ownerId === undefined ? {} : { ownerUserId: ownerId }),
      ...(isSuspended === undefined ? {} : { suspendedAt: isSuspended ? { not: null } : null }),
    },
    orderBy: { id: query.backwards ? 'desc' : 'asc' },
    include: WITH_OWNER,
    take: query.take,
  });
}

function searched(search: string | undefined): Prisma.ApplicationWhereInput {
  if (search === undefined) return {};
  const id = parseSnowflake(search);
  return { OR: [{ name: { contains: search } }, ...(id === undefined ? [] : [{ id }])] };
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
