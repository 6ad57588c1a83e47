import { Door } from '../infra/concurrency/door.js';
import { Mutex } from '../infra/concurrency/mutex.js';
import { ConflictRetries, DatabaseBusy } from '../infra/database/conflicts.js';
import { mayBeDone } from '../infra/database/faults.js';
import type { Database, Transaction } from '../infra/database/index.js';
import type { NextId } from '../infra/ids/ids.js';
import type { Jobs } from '../infra/jobs/index.js';
import type { Mail, Mailer } from '../infra/mail.js';
import type { Logger } from '../infra/observability/logger.js';
import { type Clocks, createClocks, type TakenClock } from '../infra/streams/clocks.js';
import { hasClock } from '../infra/streams/topics.js';
import { type AuditRecord, isInstanceAction } from './audit-log/actions.js';
import { isGuildLogEntry } from './audit-log/guild-log.js';
import type { BusMessage, EventBus, Publication } from './bus-message.js';
import {
  actorIdOf,
  type CallContext,
  type FindMessageId,
  type OneWithEvent,
  type Write,
  type WriteOptions,
} from './call.js';
import { DomainError } from './errors.js';
import type { DomainEvent } from './events.js';
import type { DomainJobPayloads } from './job-payloads.js';
import { MessageInserts } from './messages/insert-together.js';

export interface WriteParts {
  db: Database;
  mailer: Mailer;
  jobs: Jobs<DomainJobPayloads>;
  log: Logger;
  bus: EventBus;
  /** A pure function. */
  render(event: DomainEvent): Publication;
}

interface AfterCommit {
  events: DomainEvent[];
  mails: Mail[];
  jobsDueAt: number[];
}

interface Rendered {
  /** By topic. */
  messages: ReadonlyMap<string, BusMessage[]>;
  /** Whether an event could not be built. */
  isGap: boolean;
}

interface Committed<T> extends Rendered {
  result: T;
  clocks: ReadonlyMap<string, TakenClock>;
}

/** How long a write may wait for those before it on SQLite. */
const MAX_QUEUED_MS = 10_000;

/** Aborts a transaction with events of streams that it has not locked. */
class UnknownStreams extends Error {}

/** A stream that is locked after others, or after its rows, may be part of a deadlock. */
async function untilAllAreKnown<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnknownStreams)) throw error;
    }
  }
}

export class Writes {
  readonly #retries = new ConflictRetries();
  readonly #clocks: Clocks;
  /** SQLite has one writer. Its next write begins after the events of the last are published. */
  readonly #writer: Mutex | null;
  /** For writes with events. */
  readonly #door = new Door(() => new DomainError('OVERLOADED', 'The server is stopping. Try again in a moment.'));

  /** Null for SQLite. */
  readonly messageInserts: MessageInserts | null;

  constructor(private readonly parts: WriteParts) {
    this.#clocks = createClocks(parts.db);
    this.#writer = parts.db.dialect === 'sqlite' ? new Mutex() : null;
    const publish = (topic: string, clock: number, events: (() => DomainEvent)[]) =>
      this.#publishGroup(topic, clock, events);
    const lose = (topic: string) => this.#lose([topic]);
    this.messageInserts = this.#writer
      ? null
      : new MessageInserts({ writer: parts.db.writer, door: this.#door, publish, lose });
  }

  /** Refuses further writes with events. Resolves when the events of the running ones are published. */
  refuseEvents(): Promise<void> {
    return this.#door.close();
  }

  /** @throws OVERLOADED, and what `work` throws */
  async transaction<T>(
    call: CallContext,
    work: (write: Write) => Promise<T>,
    { streams = [] }: WriteOptions = {},
  ): Promise<T> {
    const { db, jobs, mailer } = this.parts;
    let after: AfterCommit = { events: [], mails: [], jobsDueAt: [] };
    const known = new Set(streams);
    const attempt = () => {
      after = { events: [], mails: [], jobsDueAt: [] };
      return this.#published((touched) =>
        db.writer.$transaction(async (tx) => {
          const clocks = await this.#take(tx, [...known], touched);
          const result = await work(this.#writeOf(call, tx, after, clocks));
          const rendered = this.#render(after.events);
          for (const topic of rendered.messages.keys()) touched.add(topic);
          const late = [...rendered.messages.keys()].filter((topic) => hasClock(topic) && !clocks.has(topic));
          for (const topic of late) known.add(topic);
          if (late.length > 0 && !this.#writer) throw new UnknownStreams();
          return { result, ...rendered, clocks: new Map([...clocks, ...(await this.#take(tx, late, touched))]) };
        }),
      );
    };
    const result = await this.#untilNoConflict(() => untilAllAreKnown(attempt));
    for (const dueAt of after.jobsDueAt) jobs.wakeAt(dueAt);
    for (const mail of after.mails) await mailer.send(mail);
    return result;
  }

  /** @throws OVERLOADED, and what `statement` throws */
  statement<T>(
    { nextId }: Pick<CallContext, 'nextId'>,
    statement: (db: Transaction, messageId: FindMessageId) => Promise<T>,
    told?: OneWithEvent<T>,
  ): Promise<T> {
    const { writer } = this.parts.db;
    if (!told) return this.#untilNoConflict(() => statement(writer, async () => nextId()));
    const run = async (tx: Transaction, touched: Set<string>): Promise<Committed<T>> => {
      const clocks = await this.#take(tx, told.streams, touched);
      const result = await statement(tx, this.#messageIds(nextId, tx, clocks));
      const rendered = this.#rendered(() => told.event(result));
      for (const topic of rendered.messages.keys()) touched.add(topic);
      return { result, clocks, ...rendered };
    };
    // With one writer, the statement needs no transaction.
    return this.#untilNoConflict(() =>
      this.#published((touched) =>
        this.#writer ? run(writer, touched) : writer.$transaction((tx) => run(tx, touched)),
      ),
    );
  }

  /** For events without a commit. A failed one is logged and lost. */
  announce(event: DomainEvent): void {
    try {
      const { topics, message } = this.parts.render(event);
      for (const topic of topics) this.parts.bus.publish(topic, message);
    } catch (error) {
      this.parts.log.error({ err: error, type: event.type }, 'Could not publish an event');
    }
  }

  /** For the committed events of one stream. */
  #publishGroup(topic: string, clock: number, events: readonly (() => DomainEvent)[]): void {
    const rendered = events.map((build) => this.#rendered(build));
    const messages = rendered.flatMap((one) => one.messages.get(topic) ?? []);
    this.parts.bus.publishCommitted(
      topic,
      clock,
      messages,
      rendered.some(({ isGap }) => isGap),
    );
  }

  /** For a change that may have been committed. */
  #lose(streams: readonly string[]): void {
    for (const topic of streams) this.parts.bus.publishCommitted(topic, null, [], true);
  }

  async #take(db: Transaction, streams: readonly string[], touched: Set<string>): Promise<Map<string, TakenClock>> {
    const clocks = await this.#clocks.take(db, streams.filter(hasClock));
    for (const [topic, { clock }] of clocks) {
      touched.add(topic);
      this.parts.bus.expect(topic, clock);
    }
    return clocks;
  }

  /** @param commit keeps the streams that it changes, because the error of a commit does not name them */
  async #published<T>(commit: (touched: Set<string>) => Promise<Committed<T>>): Promise<T> {
    const queuedAt = performance.now();
    const run = async () => {
      if (performance.now() - queuedAt > MAX_QUEUED_MS) throw new DatabaseBusy('other writes took too long');
      const touched = new Set<string>();
      const { result, clocks, messages, isGap } = await commit(touched).catch((error: unknown) => {
        if (mayBeDone(error)) this.#lose([...touched]);
        throw error;
      });
      for (const topic of new Set([...messages.keys(), ...clocks.keys()])) {
        const { clock = null } = clocks.get(topic) ?? {};
        this.parts.bus.publishCommitted(topic, clock, messages.get(topic) ?? [], isGap);
      }
      return result;
    };
    return this.#door.pass(() => (this.#writer ? this.#writer.run(run) : run()));
  }

  #render(events: readonly DomainEvent[]): Rendered {
    const messages = new Map<string, BusMessage[]>();
    let isGap = false;
    for (const event of events) {
      const publication = this.#built(() => this.parts.render(event), event.type);
      isGap ||= publication === null;
      for (const topic of publication?.topics ?? []) {
        const ofTopic = messages.get(topic) ?? [];
        messages.set(topic, ofTopic);
        if (publication) ofTopic.push(publication.message);
      }
    }
    return { messages, isGap };
  }

  #rendered(build: () => DomainEvent | null): Rendered {
    const events = this.#built(() => [build()].filter((event) => event !== null));
    return events === null ? { messages: new Map(), isGap: true } : this.#render(events);
  }

  /** Null on failure, because the change must not fail with its event. */
  #built<T>(build: () => T, type?: DomainEvent['type']): T | null {
    try {
      return build();
    } catch (error) {
      const message = 'Could not build an event of a committed write; subscribers read again';
      this.parts.log.error({ err: error, ...(type && { type }) }, message);
      return null;
    }
  }

  #messageIds(nextId: NextId, db: Transaction, clocks: ReadonlyMap<string, TakenClock>): FindMessageId {
    return async (wanted = 0n) => {
      const newestIds = [...clocks.values()].map(({ newestId }) => newestId);
      const newest = newestIds.reduce((max, one) => (one > max ? one : max), 0n);
      const id = wanted > newest ? wanted : nextId(newest);
      await this.#clocks.keepNewestId(db, [...clocks.keys()], id);
      return id;
    };
  }

  #writeOf(call: CallContext, db: Transaction, after: AfterCommit, clocks: ReadonlyMap<string, TakenClock>): Write {
    return {
      db,
      messageId: this.#messageIds(call.nextId, db, clocks),
      clockOf: (topic) => {
        const taken = clocks.get(topic);
        if (!taken) throw new Error(`The transaction does not lock ${topic}`);
        return taken.clock;
      },
      record: (event) => after.events.push(event),
      mail: (mail) => after.mails.push(mail),
      addJob: async (job) => {
        await this.parts.jobs.add(db, job);
        after.jobsDueAt.push(job.dueAt);
      },
      audit: async (entry) => {
        if (isInstanceAction(entry.action)) {
          await auditInstance(call, db, entry);
          return;
        }
        if (isOfLivingGuild(entry)) await requireNotDeleted(db, entry.guildId);
        const written = await db.auditEntry.create({
          data: {
            id: call.nextId(),
            applicationId: entry.applicationId,
            teamId: entry.teamId ?? (await teamOf(db, entry.applicationId)),
            guildId: entry.guildId,
            actorId: actorIdOf(call.actor),
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

async function auditInstance(call: CallContext, db: Transaction, entry: AuditRecord): Promise<void> {
  await db.instanceAuditEntry.create({
    data: {
      id: call.nextId(),
      actorId: actorIdOf(call.actor),
      action: entry.action,
      targetId: entry.targetId,
      changes: entry.changes ?? {},
      reason: call.auditReason,
    },
  });
}

type EntryOfGuild = Extract<AuditRecord, { guildId: bigint; applicationId?: undefined }>;

function isOfLivingGuild(entry: AuditRecord): entry is EntryOfGuild {
  return entry.guildId !== undefined && entry.applicationId === undefined && entry.action !== 'GUILD_DELETE';
}

/**
 * Rejects changes by callers who were authorized before the guild was deleted. The transaction must lock the guild's
 * stream.
 * @throws UNKNOWN_GUILD
 */
async function requireNotDeleted(db: Transaction, id: bigint): Promise<void> {
  const found = await db.guild.count({ where: { id, deletedAt: null } });
  if (found === 0) throw new DomainError('UNKNOWN_GUILD');
}

async function teamOf(db: Transaction, applicationId: bigint | undefined): Promise<bigint | null> {
  if (applicationId === undefined) return null;
  const application = await db.application.findUnique({
    where: { id: applicationId },
    select: { ownerTeamId: true },
  });
  return application?.ownerTeamId ?? null;
}
