import type { Application, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { accessApplication } from './access.js';
import { newBotToken, newClientSecret } from './new-secrets.js';

/**
 * The old token stops working at once, and its gateway sessions end.
 * @returns the new token, which is never shown again
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS
 */
export async function resetBotToken(
  call: CallContext,
  applicationId: bigint,
): Promise<{ application: Application; botToken: string }> {
  const { token, columns } = newBotToken(call, applicationId);
  const reset = async (write: Write) => {
    await accessApplication(call, applicationId, 'resetBotToken', write.db);
    return replace(write, 'BOT_TOKEN_RESET', applicationId, columns);
  };
  return { application: await call.write(reset, { streams: [topics.application(applicationId)] }), botToken: token };
}

/**
 * The old secret stops working at once.
 * @returns the new secret, which is never shown again
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS
 */
export async function resetClientSecret(
  call: CallContext,
  applicationId: bigint,
): Promise<{ application: Application; clientSecret: string }> {
  const { secret, columns } = newClientSecret(call);
  const reset = async (write: Write) => {
    await accessApplication(call, applicationId, 'resetClientSecret', write.db);
    return replace(write, 'CLIENT_SECRET_RESET', applicationId, columns);
  };
  return {
    application: await call.write(reset, { streams: [topics.application(applicationId)] }),
    clientSecret: secret,
  };
}

async function replace(
  { db, record, audit }: Write,
  action: 'BOT_TOKEN_RESET' | 'CLIENT_SECRET_RESET',
  id: bigint,
  data: Prisma.ApplicationUncheckedUpdateInput,
): Promise<Application> {
  const changed = await db.application.update({ where: { id }, data });
  await audit({ action, applicationId: id, targetId: id });
  record({ type: action, applicationId: id });
  return changed;
}
