import { isMissingRow } from '../../infra/database/faults.js';
import type { Box, Reader } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

/**
 * Stores that this process has the box's newest connection (docs/relay.md, R-16).
 * @returns the box with the connection's generation and its current key, which may have changed since the admission
 * @throws UNKNOWN_BOX if it was deleted
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
    return await call.writeOne((db) => db.box.update({ where: { id: boxId }, data }), {
      streams: [topics.box(boxId)],
      event: () => ({ type: 'BOX_UPDATED', boxId }),
    });
  } catch (error) {
    if (isMissingRow(error)) throw new DomainError('UNKNOWN_BOX');
    throw error;
  }
}

/** @returns whether it was the newest connection, so that the box is now offline */
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
    {
      streams: [topics.box(boxId)],
      event: (changed) => (changed.count > 0 ? { type: 'BOX_UPDATED', boxId } : null),
    },
  );
  return count > 0;
}

export interface BoxHolder {
  holderId: string;
  generation: number;
}

/** Null if the box is offline. The process may have ended. */
export async function boxHolder(read: Pick<Reader, 'box' | 'liveProcess'>, boxId: bigint): Promise<BoxHolder | null> {
  const box = await read.box.findUnique({ where: { id: boxId }, select: { holderId: true, generation: true } });
  if (!box?.holderId) return null;
  const { holderId, generation } = box;
  const process = await read.liveProcess.findUnique({ where: { id: holderId }, select: { id: true } });
  return process && { holderId, generation };
}

/** Connections of other processes count as closed. @param now `call.live.now()` */
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
