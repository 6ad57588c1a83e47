import type { Application, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

/** @throws UNKNOWN_APPLICATION */
export async function findApplication(call: CallContext, id: bigint): Promise<Application & { bot: User }> {
  const application = await call.read.application.findUnique({
    where: { id, deletedAt: null },
    include: { bot: true },
  });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}
