import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { accessBox } from './access.js';
import { withdrawAllGuilds } from './withdraw.js';

/**
 * Removes its guilds and their installations from the cloud. Data on the box stays. Exactly one of several concurrent
 * calls succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_BOX
 */
export async function deleteBox(call: CallContext, boxId: bigint): Promise<void> {
  await accessBox(call, boxId);
  do await withdrawAllGuilds(call, boxId);
  while (!(await call.write((write) => deleteIfEmpty(call, write, boxId), { streams: [topics.box(boxId)] })));
}

/** @returns false if the box announced another guild in the meantime */
async function deleteIfEmpty(call: CallContext, { db, audit, record }: Write, boxId: bigint): Promise<boolean> {
  const { name } = await accessBox(call, boxId, db);
  if ((await db.boxGuild.count({ where: { boxId } })) > 0) return false;
  await db.box.delete({ where: { id: boxId } });
  await audit({ action: 'BOX_DELETE', targetId: boxId, changes: { name } });
  record({ type: 'BOX_ROUTES_UPDATED' });
  record({ type: 'BOX_DELETED', boxId });
  return true;
}
