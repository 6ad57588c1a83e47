import type { Application } from '../../infra/database/index.js';
import { invalidInput } from '../errors.js';

/**
 * @param path of the name in the caller's input
 * @throws INVALID_INPUT unless it equals the application's name
 */
export function checkTypedName(application: Application, typed: string, path: string): void {
  if (typed === application.name) return;
  const message = 'Must match the application name exactly.';
  throw invalidInput({ path, code: 'APPLICATION_NAME_MISMATCH', message });
}
