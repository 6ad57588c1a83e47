import { chunksOf } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { accessBox } from './access.js';
import { GUILDS_AT_ONCE, withdrawAllGuilds, withdrawWithin } from './withdraw.js';

/**
 * Removes its guilds and their installations from the cloud. Data on the box stays. Exactly one of several concurrent
 * calls succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_BOX
 */
export async function deleteBox(call: CallContext, boxId: bigint): Promise<void> {
  await accessBox(call, boxId);
  // In batches, which let other writes run in between.
  await withdrawAllGuilds(call, boxId);
  await call.write(
    async (write) => {
      const { db, audit, record } = write;
      const { name } = await accessBox(call, boxId, db);
      const late = await db.boxGuild.findMany({ where: { boxId }, select: { id: true } });
      for (const piece of chunksOf(late, GUILDS_AT_ONCE)) await withdrawWithin(call, write, boxId, piece);
      await db.box.delete({ where: { id: boxId } });
      await audit({ action: 'BOX_DELETE', targetId: boxId, changes: { name } });
      record({ type: 'BOX_ROUTES_UPDATED' });
      record({ type: 'BOX_DELETED', boxId });
    },
    { streams: [topics.box(boxId)] },
  );
}
