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
};

/** The others only invalidate caches, so that their events need no order. */
const ORDERED = new Set(['guild', 'user', 'application', 'team', 'box']);

export function hasClock(topic: string): boolean {
  return ORDERED.has(topic.slice(0, topic.indexOf(':')));
}
