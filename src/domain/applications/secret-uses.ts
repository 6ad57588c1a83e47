import { LRUCache } from 'lru-cache';
import { atMost } from '../../infra/caching/at-most.js';
import type { Clock } from '../../infra/clock.js';
import { DelayedTask } from '../../infra/concurrency/delayed-task.js';
import { chunksOf } from '../../infra/concurrency/event-loop.js';
import type { Prisma } from '../../infra/database/index.js';
import type { Logger } from '../../infra/observability/logger.js';
import type { CallContext } from '../call.js';
import { refusalIn } from '../errors.js';

/** Accuracy of the time a secret was last used, in milliseconds. */
const BEHIND_MS = 60_000;

/** Delay before uses are stored, in milliseconds. */
const GATHERED_MS = 1_000;

const MAX_REMEMBERED = 10_000;

/** Two parameters each; SQLite takes 999. */
const PER_STATEMENT = 400;

type SecretKind = 'botToken' | 'clientSecret';

type Use = [hash: string, applicationId: bigint];

interface SecretUsesParts {
  clock: Clock;
  log: Logger;
  callOfNobody: () => CallContext;
}

/**
 * Stores in the background when secrets are used, at most once a minute for each. After a failure, stores the next use
 * instead.
 */
export class SecretUses {
  readonly #noted: LRUCache<string, true>;
  #waiting = noUses();
  readonly #storing: DelayedTask;

  constructor(private readonly parts: SecretUsesParts) {
    this.#noted = new LRUCache({ ...atMost(MAX_REMEMBERED), ttl: BEHIND_MS, ttlResolution: 0, perf: parts.clock });
    this.#storing = new DelayedTask(parts.clock, () => this.#storeWaiting());
  }

  /** Runs for every request. @param hash the secret's stored form */
  note(kind: SecretKind, applicationId: bigint, hash: string): void {
    if (this.#noted.has(hash)) return;
    this.#noted.set(hash, true);
    this.#waiting[kind].push([hash, applicationId]);
    this.#storing.for(GATHERED_MS);
  }

  store(): Promise<void> {
    return this.#storing.now();
  }

  async #storeWaiting(): Promise<void> {
    const { botToken, clientSecret } = this.#waiting;
    this.#waiting = noUses();
    for (const uses of chunksOf(botToken, PER_STATEMENT)) await this.#try('botToken', uses);
    for (const uses of chunksOf(clientSecret, PER_STATEMENT)) await this.#try('clientSecret', uses);
  }

  async #try(kind: SecretKind, uses: Use[]): Promise<void> {
    try {
      await this.parts.callOfNobody().writeOne(({ application }) => application.updateMany(this.#updateOf(kind, uses)));
    } catch (error) {
      for (const [hash] of uses) this.#noted.delete(hash);
      if (!refusalIn(error)) this.parts.log.error({ err: error }, 'Could not store when secrets were last used');
    }
  }

  /** Skips secrets that were replaced in the meantime. */
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
