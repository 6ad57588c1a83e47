import type { ReaderAndWriter } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import { DAY_MS } from '../expiry.js';

const KEEP_MS = 30 * DAY_MS;

/**
 * Removes webhooks that were deleted 30 days ago. Webhooks of servers on boxes stay, because events of a box may contain
 * their old messages (docs/relay.md, R-35). Other messages have only the id of their webhook.
 * @param now milliseconds since the Unix epoch
 */
export async function* removeDeletedWebhooks(
  { reader, writer }: ReaderAndWriter,
  now: number,
  limit: number,
): AsyncGenerator<void> {
  let kept = 0;
  for (;;) {
    const webhooks = await reader.webhook.findMany({
      where: { deletedAt: { lte: new Date(now - KEEP_MS) } },
      orderBy: { deletedAt: 'asc' },
      skip: kept,
      take: limit,
      select: { id: true, guildId: true },
    });
    const ids = webhooks.filter(({ guildId }) => !isMadeByBox(guildId)).map(({ id }) => id);
    if (ids.length > 0) await writer.webhook.deleteMany({ where: { id: { in: ids } } });
    if (webhooks.length < limit) return;
    kept += webhooks.length - ids.length;
    yield;
  }
}
