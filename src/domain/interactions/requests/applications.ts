import type { ApplicationWithBot } from '../../applications/views.js';
import type { CallContext } from '../../call.js';
import { DomainError } from '../../errors.js';

/** @throws UNKNOWN_APPLICATION */
export async function findApplication(call: CallContext, id: bigint): Promise<ApplicationWithBot> {
  const application = await call.applications.application(id);
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}
