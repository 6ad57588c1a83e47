import { LRUCache } from 'lru-cache';
import { topics } from '../../infra/bus.js';
import type { Clock } from '../../infra/clock.js';
import type { Reader } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids.js';
import { atMost, REMEMBER_MS } from '../../infra/memory.js';
import type { EventBus } from '../bus-message.js';

/** Where a guild on a box is. */
export interface BoxRoute {
  boxId: bigint;
  guildId: bigint;
}

const MAX_ROUTES = 50_000;

/**
 * Which box has a guild or a channel, connected or not (architecture, section 9). Ids tell by themselves that the cloud made them, so that
 * nothing is asked for a guild of the cloud's. Kept in memory for half a minute at most, and forgotten when any box's guilds change.
 */
export class BoxRoutes {
  readonly #guilds: LRUCache<bigint, BoxRoute>;
  readonly #channels: LRUCache<bigint, BoxRoute>;
  #since = 0;

  constructor(
    private readonly reader: Reader,
    bus: EventBus,
    clock: Clock,
    /** Whether it is asked in a box: then the ids that boxes make are its own, and bots may be its cloud's. */
    readonly isInBox = false,
  ) {
    const options = { ...atMost(MAX_ROUTES), ttl: REMEMBER_MS, ttlResolution: 0, perf: clock };
    this.#guilds = new LRUCache(options);
    this.#channels = new LRUCache(options);
    bus.subscribe(topics.boxes, () => this.#forget());
  }

  /** Whether an id may be that of a guild, channel or person on a box, which it tells by itself. */
  mayHave(id: bigint): boolean {
    return !this.isInBox && isMadeByBox(id);
  }

  /** Where a guild is; null for one that is on no box. */
  ofGuild(guildId: bigint): Promise<BoxRoute | null> {
    return this.#find(this.#guilds, guildId, async () => {
      const guild = await this.reader.boxGuild.findUnique({ where: { id: guildId }, select: { boxId: true } });
      return guild && { boxId: guild.boxId, guildId };
    });
  }

  /** The same for the guild of a channel. */
  ofChannel(channelId: bigint): Promise<BoxRoute | null> {
    return this.#find(this.#channels, channelId, async () => {
      const select = { guild: { select: { id: true, boxId: true } } } as const;
      const channel = await this.reader.boxChannel.findUnique({ where: { id: channelId }, select });
      return channel && { boxId: channel.guild.boxId, guildId: channel.guild.id };
    });
  }

  /** What was being read when something changed is used and not kept. */
  async #find(
    known: LRUCache<bigint, BoxRoute>,
    id: bigint,
    read: () => Promise<BoxRoute | null>,
  ): Promise<BoxRoute | null> {
    if (!this.mayHave(id)) return null;
    const there = known.get(id);
    if (there) return there;
    const since = this.#since;
    const route = await read();
    if (route && since === this.#since) known.set(id, route);
    return route;
  }

  #forget(): void {
    this.#since += 1;
    this.#guilds.clear();
    this.#channels.clear();
  }
}
