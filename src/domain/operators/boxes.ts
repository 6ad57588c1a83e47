import type { Box, BoxGuild, Prisma, User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { requireOperator } from './access.js';
import { type InstancePage, pageOf } from './page.js';

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
  const { ownerId } = query;
  return call.read.box.findMany({
    where: { AND: [searched(query.search), pageOf(query, 'id')], ...(ownerId === undefined ? {} : { ownerId }) },
    orderBy: { id: query.backwards ? 'desc' : 'asc' },
    include: PARTS,
    take: query.take,
  });
}

function searched(search: string | undefined): Prisma.BoxWhereInput {
  if (search === undefined) return {};
  const id = parseSnowflake(search);
  return { OR: [{ name: { contains: search } }, ...(id === undefined ? [] : [{ id }])] };
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
