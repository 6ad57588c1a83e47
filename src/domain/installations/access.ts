import type { Application, Transaction } from '../../infra/database/index.js';
import { ACTIVE } from '../applications/views.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { isAcceptedTester } from '../testers/access.js';

/**
 * Only accepted testers can install a private application.
 * @throws UNKNOWN_APPLICATION
 */
export async function findInstallable(call: CallContext, applicationId: bigint): Promise<Application> {
  const application = await call.read.application.findUnique({ where: { id: applicationId, ...ACTIVE } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  if (!application.public && !(await isTester(call, applicationId))) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}

async function isTester({ actor, read }: CallContext, applicationId: bigint): Promise<boolean> {
  return actor.kind === 'person' && isAcceptedTester(read, applicationId, actor.user.id);
}

/**
 * The transaction must lock the application's stream.
 * @throws the error from `refusal` if the application is deleted or suspended
 */
export async function requireStillThere(
  db: Transaction,
  applicationId: bigint,
  refusal = () => new DomainError('UNKNOWN_APPLICATION'),
): Promise<void> {
  const where = { id: applicationId, ...ACTIVE };
  if (!(await db.application.findUnique({ where, select: { id: true } }))) throw refusal();
}
