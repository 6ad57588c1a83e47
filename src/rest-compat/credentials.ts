import type { IncomingHttpHeaders } from 'node:http';
import type { AppContext } from '../context.js';
import type { FindPerson } from '../domain/accounts/index.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { findTokenActor } from '../domain/oauth/index.js';
import { originOf } from '../http/origins.js';
import { hashSecret } from '../infra/secrets.js';
import type { Caller } from './route.js';

/** Recognises callers by their headers. */
export class Credentials {
  constructor(
    private readonly app: AppContext,
    private readonly findPerson: FindPerson,
  ) {}

  /**
   * Whose credential the headers carry, of those that a route which takes `callers` could mean; {@link requireCaller} tells
   * whether it takes that one. Where a route takes everybody, a bot is known all the same, so that it is not counted as a stranger.
   * @throws UNAUTHENTICATED for no credential or a dead one, MALFORMED_CREDENTIAL for text that is none, INVALID_ACCESS_TOKEN,
   *   FORBIDDEN for a cookie that a page of another site makes a browser send
   */
  async identify(callers: readonly Caller[], headers: IncomingHttpHeaders): Promise<Actor> {
    const { authorization } = headers;
    if (callers.length === 0) return this.#botOrNobody(authorization);
    if (authorization === undefined) return this.#byCookie(callers, headers);
    const credential = credentialIn(authorization);
    if (!credential) throw new DomainError('MALFORMED_CREDENTIAL');
    const { scheme, token } = credential;
    return scheme === 'bot' ? this.#byBotToken(token) : this.#byBearer(callers, headers, token);
  }

  async #botOrNobody(authorization: string | undefined): Promise<Actor> {
    const credential = credentialIn(authorization ?? '');
    const bot = credential?.scheme === 'bot' ? await this.app.botTokens.authenticate(credential.token) : null;
    return bot?.actor ?? { kind: 'anonymous' };
  }

  async #byBotToken(token: string): Promise<Actor> {
    const bot = await this.app.botTokens.authenticate(token);
    if (!bot) throw unauthenticated();
    return bot.actor;
  }

  async #byBearer(callers: readonly Caller[], headers: IncomingHttpHeaders, token: string): Promise<Actor> {
    if (callers.includes('session')) {
      const person = await this.findPerson({ authorization: headers.authorization });
      if (person.kind === 'person') return person;
    }
    const exists = await this.app.known.oauthToken(hashSecret(token));
    const actor = exists ? await findTokenActor(this.app.db.reader, this.app.clock.now(), token) : null;
    if (actor) return actor;
    if (isForSessions(callers)) throw unauthenticated();
    throw new DomainError('INVALID_ACCESS_TOKEN');
  }

  /** A browser sends its cookie by itself: what another site's page makes it send is not the person's wish. */
  async #byCookie(callers: readonly Caller[], headers: IncomingHttpHeaders): Promise<Actor> {
    if (!callers.includes('session')) throw unauthenticated();
    const person = await this.findPerson(headers);
    if (person.kind !== 'person') throw unauthenticated();
    if (originOf(this.app.addresses.publicUrl, headers) === 'foreign') {
      throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
    }
    return person;
  }
}

/**
 * Refuses whom a route does not take, good credential or not.
 * @throws BOTS_REFUSED, ONLY_BOTS, MISSING_SCOPE, FORBIDDEN
 */
export function requireCaller(callers: readonly Caller[], actor: Actor): void {
  if (actor.kind === 'bot' && callers.length > 0 && !callers.includes('bot')) {
    throw new DomainError('BOTS_REFUSED');
  }
  if (actor.kind !== 'token') return;
  if (isForSessions(callers)) throw new DomainError('FORBIDDEN', 'This endpoint needs a portal session');
  if (!takesTokens(callers)) throw new DomainError('ONLY_BOTS');
  const isTaken = callers.some(
    (caller) => caller === 'token' || (typeof caller === 'object' && actor.scopes.includes(caller.scope)),
  );
  if (!isTaken) throw new DomainError('MISSING_SCOPE');
}

function takesTokens(callers: readonly Caller[]): boolean {
  return callers.some((caller) => caller === 'token' || typeof caller === 'object');
}

function isForSessions(callers: readonly Caller[]): boolean {
  return callers.includes('session') && !takesTokens(callers);
}

function credentialIn(authorization: string): { scheme: 'bot' | 'bearer'; token: string } | null {
  const [, scheme = '', token = ''] = /^(Bot|Bearer) +(\S+)$/i.exec(authorization.trim()) ?? [];
  if (token === '') return null;
  return { scheme: scheme.toLowerCase() === 'bot' ? 'bot' : 'bearer', token };
}

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'A valid credential is needed.');
}
