import type { Door } from '../../infra/concurrency/door.js';
import { isUnavailable, mayBeDone } from '../../infra/database/faults.js';
import { type Message, Prisma, type PrismaClient } from '../../infra/database/index.js';
import type { NextId } from '../../infra/ids/ids.js';
import { turnOf } from '../../infra/streams/clocks.js';
import type { DomainEvent } from '../events.js';

export type NewMessageRow = Omit<Prisma.MessageUncheckedCreateInput, 'id' | 'attachments' | 'reactions' | 'pin'>;

interface Waiting {
  nextId: NextId;
  row: NewMessageRow;
  eventOf: (row: Message) => DomainEvent;
  resolve(row: Message | null): void;
  reject(error: unknown): void;
}

interface MessageInsertsParts {
  writer: Pick<PrismaClient, '$queryRaw'>;
  /** Every insert passes it. */
  door: Door;
  publish(topic: string, clock: number, events: (() => DomainEvent)[]): void;
  /** Called if it is unknown whether a statement has worked. */
  lose(topic: string): void;
}

const MOST_TOGETHER = 64;

/**
 * Inserts messages of one guild together if they are sent at the same time. One statement takes the guild's clock and
 * holds it only for its own commit. PostgreSQL only.
 */
export class MessageInserts {
  /** By topic, while a statement runs for it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(private readonly parts: MessageInsertsParts) {}

  /**
   * Publishes the event, too.
   * @returns null if the row must be inserted in a transaction of its own, which then reports why it fails
   * @throws DatabaseUnavailable, and OVERLOADED if the process stops
   */
  insert(
    { nextId }: { nextId: NextId },
    topic: string,
    row: NewMessageRow,
    eventOf: (row: Message) => DomainEvent,
  ): Promise<Message | null> {
    const insert = () =>
      new Promise<Message | null>((resolve, reject) => {
        const one = { nextId, row, eventOf, resolve, reject };
        const waiting = this.#waiting.get(topic);
        if (waiting) waiting.push(one);
        else void this.#insertAll(topic, [one]);
      });
    return this.parts.door.pass(insert);
  }

  async #insertAll(topic: string, waiting: Waiting[]): Promise<void> {
    this.#waiting.set(topic, waiting);
    while (waiting.length > 0) await this.#insertSome(topic, waiting.splice(0, MOST_TOGETHER));
    this.#waiting.delete(topic);
  }

  async #insertSome(topic: string, group: readonly Waiting[]): Promise<void> {
    try {
      const made = group.map((one) => ({ ...one, stored: storedRow(one.nextId(), one.row) }));
      const rows = made.map(({ stored }) => stored);
      const clock = await this.#statement(topic, rows);
      const events = made.map(
        ({ eventOf, stored }) =>
          () =>
            eventOf(stored),
      );
      if (clock !== null) this.parts.publish(topic, clock, events);
      for (const { resolve, stored } of made) resolve(clock === null ? null : stored);
    } catch (error) {
      if (mayBeDone(error)) this.parts.lose(topic);
      for (const { resolve, reject } of group) {
        if (isUnavailable(error)) reject(error);
        else resolve(null);
      }
    }
  }

  /** @returns null, without rows, if the stream has no clock yet or another process made a higher id */
  async #statement(topic: string, rows: readonly Message[]): Promise<number | null> {
    const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id];
    const taken = await this.parts.writer.$queryRaw<{ seq: bigint }[]>`
      WITH "turn" AS MATERIALIZED (
        SELECT ${turnOf(Prisma.sql`${topic}`)}
      ), "clock" AS (
        UPDATE "StreamClock" SET "seq" = "seq" + 1, "newestId" = ${last} FROM "turn"
        WHERE "key" = ${topic} AND "newestId" < ${first}
        RETURNING "seq"
      ), "inserted" AS (
        INSERT INTO "Message" (${COLUMNS})
        SELECT ${COLUMNS_OF_ROWS} FROM "clock" CROSS JOIN jsonb_to_recordset(${textOf(rows)}::jsonb) AS "row" (${TYPED})
      )
      SELECT "seq" FROM "clock"`;
    const [clock] = taken;
    return clock ? Number(clock.seq) : null;
  }
}

/** Columns of `Message` with their types in PostgreSQL. */
const TYPES: Record<keyof Message, string> = {
  id: 'bigint',
  channelId: 'bigint',
  authorId: 'bigint',
  type: 'integer',
  content: 'text',
  flags: 'integer',
  tts: 'boolean',
  embeds: 'jsonb',
  components: 'jsonb',
  mentionUserIds: 'jsonb',
  mentionRoleIds: 'jsonb',
  mentionEveryone: 'boolean',
  pinned: 'boolean',
  nonce: 'text',
  enforcedNonceKey: 'text',
  referenceId: 'bigint',
  referenceChannelId: 'bigint',
  visibleToId: 'bigint',
  applicationId: 'bigint',
  interaction: 'jsonb',
  webhookId: 'bigint',
  editedAt: 'timestamp',
};

const listOf = (text: (column: string, type: string) => string) =>
  Prisma.raw(
    Object.entries(TYPES)
      .map(([column, type]) => text(`"${column}"`, type))
      .join(', '),
  );

const COLUMNS = listOf((column) => column);
const COLUMNS_OF_ROWS = listOf((column) => `"row".${column}`);
const TYPED = listOf((column, type) => `${column} ${type}`);

/** The row as the database would return it. */
function storedRow(id: bigint, row: NewMessageRow): Message {
  const text = textOf([{ ...row, id }]);
  const [parsed] = JSON.parse(text) as [Record<keyof Message, never>];
  const { channelId, authorId, referenceId, referenceChannelId, visibleToId, applicationId, webhookId } = row;
  return {
    ...parsed,
    id,
    channelId: BigInt(channelId),
    authorId: BigInt(authorId),
    pinned: false,
    nonce: row.nonce ?? null,
    enforcedNonceKey: row.enforcedNonceKey ?? null,
    referenceId: idOrNull(referenceId),
    referenceChannelId: idOrNull(referenceChannelId),
    visibleToId: idOrNull(visibleToId),
    applicationId: idOrNull(applicationId),
    interaction: parsed.interaction ?? null,
    webhookId: idOrNull(webhookId),
    editedAt: null,
  };
}

const idOrNull = (id: bigint | number | null | undefined) => (id == null ? null : BigInt(id));

function textOf(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
