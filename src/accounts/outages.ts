import type { DBAdapter } from 'better-auth';
import { APIError } from 'better-auth/api';
import { DatabaseUnavailable, isUnavailable } from '../infra/database/faults.js';

/** Passes database outages on to the library's caller. The library logs other types of errors and responds with 500. */
export function passingOutages(adapter: DBAdapter): DBAdapter {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...query: unknown[]) => passOutage(() => Reflect.apply(member, target, query));
    },
  });
}

/** @throws {DatabaseUnavailable} */
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
