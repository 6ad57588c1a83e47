import { LRUCache } from 'lru-cache';
import { atMost } from '../../infra/caching/at-most.js';
import { joinLookups } from '../../infra/caching/joined-lookups.js';
import { CACHE_MS } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { hashSecret, secretMatches } from '../../infra/crypto/secrets.js';
import type { AuthUser, PersonalToken, Reader, Transaction, User } from '../../infra/database/index.js';
import { STREAM_GAP } from '../../infra/streams/stream.js';
import { topics } from '../../infra/streams/topics.js';
import type { EventBus, Heard } from '../bus-message.js';
import type { Actor, Uses } from '../call.js';

type Person = Extract<Actor, { kind: 'person' }>;

type Found = PersonalToken & { user: User & { account: Pick<AuthUser, 'suspendedAt'> | null } };

interface PersonalTokensParts {
  read: Reader;
  bus: Pick<EventBus, 'subscribe'>;
  clock: Clock;
  /** Time of each token's last use. */
  uses: Uses;
}

const MAX_REMEMBERED = 10_000;

/** Caches tokens for half a minute, or until one of the person's tokens or sessions ends. */
export class PersonalTokens {
  readonly #known: LRUCache<string, Found>;
  readonly #look: (hash: string) => Promise<Found | null>;
  /** Changes when a token may have ended. A lookup that began before is not cached. */
  #round = 0;

  constructor(private readonly parts: PersonalTokensParts) {
    const { read, bus, clock } = parts;
    this.#known = new LRUCache({ ...atMost(MAX_REMEMBERED), ttl: CACHE_MS, ttlResolution: 0, perf: clock });
    this.#look = joinLookups(async (hashes: string[]) => {
      const user = { include: { account: { select: { suspendedAt: true } } } };
      const rows = await read.personalToken.findMany({ where: { hash: { in: hashes } }, include: { user } });
      return new Map(rows.map((row) => [row.hash, row]));
    });
    bus.subscribe(topics.sessions, (message) => this.#forget(message), { early: true });
  }

  /** Null if the token is unknown or expired. Made-up tokens are looked up in batches. */
  async authenticate(token: string): Promise<Person | null> {
    const hash = hashSecret(token);
    const found = this.#known.get(hash) ?? (await this.#find(hash));
    if (!found || !secretMatches(token, found.hash) || found.user.deletedAt !== null) return null;
    if (found.user.account?.suspendedAt != null) return null;
    if (found.expiresAt !== null && found.expiresAt.getTime() <= this.parts.clock.now()) return null;
    this.parts.uses.note(found.id);
    const { account: _, ...user } = found.user;
    return { kind: 'person', user, personalTokenId: found.id, forOperator: found.forOperator };
  }

  async #find(hash: string): Promise<Found | null> {
    const round = this.#round;
    const found = await this.#look(hash);
    if (found && round === this.#round) this.#known.set(hash, found);
    return found;
  }

  #forget(message: Heard): void {
    this.#round += 1;
    for (const [hash, { userId }] of this.#known) {
      if (message.type === STREAM_GAP || String(userId) === message.userId) this.#known.delete(hash);
    }
  }
}

/** Keeps a later stored time. */
export async function storePersonalTokenUse(db: Transaction, id: bigint, usedAt: Date): Promise<void> {
  const isEarlier = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: usedAt } }] };
  await db.personalToken.updateMany({ where: { id, ...isEarlier }, data: { lastUsedAt: usedAt } });
}
