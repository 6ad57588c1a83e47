import type { AppContext } from '../context.js';
import { notFound } from './errors.js';
import type { WorldLimits } from './world-limits.js';
import type { Seed } from './worlds/seed.js';
import { World } from './worlds/world.js';

/** The worlds of this instance. */
export class Sandbox {
  readonly #worlds = new Map<string, World>();
  #created = 0;

  constructor(
    readonly app: AppContext,
    private readonly limits: WorldLimits,
  ) {}

  get worlds(): readonly World[] {
    return [...this.#worlds.values()];
  }

  /** @throws INVALID_INPUT */
  async createWorld(seed: Seed): Promise<World> {
    this.#created += 1;
    const world = await World.create(this.app, seed, this.#created);
    this.#worlds.set(world.id, world);
    if (world.seed.rateLimits === 'real') this.limits.add(world);
    return world;
  }

  /** @throws SandboxError UNKNOWN_WORLD */
  world(id = ''): World {
    const found = this.#worlds.get(id);
    if (!found) throw notFound('world', id, [...this.#worlds.keys()]);
    return found;
  }

  async disposeWorld(id: string): Promise<void> {
    const world = this.world(id);
    this.#worlds.delete(id);
    this.limits.delete(world);
    await world.dispose();
  }
}
