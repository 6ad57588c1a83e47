import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { BUS_RECONNECTED, topics } from '../infra/bus.js';
import type { Auth } from './auth.js';

const SESSION_COOKIE = /(?:^|;)\s*((?:__Secure-)?causeway\.session_token=[^;]*)/;

/**
 * The credentials in a request that may name a person's session, or null for none. Whoever sends an `Authorization` header
 * speaks through it alone: a browser adds its cookie to whatever a page makes it send.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
 */
export function sessionCredentials(headers: IncomingHttpHeaders): { authorization?: string; cookie?: string } | null {
  const { authorization } = headers;
  if (authorization !== undefined) {
    if (/^bearer +\S/i.test(authorization)) return { authorization };
    throw new DomainError('UNAUTHENTICATED', 'The Authorization header is not "Bearer" and the token of a session.');
  }
  const cookie = SESSION_COOKIE.exec(headers.cookie ?? '')?.[1];
  return cookie ? { cookie } : null;
}

const MAX_REMEMBERED = 10_000;
/** A session is read anew after this time, which also lets the accounts library prolong it. */
const REMEMBER_MS = 60_000;

type Person = Extract<Actor, { kind: 'person' }>;

/** Tells whose session a request carries. Sessions are kept in memory for a minute and dropped when their person signs out. */
export class Sessions {
  readonly #people = new LRUCache<string, Person>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS });
  #ended = 0;

  constructor(
    private readonly app: AppContext,
    private readonly auth: () => Auth,
  ) {
    app.bus.subscribe(topics.sessions, (message) =>
      message.type === BUS_RECONNECTED ? this.#forgetAll() : this.#forget(message.userId),
    );
  }

  /**
   * The person whose session the headers carry (`Authorization: Bearer`, or else the cookie), or anonymous.
   * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
   */
  async personFromHeaders(headers: IncomingHttpHeaders): Promise<Actor> {
    const credentials = sessionCredentials(headers);
    if (!credentials) return { kind: 'anonymous' };
    const key = credentials.authorization ?? credentials.cookie ?? '';
    const known = this.#people.get(key);
    if (known) return known;
    const endedBefore = this.#ended;
    const person = await this.#find(credentials);
    if (person && this.#ended === endedBefore) this.#people.set(key, person);
    return person ?? { kind: 'anonymous' };
  }

  async #find(credentials: Record<string, string>): Promise<Person | null> {
    const session = await this.auth().api.getSession({ headers: new Headers(credentials) });
    if (!session) return null;
    const user = await this.app.db.reader.user.findUnique({ where: { id: BigInt(session.user.id), deletedAt: null } });
    return user && { kind: 'person', user };
  }

  #forgetAll(): void {
    this.#ended += 1;
    this.#people.clear();
  }

  #forget(userId: string | undefined): void {
    this.#ended += 1;
    for (const [key, person] of this.#people) {
      if (String(person.user.id) === userId) this.#people.delete(key);
    }
  }
}
