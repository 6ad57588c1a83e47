import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { requireOperator } from '../operators/access.js';
import { deletionKey } from './begin.js';
import { DeletionPayload } from './payload.js';

export interface DeletionProgress {
  /** A failed job leaves rows behind; its error is in the log of the process. */
  state: 'RUNNING' | 'DONE' | 'FAILED';
  /** Messages that are still to be removed. */
  messages: number;
  /** Servers that the person is still to leave. */
  servers: number;
}

/** @throws NOT_FOUND, UNKNOWN_USER unless the person was deleted */
export async function getDeletionProgress(call: CallContext, personId: bigint): Promise<DeletionProgress> {
  await requireOperator(call, 'MODERATOR');
  const { read } = call;
  const where = { id: personId, bot: false, deletedAt: { not: null } };
  if (!(await read.user.findFirst({ where, select: { id: true } }))) throw new DomainError('UNKNOWN_USER');
  const job = await read.job.findUnique({ where: { key: deletionKey(personId) } });
  if (!job) return { state: (await hasFailed(call, personId)) ? 'FAILED' : 'DONE', messages: 0, servers: 0 };
  const { withMessages } = DeletionPayload.parse(job.payload);
  const messages = withMessages ? await read.message.count({ where: { authorId: personId } }) : 0;
  return { state: 'RUNNING', messages, servers: await read.member.count({ where: { userId: personId } }) };
}

async function hasFailed({ read }: CallContext, personId: bigint): Promise<boolean> {
  const failed = await read.job.findMany({ where: { kind: 'delete-person', diedAt: { not: null } } });
  return failed.some(({ payload }) => DeletionPayload.parse(payload).personId === String(personId));
}
