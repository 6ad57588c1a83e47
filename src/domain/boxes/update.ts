import type { Box } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { accessBox } from './access.js';
import type { BoxWithToken } from './create.js';
import { createEnrolmentToken } from './tokens.js';

export interface RenameBoxInput {
  boxId: bigint;
  name: string;
}

/** @throws UNAUTHENTICATED, UNKNOWN_BOX */
export async function renameBox(call: CallContext, { boxId, name }: RenameBoxInput): Promise<Box> {
  return call.write(
    async ({ db, audit, record }) => {
      const before = await accessBox(call, boxId, db);
      if (before.name === name) return before;
      const after = await db.box.update({ where: { id: boxId }, data: { name } });
      await audit({ action: 'BOX_UPDATE', targetId: boxId, changes: { name: { old: before.name, new: name } } });
      record({ type: 'BOX_UPDATED', boxId });
      return after;
    },
    { streams: [topics.box(boxId)] },
  );
}

/**
 * Invalidates the earlier token. The box's key stays valid until a box uses the new token (docs/relay.md, R-14).
 * @throws UNAUTHENTICATED, UNKNOWN_BOX
 */
export async function newEnrolmentToken(call: CallContext, boxId: bigint): Promise<BoxWithToken> {
  const { token, columns } = createEnrolmentToken(call.clock.now());
  const box = await call.write(
    async ({ db, audit, record }) => {
      await accessBox(call, boxId, db);
      const changed = await db.box.update({ where: { id: boxId }, data: columns });
      await audit({ action: 'BOX_TOKEN_CREATE', targetId: boxId });
      record({ type: 'BOX_UPDATED', boxId });
      return changed;
    },
    { streams: [topics.box(boxId)] },
  );
  return { box, enrolmentToken: token };
}
