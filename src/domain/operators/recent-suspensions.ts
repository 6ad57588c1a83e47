import { LRUCache } from 'lru-cache';
import { atMost } from '../../infra/caching/at-most.js';
import type { Clock } from '../../infra/clock.js';
import { topics } from '../../infra/streams/topics.js';
import type { EventBus, Heard } from '../bus-message.js';
import type { Actor } from '../call.js';
import { DomainError } from '../errors.js';

/** Longer than any request takes, in milliseconds. */
export const LONGEST_REQUEST_MS = 15 * 60_000;

const MAX_REMEMBERED = 100_000;

/**
 * Stops requests that were authorized before their caller was suspended or deleted, such as a slow upload. Later requests are
 * refused where they are authorized.
 */
export class RecentSuspensions {
  readonly #ids: LRUCache<string, true>;

  constructor({ bus, clock }: { bus: Pick<EventBus, 'subscribe'>; clock: Clock }) {
    this.#ids = new LRUCache({ ...atMost(MAX_REMEMBERED), ttl: LONGEST_REQUEST_MS, perf: clock });
    bus.subscribe(topics.sessions, (message) => this.#hear(message), { early: true });
  }

  /** @throws SUSPENDED */
  requireActive(actor: Actor): void {
    if (this.#ids.size > 0 && idsOf(actor).some((id) => this.#ids.has(String(id)))) throw new DomainError('SUSPENDED');
  }

  #hear(message: Heard): void {
    if (!('userId' in message) || message.userId === undefined) return;
    if (message.type === 'SUSPENDED') this.#ids.set(message.userId, true);
    if (message.type === 'RESTORED') this.#ids.delete(message.userId);
  }
}

function idsOf(actor: Actor): bigint[] {
  switch (actor.kind) {
    case 'anonymous':
    case 'machine':
      return [];
    case 'person':
    case 'bot':
      return [actor.user.id];
    case 'token':
      return [actor.user.id, actor.applicationId];
    case 'interaction':
    case 'webhook':
      return [actor.application.id];
  }
}
