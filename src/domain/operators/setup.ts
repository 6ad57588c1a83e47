import { hashSecret, randomToken, secretMatches } from '../../infra/crypto/secrets.js';
import type { Reader, ReaderAndWriter } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireSession } from '../call.js';
import { DomainError } from '../errors.js';

const PURPOSE = 'setup';

/**
 * The token of the set-up link, which makes one person the first operator. If several processes start at once, they
 * get the same.
 * @returns null if there is an operator
 */
export async function openSetup({ reader, writer }: ReaderAndWriter): Promise<string | null> {
  if (await hasOperator(reader)) return null;
  await writer.$executeRaw`
    INSERT INTO "InstanceKey" ("purpose", "secret") VALUES (${PURPOSE}, ${randomToken(32)}) ON CONFLICT DO NOTHING`;
  const row = await reader.instanceKey.findUnique({ where: { purpose: PURPOSE } });
  return row?.secret ?? null;
}

async function hasOperator(reader: Pick<Reader, 'authUser'>): Promise<boolean> {
  return (await reader.authUser.count({ where: { operatorRole: 'OPERATOR' }, take: 1 })) > 0;
}

/** Whether it is the token of the set-up link, and there is no operator. */
export async function isSetupToken(reader: Pick<Reader, 'instanceKey'>, token: string): Promise<boolean> {
  const row = await reader.instanceKey.findUnique({ where: { purpose: PURPOSE } });
  return row !== null && secretMatches(token, hashSecret(row.secret));
}

/**
 * Makes the caller the first operator. The link works once.
 * @throws UNAUTHENTICATED, FORBIDDEN, NOT_FOUND if the link is wrong or was used
 */
export async function claimInstance(call: CallContext, token: string): Promise<void> {
  const { id } = requireSession(call).user;
  const claim = call.because('Used the set-up link');
  await claim.write(
    async ({ db, audit, record }) => {
      if (!(await isSetupToken(db, token))) throw used();
      // Only one of several concurrent callers deletes it.
      const { count } = await db.instanceKey.deleteMany({ where: { purpose: PURPOSE } });
      if (count === 0 || (await hasOperator(db))) throw used();
      await db.authUser.update({ where: { userId: id }, data: { operatorRole: 'OPERATOR' } });
      const changes = { role: { old: null, new: 'OPERATOR' as const } };
      await audit({ action: 'OPERATOR_UPDATE', targetId: id, changes });
      record({ type: 'PORTAL_HOME_UPDATED', userId: id });
    },
    { streams: [topics.user(id)] },
  );
}

function used(): DomainError {
  return new DomainError('NOT_FOUND', 'This set-up link is invalid or was used already.');
}
