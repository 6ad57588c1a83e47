import type { IncomingHttpHeaders } from 'node:http';
import type { AppContext, FindPerson } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { findTokenActor } from '../domain/oauth/index.js';
import { originOf } from '../infra/origins.js';
import type { Caller } from './route.js';

/** Recognises callers by their headers. */
export class Credentials {
  constructor(
    private readonly app: AppContext,
    private readonly findPerson: FindPerson,
  ) {}

  /**
   * Who calls a route that takes `callers`.
   * @throws UNAUTHENTICATED for no credential or a dead one, MALFORMED_CREDENTIAL for text that is none,
   *   INVALID_ACCESS_TOKEN, and for a caller whom the route does not take BOTS_REFUSED, ONLY_BOTS or MISSING_SCOPE
   */
  async authenticate(callers: readonly Caller[], headers: IncomingHttpHeaders): Promise<Actor> {
    if (callers.length === 0) return { kind: 'anonymous' };
    const { authorization } = headers;
    if (authorization === undefined) return this.#byCookie(callers, headers);
    const credential = /^(Bot|Bearer) +(\S+)$/i.exec(authorization.trim());
    if (!credential) throw new DomainError('MALFORMED_CREDENTIAL', 'Invalid authentication token');
    const [, scheme = '', token = ''] = credential;
    return scheme.toLowerCase() === 'bot' ? this.#byBotToken(callers, token) : this.#byBearer(callers, headers, token);
  }

  async #byBotToken(callers: readonly Caller[], token: string): Promise<Actor> {
    const bot = await this.app.botTokens.authenticate(token);
    if (!bot) throw unauthenticated();
    if (!callers.includes('bot')) throw new DomainError('BOTS_REFUSED', 'Bots cannot use this endpoint');
    return bot.actor;
  }

  async #byBearer(callers: readonly Caller[], headers: IncomingHttpHeaders, token: string): Promise<Actor> {
    if (callers.includes('session')) {
      const person = await this.findPerson({ authorization: headers.authorization });
      if (person.kind === 'person') return person;
    }
    const takesTokens = callers.some((caller) => caller === 'token' || typeof caller === 'object');
    const isForSessions = callers.includes('session') && !takesTokens;
    const actor = await findTokenActor(this.app.db.reader, this.app.clock.now(), token);
    if (!actor && isForSessions) throw unauthenticated();
    if (!actor) throw new DomainError('INVALID_ACCESS_TOKEN', 'Invalid OAuth2 access token provided');
    if (isForSessions) throw new DomainError('FORBIDDEN', 'This endpoint needs a portal session');
    if (!takesTokens) throw new DomainError('ONLY_BOTS', 'Only bots can use this endpoint');
    const isTaken = callers.some(
      (caller) => caller === 'token' || (typeof caller === 'object' && actor.scopes.includes(caller.scope)),
    );
    if (!isTaken) throw new DomainError('MISSING_SCOPE', 'Missing required OAuth2 scope');
    return actor;
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

function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'A valid credential is needed.');
}
