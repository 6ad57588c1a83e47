import type { Invite, Prisma, Reader } from '../../infra/database/index.js';
import { isInviteCode } from './code.js';
import { type InviteRecord, WITH_PLACE } from './record.js';

/** Invites that are not over at `now`, in milliseconds. One that was used as often as it can be is not kept. */
export function stillWorking(now: number) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }] } satisfies Prisma.InviteWhereInput;
}

/** How long an invite works from the start, in seconds; 0 for ever. */
export function maxAgeOf({ createdAt, expiresAt }: Pick<Invite, 'createdAt' | 'expiresAt'>): number {
  return expiresAt ? Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000) : 0;
}

/** The invite of this code, or null when there is none or it is over. */
export async function findInvite(read: Reader, now: number, code: string): Promise<InviteRecord | null> {
  if (!isInviteCode(code)) return null;
  // Several unique look-ups of one moment are asked as one, which takes a transaction where they have conditions beside the key.
  return read.invite.findFirst({ where: { code, ...stillWorking(now) }, include: WITH_PLACE });
}
