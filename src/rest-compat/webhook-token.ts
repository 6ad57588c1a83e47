import { LRUCache } from 'lru-cache';
import type { AppContext } from '../context.js';
import {
  WEBHOOK_CHECKS,
  WEBHOOK_CHECKS_PER_ADDRESS,
  WEBHOOK_FAILURES_AT_HOME,
  WEBHOOK_FAILURES_PER_ADDRESS,
  WEBHOOK_FAILURES_PER_WEBHOOK,
} from '../domain/limits.js';
import { actorOfWebhook, isWebhookToken } from '../domain/webhooks/index.js';
import { atMost } from '../infra/caching/at-most.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import type { Scheme, Use } from './schemes.js';

/** Cache of webhook and address pairs that used a valid token: size, and lifetime in milliseconds. */
const TRUSTED_PAIRS = 10_000;
const TRUSTED_MS = 3_600_000;

/**
 * The check is expensive, so limits apply first, or all concurrent guesses would be checked. Failures have stricter
 * limits per address and per webhook. A pair of webhook and address with a recent valid token counts its failures
 * separately, so that guesses from elsewhere cannot lock it out.
 */
export function webhookToken(app: AppContext): Scheme {
  const trustedPairs = new LRUCache<string, true>({ ...atMost(TRUSTED_PAIRS), ttl: TRUSTED_MS, perf: app.clock });
  const failuresOf = (webhook: string, pair: string, address: string): Use[] =>
    trustedPairs.has(pair)
      ? [{ limit: WEBHOOK_FAILURES_AT_HOME, key: pair, counts: 'failures' }]
      : [
          { limit: WEBHOOK_FAILURES_PER_ADDRESS, key: address, counts: 'failures' },
          { limit: WEBHOOK_FAILURES_PER_WEBHOOK, key: webhook, counts: 'failures' },
        ];
  const limitsOf = (webhook: string, pair: string, address: string): Use[] => [
    ...failuresOf(webhook, pair, address),
    { limit: WEBHOOK_CHECKS, key: pair, counts: 'attempts' },
    { limit: WEBHOOK_CHECKS_PER_ADDRESS, key: address, counts: 'attempts' },
  ];
  return {
    in: 'path',
    of: ['webhookToken'],
    claim({ params: { webhookId = '', webhookToken: token = '' }, address }) {
      const id = parseSnowflake(webhookId) ?? 0n;
      const { applications, slowHashes } = app;
      const checker = { read: app.db.reader, applications, slowHashes, address };
      const pair = `${id}:${address}`;
      const authenticate = async () => {
        const actor = await actorOfWebhook(checker, id, token);
        trustedPairs.set(pair, true);
        return actor;
      };
      // Only a well-formed token needs an expensive check.
      return { limits: isWebhookToken(token) ? limitsOf(String(id), pair, address) : [], authenticate };
    },
  };
}
