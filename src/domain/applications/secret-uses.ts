import { LRUCache } from 'lru-cache';
import type { Clock } from '../../infra/clock.js';
import type { Prisma } from '../../infra/database/index.js';
import type { Logger } from '../../infra/logger.js';
import { atMost } from '../../infra/memory.js';
import { PutOff } from '../../infra/put-off.js';
import { inPieces } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';

/** How far behind it may be when a secret was last used, in milliseconds. */
const BEHIND_MS = 60_000;

/** How long uses are gathered before they are stored, in milliseconds. */
const GATHERED_MS = 1_000;

const MAX_REMEMBERED = 10_000;

/** Secrets of one statement, each of which has two parameters: SQLite takes 999. */
const PER_STATEMENT = 400;

/** A secret of an application's. */
type SecretKind = 'botToken' | 'clientSecret';

/** A secret that was accepted, by its stored form, and whose it is. */
type Use = [hash: string, applicationId: bigint];

interface SecretUsesParts {
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/**
 * Notes when secrets of applications are used: of each once a minute at most, and many with one statement, while nobody waits. A use
 * that cannot be stored fails nothing; the next one is noted instead.
 */
export class SecretUses {
  /** The stored forms of secrets whose use was noted within the last minute. */
  readonly #noted: LRUCache<string, true>;
  #waiting = noUses();
  readonly #storing: PutOff;

  constructor(private readonly parts: SecretUsesParts) {
    this.#noted = new LRUCache({ ...atMost(MAX_REMEMBERED), ttl: BEHIND_MS, ttlResolution: 0, perf: parts.clock });
    this.#storing = new PutOff(parts.clock, () => this.#storeWaiting());
  }

  /**
   * A secret was accepted. This is on the way of every request.
   * @param hash the secret's stored form
   */
  note(kind: SecretKind, applicationId: bigint, hash: string): void {
    if (this.#noted.has(hash)) return;
    this.#noted.set(hash, true);
    this.#waiting[kind].push([hash, applicationId]);
    this.#storing.for(GATHERED_MS);
  }

  /** Stores what was noted. Settles when nothing is under way any more. */
  store(): Promise<void> {
    return this.#storing.now();
  }

  async #storeWaiting(): Promise<void> {
    const { botToken, clientSecret } = this.#waiting;
    this.#waiting = noUses();
    for (const uses of inPieces(botToken, PER_STATEMENT)) await this.#try('botToken', uses);
    for (const uses of inPieces(clientSecret, PER_STATEMENT)) await this.#try('clientSecret', uses);
  }

  async #try(kind: SecretKind, uses: Use[]): Promise<void> {
    try {
      await this.parts.callOfNobody().writeOne(({ application }) => application.updateMany(this.#updateOf(kind, uses)));
    } catch (error) {
      for (const [hash] of uses) this.#noted.delete(hash);
      if (!refusalIn(error)) this.parts.log.error({ err: error }, 'when secrets were last used could not be stored');
    }
  }

  /** One that was replaced meanwhile was not used, whatever its predecessor was. */
  #updateOf(kind: SecretKind, uses: Use[]): Prisma.ApplicationUpdateManyArgs {
    const [hashes, ids] = [uses.map(([hash]) => hash), uses.map(([, id]) => id)];
    const now = new Date(this.parts.clock.now());
    switch (kind) {
      case 'botToken':
        return { where: { id: { in: ids }, botTokenHash: { in: hashes } }, data: { botTokenLastUsedAt: now } };
      case 'clientSecret':
        return { where: { id: { in: ids }, clientSecretHash: { in: hashes } }, data: { clientSecretLastUsedAt: now } };
    }
  }
}

function noUses(): Record<SecretKind, Use[]> {
  return { botToken: [], clientSecret: [] };
}
