import { LoadingCache } from '../../infra/caching/loading-cache.js';
import { CACHE_MS } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import type { Reader } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { EventBus } from '../bus-message.js';

export interface BoxRoute {
  boxId: bigint;
  guildId: bigint;
}

const MAX_ROUTES = 50_000;

/**
 * Finds the box of a guild or channel (architecture, section 9). An id of the cloud needs no lookup. Routes are cached
 * for at most 30 seconds and dropped when any box's guilds change.
 */
export class BoxRoutes {
  readonly #guilds: LoadingCache<bigint, BoxRoute>;
  readonly #channels: LoadingCache<bigint, BoxRoute>;
  readonly #any: LoadingCache<'any', boolean>;

  constructor(
    private readonly reader: Reader,
    bus: EventBus,
    clock: Clock,
    /** Whether this instance is a box. Then ids of boxes are its own, and bots may be the cloud's. */
    readonly isInBox = false,
  ) {
    const options = { max: MAX_ROUTES, expiry: { ms: CACHE_MS, clock } };
    this.#guilds = new LoadingCache({ ...options, load: (id) => this.#readGuild(id) });
    this.#channels = new LoadingCache({ ...options, load: (id) => this.#readChannel(id) });
    this.#any = new LoadingCache({ ...options, load: () => this.#readAny() });
    bus.subscribe(topics.boxes, () => this.#forget(), { early: true });
  }

  /** Whether a box created the id. Needs no lookup. */
  mayHave(id: bigint): boolean {
    return !this.isInBox && isMadeByBox(id);
  }

  /** Whether any guild is on a box. */
  async areThereAny(): Promise<boolean> {
    return (await this.#any.get('any')) === true;
  }

  /** Null if no box has the guild. */
  async ofGuild(guildId: bigint): Promise<BoxRoute | null> {
    return this.mayHave(guildId) ? this.#guilds.get(guildId) : null;
  }

  async ofChannel(channelId: bigint): Promise<BoxRoute | null> {
    return this.mayHave(channelId) ? this.#channels.get(channelId) : null;
  }

  async #readAny(): Promise<boolean> {
    return (await this.reader.boxGuild.findFirst({ select: { id: true } })) !== null;
  }

  async #readGuild(guildId: bigint): Promise<BoxRoute | null> {
    const guild = await this.reader.boxGuild.findUnique({ where: { id: guildId }, select: { boxId: true } });
    return guild ? { boxId: guild.boxId, guildId } : null;
  }

  async #readChannel(channelId: bigint): Promise<BoxRoute | null> {
    const select = { guild: { select: { id: true, boxId: true } } } as const;
    const channel = await this.reader.boxChannel.findUnique({ where: { id: channelId }, select });
    return channel ? { boxId: channel.guild.boxId, guildId: channel.guild.id } : null;
  }

  #forget(): void {
    this.#guilds.clear();
    this.#channels.clear();
    this.#any.clear();
  }
}
