import type { Box, BoxGuild, Prisma, Reader } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';

/** The boxes that the caller owns. @throws UNAUTHENTICATED */
export function visibleBoxes(call: CallContext): Prisma.BoxWhereInput {
  return { ownerId: requirePerson(call).user.id };
}

/**
 * A box that the caller owns.
 * @param read the transaction, where the answer must still hold when it is written
 * @throws UNAUTHENTICATED, and UNKNOWN_BOX for one that is missing or somebody else's
 */
export async function accessBox(call: CallContext, boxId: bigint, read: Pick<Reader, 'box'> = call.read): Promise<Box> {
  const { user } = requirePerson(call);
  const box = await read.box.findUnique({ where: { id: boxId } });
  if (box?.ownerId !== user.id) throw new DomainError('UNKNOWN_BOX');
  return box;
}

/**
 * A guild on a box that the caller owns.
 * @throws UNAUTHENTICATED, and UNKNOWN_GUILD for one that is on no box, or on somebody else's
 */
export async function accessBoxGuild(call: CallContext, guildId: bigint): Promise<BoxGuild> {
  const { user } = requirePerson(call);
  const guild = await call.read.boxGuild.findFirst({ where: { id: guildId, box: { ownerId: user.id } } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return guild;
}
