import { LRUCache } from 'lru-cache';
import type { Reader } from '../../infra/database/index.js';

const MAX_CHANNELS = 50_000;

/** Cached forever, because the recipients of a direct channel never change. */
export class Recipients {
  readonly #known = new LRUCache<bigint, readonly bigint[]>({ max: MAX_CHANNELS });

  constructor(private readonly reader: Reader) {}

  /** Ascending; empty if there is no such channel. */
  async of(channelId: bigint): Promise<readonly bigint[]> {
    const known = this.#known.get(channelId);
    if (known) return known;
    const rows = await this.reader.channelRecipient.findMany({
      where: { channelId },
      orderBy: { userId: 'asc' },
      select: { userId: true },
    });
    const ids = rows.map(({ userId }) => userId);
    if (ids.length > 0) this.#known.set(channelId, ids);
    return ids;
  }
}
