import { isMissingRow } from '../../infra/database/faults.js';
import type { Box, Reader } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

/**
 * Notes that a connection with a box's key serves, in this process. It is newer than all before (docs/relay.md, R-16).
 * @returns the box, with the generation of the connection, and the key that is good now: another one may have been enrolled since this one was
 *   admitted
 * @throws UNKNOWN_BOX for one that was deleted
 */
export async function connectBox(
  call: CallContext,
  boxId: bigint,
  { protocolVersion }: { protocolVersion: number | string },
): Promise<Box> {
  const data = {
    generation: { increment: 1 },
    holderId: call.live.id,
    lastSeenAt: new Date(call.clock.now()),
    protocolVersion: String(protocolVersion),
  };
  try {
    return await call.writeOne(
      (db) => db.box.update({ where: { id: boxId }, data }),
      () => ({ type: 'BOX_UPDATED', boxId }),
    );
  } catch (error) {
    if (isMissingRow(error)) throw new DomainError('UNKNOWN_BOX');
    throw error;
  }
}

/** Notes that a connection is over. @returns whether it was the newest, and the box is away now */
export async function disconnectBox(
  call: CallContext,
  { boxId, generation }: { boxId: bigint; generation: number },
): Promise<boolean> {
  const { count } = await call.writeOne(
    (db) =>
      db.box.updateMany({
        where: { id: boxId, generation, holderId: { not: null } },
        data: { holderId: null, lastSeenAt: new Date(call.clock.now()) },
      }),
    (changed) => (changed.count > 0 ? { type: 'BOX_UPDATED', boxId } : null),
  );
  return count > 0;
}

/** Who has a box's newest connection. */
export interface BoxHolder {
  /** A live process. */
  holderId: string;
  generation: number;
}

/** Which process has a box's connection; null for a box that is away. A process that ended just now may be named still. */
export async function boxHolder(read: Pick<Reader, 'box' | 'liveProcess'>, boxId: bigint): Promise<BoxHolder | null> {
  const box = await read.box.findUnique({ where: { id: boxId }, select: { holderId: true, generation: true } });
  if (!box?.holderId) return null;
  const { holderId, generation } = box;
  const process = await read.liveProcess.findUnique({ where: { id: holderId }, select: { id: true } });
  return process && { holderId, generation };
}

/** The ids of those processes that live; what others hold is connected no more. @param now `call.live.now()` */
export async function livingProcesses(
  read: Pick<Reader, 'liveProcess'>,
  ids: string[],
  now: Date,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const living = await read.liveProcess.findMany({
    where: { id: { in: ids }, until: { gt: now } },
    select: { id: true },
  });
  return new Set(living.map(({ id }) => id));
}
