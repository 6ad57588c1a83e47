import type { DBAdapter } from 'better-auth';
import { APIError } from 'better-auth/api';
import { DatabaseUnavailable, isUnavailable } from '../infra/database/faults.js';

/**
 * Wraps the accounts library's database adapter so that an outage of the database reaches whoever asked the library: errors
 * that are not of its own kind it logs, each anew, and answers as internal ones.
 */
export function passingOutages(adapter: DBAdapter): DBAdapter {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...query: unknown[]) => passOutage(() => Reflect.apply(member, target, query));
    },
  });
}

/** An answer of the accounts library. @throws {DatabaseUnavailable} where it tells of an outage */
export function withoutOutage(response: Response): Response {
  if (response.status === UNAVAILABLE) throw new DatabaseUnavailable(null, false);
  return response;
}

const UNAVAILABLE = 503;

async function passOutage(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (cause) {
    throw isUnavailable(cause) ? Object.assign(new APIError('SERVICE_UNAVAILABLE'), { cause }) : cause;
  }
}
