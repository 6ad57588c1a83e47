/** Names of streams. A stream is the unit of order: its events arrive in one order in every process. */
export const topics = {
  guild: (id: bigint | string) => `guild:${id}`,
  /** Also direct and ephemeral messages, once for each recipient. */
  user: (id: bigint | string) => `user:${id}`,
  application: (id: bigint | string) => `application:${id}`,
  team: (id: bigint | string) => `team:${id}`,
  /** Name and connection state. */
  box: (id: bigint | string) => `box:${id}`,
  /** Which guilds are on which boxes. */
  boxes: 'boxes',
  sessions: 'sessions',
  /** The values of limits that operators set. */
  limits: 'instance:limits',
};

/**
 * In the order in which transactions lock them. The others only invalidate caches, so that their events need no order.
 */
const ORDERED = ['guild', 'box', 'team', 'application', 'user', 'instance'];

/** -1 without a clock. */
function rankOf(topic: string): number {
  return ORDERED.indexOf(topic.slice(0, topic.indexOf(':')));
}

export function hasClock(topic: string): boolean {
  return rankOf(topic) >= 0;
}

/** Transactions in this order never wait for each other in a circle. Topics of one kind are in the order of their names. */
export function inLockOrder(topics: Iterable<string>): string[] {
  return [...new Set(topics)].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}
