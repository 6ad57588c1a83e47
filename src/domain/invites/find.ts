import type { Invite, Prisma, Reader } from '../../infra/database/index.js';
import { isInviteCode } from './code.js';
import { type InviteRecord, WITH_PLACE } from './record.js';

/** Checks only the expiry, because used-up invites are deleted. @param now milliseconds since the Unix epoch */
export function stillWorking(now: number) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }] } satisfies Prisma.InviteWhereInput;
}

/** In seconds; 0 for unlimited. */
export function maxAgeOf({ createdAt, expiresAt }: Pick<Invite, 'createdAt' | 'expiresAt'>): number {
  return expiresAt ? Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000) : 0;
}

/** Null also for an expired invite. */
export async function findInvite(read: Reader, now: number, code: string): Promise<InviteRecord | null> {
  if (!isInviteCode(code)) return null;
  // With more conditions than the key, Prisma would batch concurrent `findUnique` calls in a transaction.
  return read.invite.findFirst({ where: { code, ...stillWorking(now) }, include: WITH_PLACE });
}
