import { hashSecret } from '../../infra/crypto/secrets.js';
import type { Reader } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { isSetupToken } from '../operators/setup.js';

type Asked = Pick<CallContext, 'clock' | 'registration' | 'signUpDomains'>;

/** @throws INVALID_INPUT at `email` */
export function requireAllowedDomain({ signUpDomains }: Asked, email: string): void {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (signUpDomains.length === 0 || signUpDomains.includes(domain)) return;
  const message = `This instance only accepts email addresses at ${signUpDomains.join(', ')}.`;
  throw invalidInput({ path: 'email', code: 'EMAIL_DOMAIN_NOT_ALLOWED', message });
}

/**
 * Checks the invitation without using it. The set-up link is one as long as there is no operator.
 * @throws REGISTRATION_CLOSED, INVALID_INPUT at `invitation` if it is missing, unknown, expired or used up
 */
export async function requireInvited(
  call: Asked,
  reader: Pick<Reader, 'signUpInvitation' | 'instanceKey'>,
  code: string,
): Promise<void> {
  if (call.registration === 'open' || (code !== '' && (await isSetupToken(reader, code)))) return;
  if (call.registration === 'closed') throw new DomainError('REGISTRATION_CLOSED');
  const found = code !== '' && (await reader.signUpInvitation.findUnique({ where: { hash: hashSecret(code) } }));
  const isUsable =
    found &&
    (found.expiresAt === null || found.expiresAt.getTime() > call.clock.now()) &&
    (found.maxUses === null || found.uses < found.maxUses);
  if (!isUsable) throw unusable(code);
}

/**
 * Uses the invitation. Of concurrent sign-ups, no more succeed than it allows. The last one ends it.
 * @throws as {@link requireInvited}
 */
export async function useInvitation(call: Asked, { db }: Pick<Write, 'db'>, code: string): Promise<void> {
  await requireInvited(call, db, code);
  if (call.registration !== 'invite' || (await isSetupToken(db, code))) return;
  const hash = hashSecret(code);
  const used = await db.$executeRaw`
    UPDATE "SignUpInvitation" SET "uses" = "uses" + 1
    WHERE "hash" = ${hash} AND ("maxUses" IS NULL OR "uses" < "maxUses")`;
  if (used === 0) throw unusable(code);
  const { uses, maxUses } = await db.signUpInvitation.findUniqueOrThrow({ where: { hash } });
  if (uses !== maxUses) return;
  await db.signUpInvitation.update({ where: { hash }, data: { expiresAt: new Date(call.clock.now()) } });
}

function unusable(code: string): DomainError {
  const message =
    code === ''
      ? 'You need an invitation to sign up. Ask an operator of this instance for a link.'
      : 'This invitation is unknown, has expired or was used up. Ask an operator of this instance for another.';
  return invalidInput({ path: 'invitation', code: 'INVITATION_INVALID', message });
}
