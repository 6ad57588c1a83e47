import type { ReaderAndWriter } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';

/**
 * Keeps the installations on boxes, because events of a box may name bots that were installed there
 * (docs/relay.md, R-35).
 * @param before a snowflake from the time since which entries are kept
 */
export async function* removeOldEntries(
  { reader, writer }: ReaderAndWriter,
  before: bigint,
  limit: number,
): AsyncGenerator<void> {
  let after = 0n;
  for (;;) {
    const entries = await reader.auditEntry.findMany({
      where: { id: { gt: after, lt: before } },
      orderBy: { id: 'asc' },
      take: limit,
      select: { id: true, action: true, guildId: true },
    });
    const ids = entries.filter((entry) => !isInstallationOnBox(entry)).map(({ id }) => id);
    if (ids.length > 0) await writer.auditEntry.deleteMany({ where: { id: { in: ids } } });
    const last = entries.at(-1);
    if (last === undefined || entries.length < limit) return;
    after = last.id;
    yield;
  }
}

function isInstallationOnBox({ action, guildId }: { action: string; guildId: bigint | null }): boolean {
  return action === 'INSTALLATION_PUT' && guildId !== null && isMadeByBox(guildId);
}
