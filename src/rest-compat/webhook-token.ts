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

/** Size, and lifetime in milliseconds, of the cache of webhook and address pairs that used a valid token. */
const HOMES = 10_000;
const HOME_MS = 3_600_000;

/**
 * The check is expensive, so limits apply first, with stricter ones for failures per address and per webhook. A pair of webhook and
 * address with a recent valid token counts its failures separately, so that guesses from elsewhere cannot lock it out.
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
      // Only a well-formed token needs an expensive check.
      return { limits: isWebhookToken(token) ? limitsOf(String(id), home, address) : [], authenticate };
    },
  };
}
