import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { beginDeletion } from './begin.js';
import { keptMail } from './mails.js';
import { findOwned, ownsSomething } from './owned.js';

/**
 * Deletes the accounts whose time has come. Idempotent. A failure does not keep the others waiting.
 * @throws {AggregateError} of the failures @throws `signal.reason` when aborted
 */
export async function deleteDueAccounts(call: CallContext, signal: AbortSignal): Promise<void> {
  const where = { deletionAt: { lte: new Date(call.clock.now()) } };
  const due = await call.read.authUser.findMany({ where, select: { userId: true }, orderBy: { userId: 'asc' } });
  const failures: unknown[] = [];
  for (const { userId } of due) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    try {
      await call.write((write) => deleteIfDue(call, write, userId), { streams: [topics.user(userId)] });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} accounts could not be deleted`);
}

/** Keeps an account that owns something, or whose owner became an operator. */
async function deleteIfDue(call: CallContext, write: Write, userId: bigint): Promise<void> {
  const account = await write.db.authUser.findUnique({ where: { userId }, include: { user: true } });
  if (!account?.deletionAt || account.deletionAt.getTime() > call.clock.now()) return;
  const owned = await findOwned(write.db, userId);
  const isOperator = account.operatorRole !== null;
  if (!isOperator && !ownsSomething(owned)) return beginDeletion(call, write, account, { withMessages: false });
  await write.db.authUser.update({ where: { userId }, data: { deletionAt: null } });
  write.record({ type: 'PERSON_UPDATED', userId });
  write.record({ type: 'PORTAL_HOME_UPDATED', userId });
  if (!isOperator) write.mail(keptMail(call, account, owned));
}
