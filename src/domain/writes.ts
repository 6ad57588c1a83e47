import { ConflictRetries, DatabaseBusy } from '../infra/database/conflicts.js';
import { type Database, Prisma, type Transaction } from '../infra/database/index.js';
import type { NextId } from '../infra/ids/ids.js';
import type { Jobs } from '../infra/jobs/index.js';
import type { Mail, Mailer } from '../infra/mail.js';
import type { Logger } from '../infra/observability/logger.js';
import type { AuditRecord } from './audit-log/actions.js';
import { isGuildLogEntry } from './audit-log/guild-log.js';
import type { CallContext, Write, WriteOneOptions, WriteOptions } from './call.js';
import { CommitOrder, type TakeTurn } from './commit-order.js';
import { DomainError } from './errors.js';
import { orderingIdsIn, orderingIdsOf } from './event-ordering.js';
import type { DomainEvent } from './events.js';
import type { DomainJobPayloads } from './job-payloads.js';

export interface WriteParts {
  db: Database;
  nextId: NextId;
  mailer: Mailer;
  jobs: Jobs<DomainJobPayloads>;
  log: Logger;
  /** Never throws, because a committed write must not fail. */
  publish: (event: DomainEvent, since?: number) => void;
}

interface AfterCommit {
  events: DomainEvent[];
  mails: Mail[];
  jobsDueAt: number[];
}

export class Writes {
  readonly #retries = new ConflictRetries();
  readonly #order = new CommitOrder();

  constructor(private readonly parts: WriteParts) {}

  /**
   * @param since state of LatestChanges when the call began
   * @throws OVERLOADED, and what `work` throws
   */
  async transaction<T>(
    call: CallContext,
    since: number,
    work: (write: Write) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { db, jobs, mailer, publish } = this.parts;
    const isolationLevel =
      options.serializable && db.dialect === 'postgresql' ? Prisma.TransactionIsolationLevel.Serializable : undefined;
    const transact = async (takeTurn: TakeTurn) => {
      const after: AfterCommit = { events: [], mails: [], jobsDueAt: [] };
      const done = await db.writer.$transaction(
        async (tx) => {
          const result = await work(this.#writeOf(call, tx, after));
          if (after.events.length > 0) takeTurn(after.events.flatMap(orderingIdsOf));
          return result;
        },
        { isolationLevel },
      );
      return { result: done, ...after };
    };
    const tell = ({ events }: AfterCommit) => {
      for (const event of events) publish(event, since);
    };
    const { result, mails, jobsDueAt } = await this.#untilNoConflict(() => this.#order.tellInTurn(transact, tell));
    for (const dueAt of jobsDueAt) jobs.wakeAt(dueAt);
    for (const mail of mails) await mailer.send(mail);
    return result;
  }

  /** @throws OVERLOADED, and what `statement` throws */
  async statement<T>(
    since: number,
    statement: (db: Transaction) => Promise<T>,
    event?: (row: T) => DomainEvent | null,
    { onlyWithin }: WriteOneOptions = {},
  ): Promise<T> {
    const work = async (takeTurn: TakeTurn) => {
      if (onlyWithin !== undefined) takeTurn(orderingIdsIn(onlyWithin));
      const row = await statement(this.parts.db.writer);
      const happened = event ? this.#toldBy(() => event(row)) : null;
      if (happened && onlyWithin === undefined) takeTurn(orderingIdsOf(happened));
      return { row, happened };
    };
    const { row } = await this.#untilNoConflict(() =>
      this.#order.tellInTurn(work, ({ happened }) => {
        if (happened) this.parts.publish(happened, since);
      }),
    );
    return row;
  }

  /** Null on failure, because the row is committed, and clients repeat failed calls. */
  #toldBy(tell: () => DomainEvent | null): DomainEvent | null {
    try {
      return tell();
    } catch (error) {
      this.parts.log.error(
        { err: error },
        'Could not build the event of a committed write; the event is not published',
      );
      return null;
    }
  }

  #writeOf(call: CallContext, db: Transaction, after: AfterCommit): Write {
    return {
      db,
      record: (event) => after.events.push(event),
      mail: (mail) => after.mails.push(mail),
      addJob: async (job) => {
        await this.parts.jobs.add(db, job);
        after.jobsDueAt.push(job.dueAt);
      },
      audit: async (entry) => {
        if (isOfLivingGuild(entry)) await requireNotDeleted(db, this.parts.db.dialect, entry.guildId);
        const written = await db.auditEntry.create({
          data: {
            id: this.parts.nextId(),
            applicationId: entry.applicationId,
            teamId: entry.teamId ?? (await teamOf(db, entry.applicationId)),
            guildId: entry.guildId,
            actorId: call.actor.kind === 'anonymous' ? null : call.actor.user.id,
            action: entry.action,
            targetId: entry.targetId,
            changes: entry.changes ?? {},
            reason: call.auditReason,
          },
        });
        if (isGuildLogEntry(written)) after.events.push({ type: 'GUILD_AUDIT_LOG_ENTRY_CREATE', entry: written });
      },
    };
  }

  async #untilNoConflict<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await this.#retries.run(write);
    } catch (error) {
      if (!(error instanceof DatabaseBusy)) throw error;
      throw new DomainError('OVERLOADED', 'The service is busy. Try again in a moment.', { cause: error });
    }
  }
}

type EntryOfGuild = Extract<AuditRecord, { guildId: bigint; applicationId?: undefined }>;

function isOfLivingGuild(entry: AuditRecord): entry is EntryOfGuild {
  return entry.guildId !== undefined && entry.applicationId === undefined && entry.action !== 'GUILD_DELETE';
}

/**
 * Rejects changes by callers who were authorized before the guild was deleted. On PostgreSQL, the lock waits for a
 * concurrent deletion.
 * @throws UNKNOWN_GUILD
 */
async function requireNotDeleted(db: Transaction, dialect: Database['dialect'], id: bigint): Promise<void> {
  const lock = dialect === 'postgresql' ? Prisma.sql`FOR SHARE` : Prisma.empty;
  const found = await db.$queryRaw<unknown[]>`SELECT 1 FROM "Guild" WHERE "id" = ${id} AND "deletedAt" IS NULL ${lock}`;
  if (found.length === 0) throw new DomainError('UNKNOWN_GUILD');
}

async function teamOf(db: Transaction, applicationId: bigint | undefined): Promise<bigint | null> {
  if (applicationId === undefined) return null;
  const application = await db.application.findUnique({
    where: { id: applicationId },
    select: { ownerTeamId: true },
  });
  return application?.ownerTeamId ?? null;
}
