import { noRateLimits, type RateLimits } from '../infra/rate-limits.js';
import type { World } from './worlds/world.js';

const IDS = /\d{15,}/g;

/** Applies rate limits only to the users, applications and servers of worlds that ask for them. */
export class WorldLimits implements RateLimits {
  readonly #limited = new Map<World, ReadonlySet<string>>();

  constructor(private readonly real: RateLimits) {}

  add(world: World): void {
    const things = [...world.people.values(), ...world.applications, ...world.guilds];
    this.#limited.set(world, new Set(things.map(({ id }) => String(id))));
  }

  delete(world: World): void {
    this.#limited.delete(world);
  }

  take(...[limit, key, points]: Parameters<RateLimits['take']>) {
    return this.#of(key).take(limit, key, points);
  }

  giveBack(...[limit, key, points]: Parameters<RateLimits['giveBack']>) {
    return this.#of(key).giveBack(limit, key, points);
  }

  peek(...[limit, key]: Parameters<RateLimits['peek']>) {
    return this.#of(key).peek(limit, key);
  }

  /** Keys contain the ids of whom they limit. */
  #of(key: string): RateLimits {
    if (this.#limited.size === 0) return noRateLimits;
    const ids = key.match(IDS) ?? [];
    const isLimited = [...this.#limited.values()].some((known) => ids.some((id) => known.has(id)));
    return isLimited ? this.real : noRateLimits;
  }
}
