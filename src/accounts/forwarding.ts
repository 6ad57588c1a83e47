import type { AppContext } from '../context.js';
import type { Visitor } from '../http/page-sessions.js';
import { ADDRESS_HEADER } from './address-header.js';
import { cookiesByNewest } from './cookie-keys.js';
import { sessionCredentials } from './sessions.js';

const MAX_USER_AGENT = 512;

/**
 * Forwards only the necessary headers. With a body, the request is a POST.
 * @throws UNAUTHENTICATED
 */
export function requestFor(app: AppContext, path: string, { address, headers }: Visitor, body?: unknown): Request {
  const { cookie, 'user-agent': userAgent } = headers;
  const authorization = sessionCredentials(headers)?.authorization;
  const forwarded = new Headers({ [ADDRESS_HEADER]: address });
  if (authorization) forwarded.set('authorization', authorization);
  else if (cookie) forwarded.set('cookie', cookiesByNewest(app.keys.accounts, cookie));
  if (userAgent) forwarded.set('user-agent', userAgent.slice(0, MAX_USER_AGENT));
  const url = `${app.addresses.publicUrl}${path}`;
  if (body === undefined) return new Request(url, { headers: forwarded });
  forwarded.set('content-type', 'application/json');
  return new Request(url, { method: 'POST', headers: forwarded, body: JSON.stringify(body) });
}
