import { availableParallelism } from 'node:os';
import { Counts } from './counts.js';
import { Lazy } from './lazy.js';
import { randomToken } from './secrets.js';
import { type Release, Slots } from './slots.js';

/**
 * argon2id (RFC 9106) with 8 MiB and three passes, which takes one core about 10 ms (decisions 7). What is hashed is random already: the cost
 * only makes guesses slow.
 */
const COST = { memoryCost: 8 * 1024, timeCost: 3, parallelism: 1 };

/** How many checks may wait for their turn: not much more than a second of them. */
const CHECKS_WAITING = 128;

/** How many of those under way one asks for at most, so that there is room for others. */
const CHECKS_OF_ONE = 64;

/**
 * How many are worked out at once: one core is left to the event loop, and of the four threads of Node's pool, in which files are read and
 * names are looked up, two (decisions 246).
 */
const CHECKS_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));

/** How what is stored begins; the library takes nothing else. */
const STORED = /^\$argon2id\$/;

/** The library, whose binary few processes need at their start. */
const library = new Lazy(() => import('@node-rs/argon2'));

/** So many checks wait already that another one is not taken. */
export class TooManyChecks extends Error {
  override readonly name = 'TooManyChecks';
}

/** Hashes that take long on purpose, for secrets that whoever guesses may try often. They are worked out beside the event loop. */
export class SlowHashes {
  readonly #checks: Slots;
  readonly #makings = new Slots(1);
  readonly #underWay = new Counts();
  /** Of a secret that nobody has. */
  readonly #ofNobody = new Lazy(async () => (await library.get()).hash(randomToken(32), COST));

  /**
   * @param atOnce how many checks are worked out at once
   * @param waiting how many may wait for that
   * @param ofOne how many of both may be one asker's
   */
  constructor(
    atOnce = CHECKS_AT_ONCE,
    waiting = CHECKS_WAITING,
    private readonly ofOne = CHECKS_OF_ONE,
  ) {
    this.#checks = new Slots(atOnce, waiting);
  }

  /** The stored form of a secret. Waits for its turn, however many are made. */
  async hash(secret: string): Promise<string> {
    const { hash } = await library.get();
    return inTurn(await this.#makings.take(), () => hash(secret, COST));
  }

  /**
   * Whether `secret` is the one that `stored` was made from.
   * @param stored null, or text that is no hash, where there is none to compare with, which takes as long
   * @param asker whom it is asked for: an address
   * @throws {TooManyChecks} also where the asker has too many under way
   */
  async matches(secret: string, stored: string | null, asker: string): Promise<boolean> {
    if (this.#underWay.of(asker) >= this.ofOne) throw new TooManyChecks();
    const end = this.#underWay.take(asker);
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
