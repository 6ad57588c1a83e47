import { randomUUID } from 'node:crypto';
import type { SharedKeys } from '../../../infra/crypto/shared-keys.js';
import { GRACE_MS, isUnsure, UNSURE_MS } from './in-flight-writes.js';
import type { BoxAnswer, CallOptions } from './transport.js';

/**
 * Gives a write one key in all processes until its caller has the response (docs/relay.md, R-25). Only the responding
 * process knows when to drop the key, and any process may end earlier.
 */
export class IdempotencyKeys {
  /** @param keys null if there is only one process */
  constructor(private readonly keys: SharedKeys | null) {}

  /**
   * @param fingerprint the same for each repetition
   * @throws errors of `send`
   */
  async perform(
    fingerprint: string,
    budgetMs: number,
    send: (callOptions: CallOptions) => Promise<BoxAnswer>,
  ): Promise<BoxAnswer> {
    const own = randomUUID();
    // The outcome becomes unknown at the end of the budget at the latest.
    const key = await this.keys?.claim(fingerprint, own, budgetMs + GRACE_MS + UNSURE_MS);
    if (!this.keys || !key) return send({ budgetMs, key: own, fingerprint });
    try {
      const answer = await send({ budgetMs, key, fingerprint, isKeyShared: true });
      // From now on, an equal write is new work in any process.
      await this.keys.forget(fingerprint, key);
      return answer;
    } catch (error) {
      // A key must not remain after a write that was not sent.
      if (key === own && !isUnsure(error)) await this.keys.forget(fingerprint, key);
      throw error;
    }
  }
}
