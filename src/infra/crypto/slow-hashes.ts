import { availableParallelism } from 'node:os';
import { Lazy } from '../caching/lazy.js';
import { Quota } from '../concurrency/quota.js';
import { type Release, Semaphore } from '../concurrency/semaphore.js';
import { randomToken } from './secrets.js';

/**
 * argon2id (RFC 9106) with 8 MiB and three passes takes one core about 10 ms. The hashed secrets are random, so the
 * cost only has to slow down guesses.
 */
const COST = { memoryCost: 8 * 1024, timeCost: 3, parallelism: 1 };

/** Little more than one second of checks. */
const CHECKS_WAITING = 128;

/** Limit of running and queued checks per client. */
const CHECKS_OF_ONE = 64;

/** Leaves one core to the event loop, and two of the four threads in Node's pool to files and DNS lookups. */
const CHECKS_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));

/** Prefix of stored hashes. The library rejects other text. */
const STORED = /^\$argon2id\$/;

/** Loaded on demand, because few processes need its binary at startup. */
const library = new Lazy(() => import('@node-rs/argon2'));

export class TooManyChecks extends Error {
  override readonly name = 'TooManyChecks';
}

/** For secrets that attackers can guess often. Hashing runs outside of the event loop. */
export class SlowHashes {
  readonly #checks: Semaphore;
  readonly #makings = new Semaphore(1);
  readonly #underWay: Quota;
  /** Hash of a secret that does not exist. */
  readonly #ofNobody = new Lazy(async () => (await library.get()).hash(randomToken(32), COST));

  constructor(atOnce = CHECKS_AT_ONCE, waiting = CHECKS_WAITING, ofOne = CHECKS_OF_ONE) {
    this.#checks = new Semaphore(atOnce, waiting);
    this.#underWay = new Quota(ofOne);
  }

  /** Hashes one secret at a time, with an unlimited queue. */
  async hash(secret: string): Promise<string> {
    const { hash } = await library.get();
    return inTurn(await this.#makings.take(), () => hash(secret, COST));
  }

  /**
   * @param stored null, or text that is not a hash, takes as long and never matches
   * @param caller address of the client
   * @throws {TooManyChecks}
   */
  async matches(secret: string, stored: string | null, caller: string): Promise<boolean> {
    const end = this.#underWay.take(caller);
    if (!end) throw new TooManyChecks();
    try {
      return await this.#compare(secret, stored);
    } finally {
      end();
    }
  }

  async #compare(secret: string, stored: string | null): Promise<boolean> {
    const { verify } = await library.get();
    const ofNobody = await this.#ofNobody.get();
    const turn = this.#checks.take();
    if (!turn) throw new TooManyChecks();
    const isKnown = stored !== null && STORED.test(stored);
    const isGood = await inTurn(await turn, () => verify(isKnown ? stored : ofNobody, secret));
    return isKnown && isGood;
  }
}

async function inTurn<T>(release: Release | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    release?.();
  }
}
