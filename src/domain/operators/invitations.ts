import { z } from 'zod';
import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import type { SignUpInvitation } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { maybe, textUpTo } from '../input.js';
import { requireOperator } from './access.js';

const DAY_MS = 86_400_000;

export const NewInvitation = z.object({
  note: maybe(textUpTo(100)).transform((note) => note ?? ''),
  maxUses: z.int().min(1, 'Must be between 1 and 10000.').max(10_000, 'Must be between 1 and 10000.').nullish(),
  expiresInDays: z.int().min(1, 'Must be between 1 and 365.').max(365, 'Must be between 1 and 365.').nullish(),
});

/** At most this many at a time. */
export const MAX_INVITATIONS = 200;

/** Newest first, with used-up and expired ones. @throws NOT_FOUND */
export async function listInvitations(call: CallContext): Promise<SignUpInvitation[]> {
  await requireOperator(call, 'MODERATOR');
  return call.read.signUpInvitation.findMany({ orderBy: { id: 'desc' }, take: MAX_INVITATIONS });
}

export interface MadeInvitation {
  invitation: SignUpInvitation;
  /** Of the page to sign up. Its fragment is the code. Shown once. */
  url: string;
}

/**
 * Null uses or days mean no limit.
 * @throws NOT_FOUND, LIMIT_EXCEEDED
 */
export async function createInvitation(
  call: CallContext,
  { note, maxUses = 1, expiresInDays = 7 }: z.output<typeof NewInvitation>,
): Promise<MadeInvitation> {
  await requireOperator(call, 'MODERATOR');
  const code = randomToken(18);
  const id = call.nextId();
  const expiresAt = expiresInDays === null ? null : new Date(call.clock.now() + expiresInDays * DAY_MS);
  const createdById = call.actor.kind === 'person' ? call.actor.user.id : null;
  const invitation = await call.write(async ({ db, audit }) => {
    await requireOperator(call, 'MODERATOR', db);
    if ((await db.signUpInvitation.count()) >= MAX_INVITATIONS) {
      const message = `There can be at most ${MAX_INVITATIONS} invitations. Revoke used-up ones first.`;
      throw new DomainError('LIMIT_EXCEEDED', message);
    }
    const row = { id, hash: hashSecret(code), last4: code.slice(-4), note, createdById, maxUses, expiresAt };
    await audit({ action: 'INVITATION_CREATE', targetId: id, changes: { name: note } });
    return db.signUpInvitation.create({ data: row });
  });
  return { invitation, url: `${call.portalUrl}/sign-up#${code}` };
}

/** The link no longer works. Accounts that used it stay. @throws NOT_FOUND */
export async function revokeInvitation(call: CallContext, id: bigint): Promise<void> {
  await requireOperator(call, 'MODERATOR');
  await call.write(async ({ db, audit }) => {
    await requireOperator(call, 'MODERATOR', db);
    const found = await db.signUpInvitation.findUnique({ where: { id } });
    const { count } = await db.signUpInvitation.deleteMany({ where: { id } });
    if (!found || count === 0) throw new DomainError('NOT_FOUND', 'This invitation does not exist or was revoked.');
    await audit({ action: 'INVITATION_REVOKE', targetId: id, changes: { name: found.note } });
  });
}
