import type { Reader } from '../../infra/database/index.js';
import { requirePassword } from '../accounts/password.js';
import { actorIdOf, type CallContext, requireSession } from '../call.js';
import { DATA_EXPORTS_PER_PERSON } from '../limits.js';
import { findPerson, requireOperator } from '../operators/access.js';
import { takeLimit } from '../rate-limits.js';

/** The person it is about, the command line of the machine, or the operator with this id may download it. */
export type ExportedFor = 'self' | 'machine' | bigint;

export interface DataExport {
  personId: bigint;
  exportedFor: ExportedFor;
}

/**
 * Mails the caller, because another person may have their password.
 * @throws UNAUTHENTICATED, FORBIDDEN, RATE_LIMITED, CONFLICT without a password, INVALID_INPUT at `password`
 */
export async function requestDataExport(call: CallContext, password: string): Promise<DataExport> {
  const { user } = requireSession(call);
  const tooMany = (seconds: number) => `Too many attempts; try again in ${seconds} s.`;
  await takeLimit(call, DATA_EXPORTS_PER_PERSON, String(user.id), tooMany);
  await requirePassword(call, user.id, password);
  await call.write(async ({ db, mail }) => {
    const { email } = await findPerson(db, user.id);
    mail({
      to: email,
      subject: 'Your data is being downloaded',
      text: `Someone, probably you, requested a download of all data of ${user.username}.

If this was not you, change your password:
${call.portalUrl}/account
`,
    });
  });
  return { personId: user.id, exportedFor: 'self' };
}

/** @throws NOT_FOUND for everyone but operators, UNKNOWN_USER */
export async function exportPerson(
  call: CallContext,
  { personId, reason }: { personId: bigint; reason: string },
): Promise<DataExport> {
  await requireOperator(call, 'OPERATOR');
  await call.because(reason).write(async ({ db, audit }) => {
    await requireOperator(call, 'OPERATOR', db);
    await findPerson(db, personId);
    await audit({ action: 'PERSON_EXPORT', targetId: personId });
  });
  return { personId, exportedFor: actorIdOf(call.actor) ?? 'machine' };
}

/**
 * Whether the archive may still be sent: not after a deletion, to a suspended person, after a change of the password,
 * or to someone who is no operator any more.
 * @param requestedAt in milliseconds, rounded down to seconds
 */
export async function isExportable(
  read: Pick<Reader, 'authUser'>,
  { personId, exportedFor }: DataExport,
  requestedAt: number,
): Promise<boolean> {
  const where = { userId: personId, user: { deletedAt: null } };
  const account = await read.authUser.findUnique({ where, include: { accounts: { select: { updatedAt: true } } } });
  if (!account) return false;
  if (exportedFor === 'machine') return true;
  if (exportedFor === 'self') {
    const isSince = ({ updatedAt }: { updatedAt: Date }) => updatedAt.getTime() >= requestedAt + 1_000;
    return account.suspendedAt === null && !account.accounts.some(isSince);
  }
  const operator = { userId: exportedFor, operatorRole: 'OPERATOR', suspendedAt: null } as const;
  return (await read.authUser.findUnique({ where: operator, select: { id: true } })) !== null;
}

export interface ExportFigures {
  messages: number;
  files: number;
}

/** Counts what the archive will contain. The caller must be the person or an operator. */
export async function figuresOfExport({ read }: CallContext, personId: bigint): Promise<ExportFigures> {
  const [messages, ofMessages, ofInteractions] = await Promise.all([
    read.message.count({ where: { authorId: personId } }),
    read.attachment.count({ where: { message: { authorId: personId } } }),
    read.interactionFile.count({ where: { accountId: personId } }),
  ]);
  return { messages, files: ofMessages + ofInteractions };
}
