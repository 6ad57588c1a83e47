import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { actorOfCallback, actorOfFollowUp } from '../domain/interactions/index.js';
import { UNKNOWN_INTERACTIONS_PER_ADDRESS } from '../domain/limits.js';
import { findTokenActor } from '../domain/oauth/index.js';
import { isWebhookToken } from '../domain/webhooks/index.js';
import { originOf } from '../http/origins.js';
import type { FindPerson } from '../http/page-sessions.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import type { Caller } from './route.js';
import { isInPath, kindOf, type Scheme, type Shown } from './schemes.js';
import { webhookToken } from './webhook-token.js';

/**
 * Bot tokens, Bearer tokens (portal session or OAuth2) and session cookies need only a hash and batched lookups. So no
 * limit applies before their check.
 */
export function credentialSchemes(app: AppContext, findPerson: FindPerson): readonly Scheme[] {
  return [
    interactionToken(app),
    webhookToken(app),
    botToken(app),
    bearer(app, findPerson),
    otherAuthorization,
    sessionCookie(app, findPerson),
  ];
}

/**
 * The path has the interaction's id for the first response, and the application's id for follow-ups. A webhook token
 * differs in format.
 */
function interactionToken(app: AppContext): Scheme {
  return {
    in: 'path',
    of: ['interactionToken'],
    claim({ params, address }, callers) {
      if (callers.includes('webhookToken') && isWebhookToken(params.webhookToken ?? '')) return null;
      const { interactionId, interactionToken, webhookId = '', webhookToken = '' } = params;
      const token = interactionToken ?? webhookToken;
      const id = parseSnowflake(interactionId ?? webhookId) ?? 0n;
      const reader = { read: app.db.reader, applications: app.applications, now: app.clock.now() };
      const find = interactionId === undefined ? actorOfFollowUp : actorOfCallback;
      return {
        limits: [{ limit: UNKNOWN_INTERACTIONS_PER_ADDRESS, key: address, counts: 'failures' }],
        authenticate: () => find(reader, id, token),
      };
    },
  };
}

function botToken(app: AppContext): Scheme {
  return {
    in: 'header',
    of: ['bot'],
    claim(shown) {
      const token = credentialIn(shown, 'bot');
      if (token === null) return null;
      const authenticate = async () => {
        const bot = await app.botTokens.authenticate(token);
        if (!bot) throw unauthenticated();
        return bot.actor;
      };
      return { limits: [], authenticate };
    },
  };
}

function bearer(app: AppContext, findPerson: FindPerson): Scheme {
  return {
    in: 'header',
    of: ['session', 'token'],
    claim(shown, callers) {
      const token = credentialIn(shown, 'bearer');
      if (token === null) return null;
      const authenticate = async () => {
        if (callers.includes('session')) {
          const person = await findPerson({ authorization: shown.headers.authorization });
          if (person.kind === 'person') return person;
        }
        const actor = await findToken(app, token);
        if (actor) return actor;
        if (isForSessions(callers)) throw unauthenticated();
        throw new DomainError('INVALID_ACCESS_TOKEN');
      };
      return { limits: [], authenticate };
    },
  };
}

async function findToken(app: AppContext, token: string): Promise<Actor | null> {
  const exists = await app.known.oauthToken(hashSecret(token));
  return exists ? findTokenActor(app.db.reader, app.clock.now(), token) : null;
}

const otherAuthorization: Scheme = {
  in: 'header',
  of: [],
  claim({ headers }) {
    if (headers.authorization === undefined) return null;
    const authenticate = async () => {
      throw new DomainError('MALFORMED_CREDENTIAL');
    };
    return { limits: [], authenticate };
  },
};

/** Rejects other origins, because browsers attach the cookie automatically. */
function sessionCookie(app: AppContext, findPerson: FindPerson): Scheme {
  return {
    in: 'cookie',
    of: ['session'],
    claim({ headers }) {
      const authenticate = async () => {
        const person = await findPerson(headers);
        if (person.kind !== 'person') throw unauthenticated();
        if (originOf(app.addresses.publicUrl, headers) === 'foreign') {
          throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
        }
        return person;
      };
      return { limits: [], authenticate };
    },
  };
}

/**
 * Rejects a valid caller of the wrong kind. A token in the path is always accepted.
 * @throws BOTS_REFUSED, ONLY_BOTS, MISSING_SCOPE, FORBIDDEN
 */
export function requireCaller(callers: readonly Caller[], actor: Actor): void {
  if (callers.every(isInPath)) return;
  if (actor.kind === 'bot' && !callers.includes('bot')) {
    throw new DomainError('BOTS_REFUSED');
  }
  if (actor.kind !== 'token') return;
  if (isForSessions(callers)) throw new DomainError('FORBIDDEN', 'This endpoint requires a portal session');
  if (!takesTokens(callers)) throw new DomainError('ONLY_BOTS');
  const isTaken = callers.some(
    (caller) => caller === 'token' || (typeof caller === 'object' && actor.scopes.includes(caller.scope)),
  );
  if (!isTaken) throw new DomainError('MISSING_SCOPE');
}

function takesTokens(callers: readonly Caller[]): boolean {
  return callers.map(kindOf).includes('token');
}

function isForSessions(callers: readonly Caller[]): boolean {
  return callers.includes('session') && !takesTokens(callers);
}

function credentialIn({ headers }: Shown, form: 'bot' | 'bearer'): string | null {
  const [, scheme = '', token = ''] = /^(Bot|Bearer) +(\S+)$/i.exec(headers.authorization?.trim() ?? '') ?? [];
  return scheme.toLowerCase() === form ? token : null;
}

export function unauthenticated(): DomainError {
  return new DomainError('UNAUTHENTICATED', 'This endpoint requires a valid credential.');
}
