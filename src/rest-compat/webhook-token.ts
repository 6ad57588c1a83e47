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
import { parseSnowflake } from '../infra/ids.js';
import type { Scheme, Use } from './schemes.js';

/** Where tokens were good: that many places are remembered, for so long. */
const HOMES = 10_000;
const HOME_MS = 3_600_000;

/**
 * The token of a webhook in the path. Its check costs, so that it is limited before it is made, and failures more so (decisions 7): by the
 * address, and by the webhook from anywhere. Where its token was good lately, as this process knows, failures are counted for both together, so
 * that nobody who guesses elsewhere, or at another webhook, keeps out whoever posts from there.
 */
export function webhookToken(app: AppContext): Scheme {
  const homes = new LRUCache<string, true>({ max: HOMES, ttl: HOME_MS, perf: app.clock });
  const failuresOf = (webhook: string, home: string, address: string): Use[] =>
    homes.has(home)
      ? [{ limit: WEBHOOK_FAILURES_AT_HOME, key: home, counts: 'failures' }]
      : [
          { limit: WEBHOOK_FAILURES_PER_ADDRESS, key: address, counts: 'failures' },
          { limit: WEBHOOK_FAILURES_PER_WEBHOOK, key: webhook, counts: 'failures' },
        ];
  const limitsOf = (webhook: string, home: string, address: string): Use[] => [
    ...failuresOf(webhook, home, address),
    { limit: WEBHOOK_CHECKS, key: home, counts: 'attempts' },
    { limit: WEBHOOK_CHECKS_PER_ADDRESS, key: address, counts: 'attempts' },
  ];
  return {
    in: 'path',
    of: ['webhookToken'],
    claim({ params: { webhookId = '', webhookToken: token = '' }, address }) {
      const id = parseSnowflake(webhookId) ?? 0n;
      const { applications, slowHashes } = app;
      const checker = { read: app.db.reader, applications, slowHashes, address };
      const home = `${id}:${address}`;
      const authenticate = async () => {
        const actor = await actorOfWebhook(checker, id, token);
        homes.set(home, true);
        return actor;
      };
      // What has not even the form is refused without a check.
      return { limits: isWebhookToken(token) ? limitsOf(String(id), home, address) : [], authenticate };
    },
  };
}
