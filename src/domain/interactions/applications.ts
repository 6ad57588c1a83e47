import type { Application } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

/** @throws UNKNOWN_APPLICATION */
export async function findApplication(call: CallContext, id: bigint): Promise<Application> {
  const application = await call.read.application.findUnique({ where: { id, deletedAt: null } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}
