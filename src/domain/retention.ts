import { drainInBatches, yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { ReaderAndWriter } from '../infra/database/index.js';
import { snowflakeAt } from '../infra/ids/ids.js';
import { removeOldMails } from '../infra/mail.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import { removeOldEntries } from './audit-log/expired.js';
import { DAY_MS } from './expiry.js';
import { removeOldMessages } from './messages/expired.js';

export interface RetentionSettings {
  /** In days; 0 keeps everything. */
  retention: { auditLogDays: number; messageDays: number; outboxDays: number };
  outboxDir: string;
}

interface Supplies {
  db: ReaderAndWriter;
  blobs: BlobStore;
  config: RetentionSettings;
}

/** SQLite removes these in a few milliseconds, during which other writes wait. */
const ROWS_PER_STATEMENT = 200;

/**
 * Removes what is older than the settings of the instance allow. Can resume after an interruption.
 * @param now milliseconds since the Unix epoch
 * @throws the reason of `signal` when it is aborted
 */
export async function removeByAge({ db, blobs, config }: Supplies, now: number, signal: AbortSignal): Promise<void> {
  const { auditLogDays, messageDays, outboxDays } = config.retention;
  if (auditLogDays > 0) await removeAuditLogs(db, snowflakeAt(now - auditLogDays * DAY_MS), signal);
  if (messageDays > 0) await removeOldMessages(db, blobs, snowflakeAt(now - messageDays * DAY_MS), signal);
  if (outboxDays > 0) await removeOldMails(config.outboxDir, now - outboxDays * DAY_MS, signal);
}

async function removeAuditLogs(db: ReaderAndWriter, before: bigint, signal: AbortSignal): Promise<void> {
  for await (const _batch of removeOldEntries(db, before, ROWS_PER_STATEMENT)) {
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  await drainInBatches(signal, async () => {
    const some = { where: { id: { lt: before } }, limit: ROWS_PER_STATEMENT };
    return (await db.writer.instanceAuditEntry.deleteMany(some)).count === ROWS_PER_STATEMENT;
  });
}
