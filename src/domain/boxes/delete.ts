import type { Box, Transaction } from '../../infra/database/index.js';
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
  await removeBox(call, boxId, (db) => accessBox(call, boxId, db));
}

/**
 * As {@link deleteBox}, without its checks.
 * @param access loads the box if the caller may delete it
 * @throws what `access` throws
 */
export async function removeBox(
  call: CallContext,
  boxId: bigint,
  access: (db: Transaction) => Promise<Box>,
): Promise<void> {
  const removal = async (write: Write) => deleteIfEmpty(write, await access(write.db));
  do await withdrawAllGuilds(call, boxId);
  while (!(await call.write(removal, { streams: [topics.box(boxId)] })));
}

/** @returns false if the box announced another guild in the meantime */
async function deleteIfEmpty({ db, audit, record }: Write, { id: boxId, name }: Box): Promise<boolean> {
  if ((await db.boxGuild.count({ where: { boxId } })) > 0) return false;
  await db.box.delete({ where: { id: boxId } });
  await audit({ action: 'BOX_DELETE', targetId: boxId, changes: { name } });
  record({ type: 'BOX_ROUTES_UPDATED' });
  record({ type: 'BOX_DELETED', boxId });
  return true;
}
