import { LoadingCache } from '../../infra/caching/loading-cache.js';
import type { Reader } from '../../infra/database/index.js';

const MAX_CHANNELS = 50_000;

/** Cached forever, because a direct channel's recipients never change. */
export class Recipients {
  readonly #known = new LoadingCache<bigint, readonly bigint[]>({
    max: MAX_CHANNELS,
    load: (channelId) => this.#read(channelId),
  });

  constructor(private readonly reader: Reader) {}

  /** Ascending; empty if there is no such channel. */
  async of(channelId: bigint): Promise<readonly bigint[]> {
    return (await this.#known.get(channelId)) ?? [];
  }

  async #read(channelId: bigint): Promise<readonly bigint[] | null> {
    const rows = await this.reader.channelRecipient.findMany({
      where: { channelId },
      orderBy: { userId: 'asc' },
      select: { userId: true },
    });
    return rows.length > 0 ? rows.map(({ userId }) => userId) : null;
  }
}
