import type { Invite, Prisma, Reader } from '../../infra/database/index.js';
import { isInviteCode } from './code.js';
import { type InviteRecord, WITH_PLACE } from './record.js';

/** Condition for unexpired invites. Used-up invites are deleted. `now` is in milliseconds since the Unix epoch. */
export function stillWorking(now: number) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }] } satisfies Prisma.InviteWhereInput;
}

/** In seconds; 0 for unlimited. */
export function maxAgeOf({ createdAt, expiresAt }: Pick<Invite, 'createdAt' | 'expiresAt'>): number {
  return expiresAt ? Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000) : 0;
}

/** Null if there is no such invite or it has expired. */
export async function findInvite(read: Reader, now: number, code: string): Promise<InviteRecord | null> {
  if (!isInviteCode(code)) return null;
  // Prisma batches concurrent `findUnique` calls, which takes a transaction if they have more conditions than the key.
  return read.invite.findFirst({ where: { code, ...stillWorking(now) }, include: WITH_PLACE });
}
