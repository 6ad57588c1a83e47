import type { DBAdapter } from 'better-auth';
import type { AppContext } from '../context.js';

/**
 * The library reads the real time, but its rows have the time of the service. It stores and expires sessions as if both
 * were the same. Its responses to clients have real times.
 */
export function withServiceTimes(adapter: DBAdapter, clocks: Pick<AppContext, 'clock' | 'connectionClock'>): DBAdapter {
  const { clock, connectionClock } = clocks;
  if (clock === connectionClock) return adapter;
  const aheadMs = () => clock.now() - connectionClock.now();
  const wrapped: DBAdapter = new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'transaction') return (work: (within: DBAdapter) => unknown) => work(wrapped);
      if (typeof member !== 'function') return member;
      return async (...query: unknown[]) => {
        const stored = query.map((part) => moved(part, aheadMs()));
        return moved(await Reflect.apply(member, target, stored), -aheadMs());
      };
    },
  });
  return wrapped;
}

/** Moves all dates in a query or its result. */
function moved(value: unknown, ms: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + ms);
  if (Array.isArray(value)) return value.map((item) => moved(item, ms));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moved(item, ms)]));
}
