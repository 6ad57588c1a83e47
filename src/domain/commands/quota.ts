import type { Reader, Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { limits } from '../limits.js';
import { type CommandScope, scopeIdOf } from './access.js';

export type QuotaReader = Pick<Reader, 'commandQuota'>;

const dayOf = (now: number) => Math.floor(now / DAY_MS);

/** Counts commands per scope and UTC day. @throws TOO_MANY_COMMAND_CREATES */
export async function requireCreates(
  call: CallContext,
  read: QuotaReader,
  scope: CommandScope,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const used = await read.commandQuota.findUnique({ where: { applicationId_scopeId_day: keyOf(call, scope) } });
  if ((used?.created ?? 0) + count <= limits.commandCreatesPerDay) return;
  const message = `Max number of daily application command creates has been reached (${limits.commandCreatesPerDay})`;
  throw new DomainError('TOO_MANY_COMMAND_CREATES', message);
}

/** The transaction must lock the application's stream. @throws TOO_MANY_COMMAND_CREATES */
export async function takeCreates(
  call: CallContext,
  db: Transaction,
  scope: CommandScope,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await requireCreates(call, db, scope, count);
  const key = keyOf(call, scope);
  await db.commandQuota.upsert({
    where: { applicationId_scopeId_day: key },
    create: { ...key, created: count },
    update: { created: { increment: count } },
  });
}

function keyOf({ clock }: CallContext, scope: CommandScope) {
  return { applicationId: scope.applicationId, scopeId: scopeIdOf(scope), day: dayOf(clock.now()) };
}

/** Keeps today and yesterday. @returns number of removed rows */
export async function removeOldQuotas(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.commandQuota.deleteMany({ where: { day: { lt: dayOf(now) - 1 } }, limit })).count;
}
