import { randomUUID } from 'node:crypto';
import type { SharedKeys } from '../../infra/shared-keys.js';
import { GRACE_MS, isUnsure, UNSURE_MS } from './joined-writes.js';
import type { BoxAnswer, Errand } from './lines.js';

/**
 * Gives a write the key that it has in all processes (docs/relay.md, R-25; decisions 289), from before it is sent until whoever asked
 * has the answer: any process may end before, the one that has the box and the one that was asked alike.
 */
export class KeyedWrites {
  /** @param keys null for a process alone, in which repetitions meet anyway */
  constructor(private readonly keys: SharedKeys | null) {}

  /**
   * Has a write sent.
   * @param fingerprint the same for each repetition
   * @param budgetMs how long the answer is waited for
   * @throws what `send` throws
   */
  async perform(
    fingerprint: string,
    budgetMs: number,
    send: (errand: Errand) => Promise<BoxAnswer>,
  ): Promise<BoxAnswer> {
    const own = randomUUID();
    // It is unsure no later than its budget is over.
    const key = await this.keys?.claim(fingerprint, own, budgetMs + GRACE_MS + UNSURE_MS);
    if (!this.keys || !key) return send({ budgetMs, key: own, fingerprint });
    try {
      const answer = await send({ budgetMs, key, fingerprint, isKeyShared: true });
      // Waited for, since the same write from now on is a second one, wherever it comes in.
      await this.keys.forget(fingerprint, key);
      return answer;
    } catch (error) {
      // What was not sent leaves no key behind that is too old for the next attempt.
      if (key === own && !isUnsure(error)) await this.keys.forget(fingerprint, key);
      throw error;
    }
  }
}
