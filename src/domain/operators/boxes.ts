import { type Box, type BoxGuild, Prisma, type User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { requireOperator } from './access.js';
import { type InstancePage, idsOfPage, orderOf, searched } from './page.js';

export type OwnedBox = Box & { owner: User; guilds: Pick<BoxGuild, 'id' | 'name'>[] };

const PARTS = { owner: true, guilds: { select: { id: true, name: true }, orderBy: { id: 'asc' } } } as const;

export interface BoxesQuery extends InstancePage {
  /** Part of a name, or an id. */
  search?: string | undefined;
  ownerId?: bigint | undefined;
}

/** In the page's direction, by id. @throws NOT_FOUND */
export async function listBoxes(call: CallContext, query: BoxesQuery): Promise<OwnedBox[]> {
  await requireOperator(call, 'OPERATOR');
  const conditions = [
    ...searched(query.search, ['name']),
    ...(query.ownerId === undefined ? [] : [Prisma.sql`"ownerId" = ${query.ownerId}`]),
  ];
  const ids = await idsOfPage(call.read, { from: Prisma.sql`"Box"`, conditions }, query);
  return call.read.box.findMany({ where: { id: { in: ids } }, orderBy: { id: orderOf(query) }, include: PARTS });
}

/**
 * Cuts the connection and invalidates the box's key and enrolment token. It stays out until its owner enrols it again.
 * @throws NOT_FOUND, UNKNOWN_BOX
 */
export async function expelBox(call: CallContext, { boxId, reason }: { boxId: bigint; reason: string }) {
  await requireOperator(call, 'OPERATOR');
  return call.because(reason).write(
    async ({ db, audit, record }): Promise<OwnedBox> => {
      await requireOperator(call, 'OPERATOR', db);
      const before = await db.box.findUnique({ where: { id: boxId }, select: { name: true } });
      if (!before) throw new DomainError('UNKNOWN_BOX');
      const data = { publicKey: null, tokenHash: null, tokenEndsAt: null };
      const box = await db.box.update({ where: { id: boxId }, data, include: PARTS });
      await audit({ action: 'BOX_DISCONNECT', targetId: boxId, changes: { name: before.name } });
      record({ type: 'BOX_UPDATED', boxId });
      return box;
    },
    { streams: [topics.box(boxId)] },
  );
}
