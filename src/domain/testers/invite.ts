import type { Tester, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { accessApplication } from '../applications/access.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { findInviteeByEmail, withinInvitationLimit } from '../invitation-limits.js';
import { limits } from '../limits.js';
import type { TesterRecord } from './list.js';
import { mailTesterInvitation } from './mails.js';

/** Exactly one of `userId` and `email` must be set. */
export interface InviteTesterInput {
  applicationId: bigint;
  userId?: bigint | null | undefined;
  email?: string | null | undefined;
}

/**
 * Callers who invite themselves accept at once.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, UNKNOWN_USER, INVALID_INPUT (also for an address
 * without an account), LIMIT_EXCEEDED, RATE_LIMITED, CONFLICT for a listed tester
 */
export async function inviteTester(call: CallContext, input: InviteTesterInput): Promise<TesterRecord> {
  const inviter = requirePerson(call);
  const application = await accessApplication(call, input.applicationId, 'manageTesters');
  const invitee = await findInvitee(call, input);
  const state = invitee.id === inviter.user.id ? 'ACCEPTED' : 'INVITED';
  const row = { applicationId: application.id, userId: invitee.id, state } as const;
  const streams = [topics.application(row.applicationId), topics.user(row.userId)];
  const put = () => call.write((write) => putTester(call, write, row), { streams });
  const tester = await (state === 'INVITED' ? withinInvitationLimit(call, invitee.id, put) : put());
  return { ...tester, user: invitee };
}

type TesterRow = Pick<Tester, 'applicationId' | 'userId' | 'state'>;

async function findInvitee(call: CallContext, { userId, email }: InviteTesterInput): Promise<User> {
  if ((userId ?? null) === null && (email ?? null) === null) throw hasNoTarget('BASE_TYPE_REQUIRED');
  if (typeof userId === 'bigint' && typeof email === 'string') throw hasNoTarget('BASE_TYPE_INVALID');
  if (typeof email === 'string') return findInviteeByEmail(call, email);
  const invitee = await call.read.user.findFirst({ where: { id: userId ?? 0n, bot: false, deletedAt: null } });
  if (!invitee) throw new DomainError('UNKNOWN_USER');
  return invitee;
}

function hasNoTarget(code: string): DomainError {
  return invalidInput({ path: 'userId', code, message: 'Enter either a user ID or an email address.' });
}

async function putTester(call: CallContext, write: Write, row: TesterRow): Promise<Tester> {
  const { db, record, audit } = write;
  const { applicationId, userId, state } = row;
  const { user: inviter } = requirePerson(call);
  const application = await accessApplication(call, applicationId, 'manageTesters', db);
  const where = { applicationId_userId: { applicationId, userId } };
  const listed = await db.tester.findUnique({ where });
  if (listed && (listed.state === 'ACCEPTED' || state === 'INVITED')) {
    throw new DomainError('CONFLICT', 'This user is already a tester or has a pending invitation.');
  }
  if (!listed) await requireCapacity(db, applicationId);
  const createdAt = new Date(call.clock.now());
  const tester = await db.tester.upsert({
    where,
    create: { ...row, inviterId: inviter.id, createdAt },
    update: { state },
  });
  const changes = { state: { old: listed?.state ?? null, new: state } };
  await audit({ action: 'TESTER_INVITE', applicationId, targetId: userId, changes });
  record({ type: 'TESTERS_UPDATED', applicationId });
  record({ type: 'PORTAL_HOME_UPDATED', userId });
  if (state === 'INVITED') await mailTesterInvitation(call, write, { inviteeId: userId, application, inviter });
  return tester;
}

async function requireCapacity(db: Write['db'], applicationId: bigint): Promise<void> {
  if ((await db.tester.count({ where: { applicationId } })) < limits.testersPerApplication) return;
  const message = `Maximum number of testers reached (${limits.testersPerApplication})`;
  throw new DomainError('LIMIT_EXCEEDED', message);
}
