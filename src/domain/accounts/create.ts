import { z } from 'zod';
import { isUniqueConflict } from '../../infra/database/faults.js';
import type { User } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { fault, maybe, plainText } from '../input.js';
import { EmailAddress } from './email.js';
import { NewPassword } from './password.js';
import { requireAllowedDomain, requireInvited, useInvitation } from './registration.js';

type AccountDetails = Omit<z.output<typeof SignUp>, 'password' | 'invitation'> & {
  invitation?: string;
  emailVerified: boolean;
};

export interface Credential {
  providerId: string;
  issuer: string;
  passwordHash: string;
}

export const SignUp = z.object({
  email: EmailAddress,
  name: z
    .string()
    .refine(
      (name) => /^[a-z0-9._]{2,32}$/.test(name),
      fault(
        'USERNAME_INVALID',
        'Username must be 2–32 characters and contain only lowercase letters (a–z), digits, dots and underscores.',
      ),
    ),
  password: NewPassword,
  /** The code of an invitation; empty without one. */
  invitation: maybe(plainText()).transform((code) => code?.trim() ?? ''),
});

/**
 * Creates the user and the account library's rows in one transaction.
 * @throws CONFLICT if the username or the e-mail address is taken, REGISTRATION_CLOSED, INVALID_INPUT without a usable
 * invitation or for an e-mail address of another domain
 */
export async function createAccount(call: CallContext, details: AccountDetails, credential: Credential): Promise<User> {
  const { invitation = '' } = details;
  await requireInvited(call, call.read, invitation);
  requireAllowedDomain(call, details.email);
  await requireFree(call.read, details);
  try {
    const user = await call.write(async (write) => {
      await useInvitation(call, write, invitation);
      return insertPerson(call, write, details, credential);
    });
    call.log.info({ userId: String(user.id) }, 'User signed up');
    return user;
  } catch (error) {
    if (!isUniqueConflict(error)) throw error;
    await requireFree(call.read, details);
    throw error;
  }
}

async function requireFree(db: Pick<CallContext['read'], 'user' | 'authUser'>, details: AccountDetails): Promise<void> {
  if (await db.user.findUnique({ where: { handle: details.name }, select: { id: true } })) {
    const free = await findFreeName(db, details.name);
    const message = `The username ${details.name} is already taken${free === null ? '' : `; ${free} is available`}.`;
    throw new DomainError('CONFLICT', message, { fields: [{ path: 'name', code: 'USERNAME_ALREADY_TAKEN', message }] });
  }
  if (await db.authUser.findUnique({ where: { email: details.email }, select: { id: true } })) {
    const message = 'An account with this email address already exists.';
    throw new DomainError('CONFLICT', message, {
      fields: [{ path: 'email', code: 'EMAIL_ALREADY_REGISTERED', message }],
    });
  }
}

async function findFreeName(db: Pick<CallContext['read'], 'user'>, name: string): Promise<string | null> {
  const candidates = ENDINGS.map((ending) => name.slice(0, MAX_NAME - ending.length) + ending);
  const taken = await db.user.findMany({ where: { handle: { in: candidates } }, select: { handle: true } });
  return candidates.find((candidate) => !taken.some(({ handle }) => handle === candidate)) ?? null;
}

const ENDINGS = ['2', '3', '4', '5', '6', '7', '8', '9', '_', '.x'];
const MAX_NAME = 32;

async function insertPerson(
  call: CallContext,
  { db }: Write,
  { email, name, emailVerified }: AccountDetails,
  { passwordHash: password, ...credential }: Credential,
): Promise<User> {
  const id = call.nextId();
  const at = new Date(call.clock.now());
  const times = { createdAt: at, updatedAt: at };
  const user = await db.user.create({ data: { id, username: name, handle: name } });
  await db.authUser.create({
    data: {
      id: String(id),
      userId: id,
      name,
      email,
      emailVerified,
      ...times,
      seenAt: at,
      accounts: {
        create: { id: String(call.nextId()), accountId: String(id), ...credential, password, ...times },
      },
    },
  });
  return user;
}
