import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type AppContext, callContext } from '../context.js';
import { isSeenAgain, noteSeen } from '../domain/accounts/index.js';
import type { Heard } from '../domain/bus-message.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { COOKIE_PREFIX } from '../http/page-sessions.js';
import { atMost } from '../infra/caching/at-most.js';
import { CACHE_MS } from '../infra/caching/subscribed-cache.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import type { Auth } from './auth.js';
import { cookiesByNewest } from './cookie-keys.js';

const SESSION_COOKIE = new RegExp(`(?:^|;)\\s*((?:__Secure-)?${COOKIE_PREFIX}\\.session_token=[^;]*)`);

interface Credentials {
  authorization?: string;
  cookie?: string;
}

/**
 * An `Authorization` header overrides the cookie, which browsers send automatically.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
 */
export function sessionCredentials(headers: IncomingHttpHeaders): Credentials | null {
  const { authorization } = headers;
  if (authorization !== undefined) {
    if (/^bearer +\S/i.test(authorization)) return { authorization };
    throw new DomainError('UNAUTHENTICATED', 'The Authorization header must be "Bearer" followed by a session token.');
  }
  const cookie = SESSION_COOKIE.exec(headers.cookie ?? '')?.[1];
  return cookie ? { cookie } : null;
}

/** The stored hash of the session in the headers, unchecked; null without one. */
export function sessionHash(headers: IncomingHttpHeaders): string | null {
  const { authorization, cookie } = sessionCredentials(headers) ?? {};
  const bearer = authorization === undefined ? undefined : SESSION_TOKEN.exec(authorization.trim())?.[1];
  const token = bearer ?? /=([\w-]+)/.exec(cookie ?? '')?.[1];
  return token === undefined ? null : hashSecret(token);
}

const SESSION_TOKEN = /^bearer +([\w-]+)(?:\.[^\s.]+)?$/i;

const MAX_REMEMBERED = 10_000;

type Person = Extract<Actor, { kind: 'person' }>;

/** Caches sessions for half a minute, or until the user signs out or changes. */
export class Sessions {
  readonly #people: LRUCache<string, Person>;
  /** Deduplicates concurrent reads. */
  readonly #finding = new Map<string, Promise<Person | null>>();

  constructor(
    private readonly app: AppContext,
    private readonly auth: () => Promise<Auth>,
  ) {
    // The expiry also lets the library extend the session.
    this.#people = new LRUCache({ ...atMost(MAX_REMEMBERED), ttl: CACHE_MS, ttlResolution: 0, perf: app.clock });
    const hear = (message: Heard) => (message.type === STREAM_GAP ? this.#forgetAll() : this.#forget(message.userId));
    app.bus.subscribe(topics.sessions, hear, { early: true });
  }

  /** @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session */
  async personFromHeaders(headers: IncomingHttpHeaders): Promise<Actor> {
    const credentials = sessionCredentials(headers);
    if (!credentials) return { kind: 'anonymous' };
    const key = credentials.authorization ?? credentials.cookie ?? '';
    const known = this.#people.get(key);
    if (known) return known;
    const finding = this.#finding.get(key) ?? this.#find(key, credentials);
    return (await finding) ?? { kind: 'anonymous' };
  }

  #find(key: string, credentials: Credentials): Promise<Person | null> {
    const isCurrent = () => this.#finding.get(key) === finding;
    const finding: Promise<Person | null> = this.#read(key, credentials, isCurrent).finally(() => {
      if (isCurrent()) this.#finding.delete(key);
    });
    this.#finding.set(key, finding);
    return finding;
  }

  /** @param isCurrent false if a session changed during the read; the result must not be cached then */
  async #read(key: string, credentials: Credentials, isCurrent: () => boolean): Promise<Person | null> {
    if (credentials.authorization !== undefined && !(await this.#mayName(credentials.authorization))) return null;
    const { api } = await this.auth();
    const { authorization, cookie } = credentials;
    const found = await api.getSession({
      headers: new Headers({
        ...(authorization !== undefined && { authorization }),
        ...(cookie !== undefined && { cookie: cookiesByNewest(this.app.keys.accounts, cookie) }),
      }),
    });
    if (!found) return null;
    const row = await this.app.db.reader.user.findUnique({
      where: { id: BigInt(found.user.id), deletedAt: null, account: { suspendedAt: null } },
      include: { account: { select: { seenAt: true } } },
    });
    if (!row) return null;
    const { account, ...user } = row;
    await this.#noteSeen(user.id, account?.seenAt ?? null);
    const person: Person = { kind: 'person', user };
    // The library's times are real.
    const left = found.session.expiresAt.getTime() - this.app.connectionClock.now();
    if (left > 0 && isCurrent()) this.#people.set(key, person, { ttl: Math.min(CACHE_MS, left) });
    return person;
  }

  /** Failed writes must not refuse the user. */
  async #noteSeen(userId: bigint, seenAt: Date | null): Promise<void> {
    const { clock, log } = this.app;
    if (!isSeenAgain(seenAt, clock.now())) return;
    try {
      await callContext(this.app, { kind: 'anonymous' }).writeOne((db) => noteSeen(db, userId, clock.now()));
    } catch (error) {
      log.warn({ err: error }, 'Could not store when a user was last seen');
    }
  }

  /** Rejects unknown bearer tokens. Cookies are signed, so the library checks them first. */
  async #mayName(authorization: string): Promise<boolean> {
    const token = SESSION_TOKEN.exec(authorization.trim())?.[1];
    return token !== undefined && this.app.known.session(hashSecret(token));
  }

  #forgetAll(): void {
    this.#finding.clear();
    this.#people.clear();
  }

  #forget(userId: string | undefined): void {
    this.#finding.clear();
    for (const [key, person] of this.#people) {
      if (String(person.user.id) === userId) this.#people.delete(key);
    }
  }
}
