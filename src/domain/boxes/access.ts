import type { Box, BoxGuild, Prisma, Reader } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';

/** @throws UNAUTHENTICATED */
export function visibleBoxes(call: CallContext): Prisma.BoxWhereInput {
  return { ownerId: requirePerson(call).user.id };
}

/**
 * @param read a transaction, if the result must still hold at the write
 * @throws UNAUTHENTICATED, UNKNOWN_BOX if it is missing or another person's
 */
export async function accessBox(call: CallContext, boxId: bigint, read: Pick<Reader, 'box'> = call.read): Promise<Box> {
  const { user } = requirePerson(call);
  const box = await read.box.findUnique({ where: { id: boxId } });
  if (box?.ownerId !== user.id) throw new DomainError('UNKNOWN_BOX');
  return box;
}

/** @throws UNAUTHENTICATED, UNKNOWN_GUILD if no box of the caller has it */
export async function accessBoxGuild(call: CallContext, guildId: bigint): Promise<BoxGuild> {
  const { user } = requirePerson(call);
  const guild = await call.read.boxGuild.findFirst({ where: { id: guildId, box: { ownerId: user.id } } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  return guild;
}
