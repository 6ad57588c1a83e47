import { z } from 'zod';
import type { Box } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import { createEnrolmentToken } from './tokens.js';

export const BoxSettings = z.object({ name: nameText(limits.boxName.min, limits.boxName.max) });

export interface BoxWithToken {
  box: Box;
  enrolmentToken: string;
}

const MADE_IN_THE_CLOUD = 'This instance is a box. Create boxes on its cloud instance.';

/** @throws UNAUTHENTICATED, FORBIDDEN if this instance is a box, LIMIT_EXCEEDED */
export async function createBox(call: CallContext, { name }: z.output<typeof BoxSettings>): Promise<BoxWithToken> {
  const { user } = requirePerson(call);
  if (call.boxRoutes.isInBox) throw new DomainError('FORBIDDEN', MADE_IN_THE_CLOUD);
  const { token, columns } = createEnrolmentToken(call.clock.now());
  const id = call.nextId();
  const box = await call.write(
    async ({ db, audit, record }) => {
      const most = limits.boxesPerOwner;
      if ((await db.box.count({ where: { ownerId: user.id } })) >= most) {
        throw new DomainError('LIMIT_EXCEEDED', `You can have at most ${most} boxes. Delete one to make room.`);
      }
      const created = await db.box.create({ data: { id, name, ownerId: user.id, ...columns } });
      await audit({ action: 'BOX_CREATE', targetId: id, changes: { name } });
      record({ type: 'BOX_UPDATED', boxId: id });
      record({ type: 'PORTAL_HOME_UPDATED', userId: user.id });
      return created;
    },
    { streams: [topics.box(id), topics.user(user.id)] },
  );
  return { box, enrolmentToken: token };
}
