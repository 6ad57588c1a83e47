import { IDENTIFY_PER_BUCKET, identifyPerDay } from '../domain/limits.js';
import { type Limit, type LimitState, noRateLimits, type RateLimits } from '../infra/rate-limits.js';
import type { World } from './worlds/world.js';

const IDS = /\d{15,}/g;

/** Each IDENTIFY takes it once. */
const PER_IDENTIFY = IDENTIFY_PER_BUCKET.name;

const BUDGET = identifyPerDay(0).name;

/**
 * Applies rate limits only to the users, applications and servers of worlds that ask for them, and refuses IDENTIFY as
 * long as a fault uses up its budget.
 */
export class WorldLimits implements RateLimits {
  /** By the ids of people, applications and servers. */
  readonly #worlds = new Map<string, World>();

  constructor(private readonly real: RateLimits) {}

  /** Call this again after people were added. */
  add(world: World): void {
    for (const id of idsIn(world)) this.#worlds.set(id, world);
  }

  delete(world: World): void {
    for (const [id, one] of this.#worlds) if (one === world) this.#worlds.delete(id);
  }

  async take(...[limit, key, points]: Parameters<RateLimits['take']>): Promise<LimitState> {
    const refused = limit.name === PER_IDENTIFY ? this.#identifyFault(limit, key) : null;
    if (!refused) return this.#of(key).take(limit, key, points);
    refused.note();
    return refused.state;
  }

  giveBack(...[limit, key, points]: Parameters<RateLimits['giveBack']>) {
    return this.#of(key).giveBack(limit, key, points);
  }

  async peek(...[limit, key]: Parameters<RateLimits['peek']>): Promise<LimitState> {
    const refused = limit.name === BUDGET ? this.#identifyFault(limit, key) : null;
    return refused?.state ?? this.#of(key).peek(limit, key);
  }

  #identifyFault({ points }: Limit, key: string): { state: LimitState; note: () => void } | null {
    const [id = ''] = key.match(IDS) ?? [];
    const world = this.#worlds.get(id);
    if (!world) return null;
    const { name } = world.application(id);
    const resetAfterMs = world.faults.identifyRefusedFor(name);
    if (resetAfterMs === null) return null;
    return {
      state: { allowed: false, limit: points, remaining: 0, resetAfterMs },
      note() {
        world.faults.noteRefusedIdentify(name);
        world.transcript.add({ kind: 'fault', text: `${name} Identify: the budget is used up` });
      },
    };
  }

  /** Keys contain the ids of whom they limit. */
  #of(key: string): RateLimits {
    const ids = key.match(IDS) ?? [];
    return ids.some((id) => this.#worlds.get(id)?.seed.rateLimits === 'real') ? this.real : noRateLimits;
  }
}

function idsIn({ people, applications, guilds }: World): string[] {
  return [...people.values(), ...applications, ...guilds].map(({ id }) => String(id));
}
