import type { AppContext } from '../context.js';
import type { SandboxClock } from './clock.js';
import { ClockFollowers } from './clock-followers.js';
import { BotConnections } from './connections.js';
import { notFound } from './errors.js';
import { UnknownRoutes } from './unknown-routes.js';
import type { WorldLimits } from './world-limits.js';
import type { BoxSettings } from './worlds/box.js';
import type { BuiltApplication, Named } from './worlds/build.js';
import type { PersonSeed, Seed } from './worlds/seed.js';
import { World } from './worlds/world.js';

/** The worlds of this instance. */
export class Sandbox {
  readonly connections = new BotConnections();
  /** Of all worlds, also of removed ones. */
  readonly unknownRoutes = new UnknownRoutes();
  readonly followers: ClockFollowers;
  readonly #worlds = new Map<string, World>();
  #created = 0;
  #app: AppContext | null = null;

  constructor(
    readonly clock: SandboxClock,
    private readonly limits: WorldLimits,
    private readonly boxes: BoxSettings,
  ) {
    this.followers = new ClockFollowers(clock);
  }

  /** The platform, which exists once it is connected with {@link attach}. */
  get app(): AppContext {
    if (!this.#app) throw new Error('The sandbox has no platform yet.');
    return this.#app;
  }

  attach(app: AppContext): void {
    this.#app = app;
  }

  get worlds(): readonly World[] {
    return [...this.#worlds.values()];
  }

  /** @throws INVALID_INPUT */
  async createWorld(seed: Seed): Promise<World> {
    this.#created += 1;
    const world = await World.create(this.app, seed, this.#created, this.boxes);
    this.#worlds.set(world.id, world);
    this.limits.add(world);
    return world;
  }

  /** Adds a person who is in no server. @throws INVALID_INPUT for a name that is taken */
  async addPerson(world: World, seed: PersonSeed): Promise<Named> {
    const person = await world.addPerson(seed);
    this.limits.add(world);
    return person;
  }

  /** @throws SandboxError UNKNOWN_WORLD */
  world(id = ''): World {
    const found = this.#worlds.get(id);
    if (!found) throw notFound('world', id, [...this.#worlds.keys()]);
    return found;
  }

  /** @param applicationId also the id of the bot */
  worldOf(applicationId: bigint): { world: World; application: BuiltApplication } | null {
    for (const world of this.#worlds.values()) {
      const application = world.applications.find(({ id }) => id === applicationId);
      if (application) return { world, application };
    }
    return null;
  }

  async disposeWorld(id: string): Promise<World> {
    const world = this.world(id);
    this.#worlds.delete(id);
    this.limits.delete(world);
    await world.dispose();
    return world;
  }
}
