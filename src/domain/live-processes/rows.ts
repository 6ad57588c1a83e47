import type { KeyRing } from '../../infra/crypto/instance-keys.js';
import { type Database, Prisma } from '../../infra/database/index.js';

/** Milliseconds that a process counts as running after a heartbeat. */
export const ALIVE_MS = 30_000;

/** End of an exclusive process's row. The next process removes it. */
const NEVER = new Date(Date.UTC(9999, 0));

/** The database's time, as a DateTime column and as milliseconds since the Unix epoch. */
const NOW = Prisma.sql`(clock_timestamp() AT TIME ZONE 'UTC')`;
const NOW_MS = Prisma.sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
const END = Prisma.sql`${NOW} + ${ALIVE_MS} * interval '1 millisecond'`;

type ReaderAndWriter = Pick<Database, 'reader' | 'writer'>;

export async function addLastingProcess({ writer }: ReaderAndWriter, id: string): Promise<void> {
  await writer.liveProcess.create({ data: { id, until: NEVER } });
}

/**
 * PostgreSQL only.
 * @param keys fingerprints of the process's keys
 * @returns the database's time, in milliseconds since the Unix epoch
 */
export async function addProcess({ writer }: ReaderAndWriter, id: string, keys: KeyRing): Promise<number> {
  const [added] = await writer.$queryRaw<{ now: bigint }[]>`
    INSERT INTO "LiveProcess" ("id", "until", "signsWith", "accepts") VALUES (${id}, ${END}, ${keys[0]}, ${keys.join(' ')})
    RETURNING ${NOW_MS} AS "now"`;
  return Number(added?.now);
}

/** Null for a process of an older version. */
export interface KeysOfProcess {
  signsWith: string | null;
  accepts: string | null;
}

/** PostgreSQL only. */
export async function findOtherKeys({ reader }: ReaderAndWriter, id: string): Promise<KeysOfProcess[]> {
  return reader.$queryRaw`
    SELECT "signsWith", "accepts" FROM "LiveProcess" WHERE "until" > ${NOW} AND "until" < ${NEVER} AND "id" <> ${id}`;
}

/** Nothing may refer to the row yet. */
export async function removeProcess({ writer }: ReaderAndWriter, id: string): Promise<void> {
  await writer.liveProcess.deleteMany({ where: { id } });
}

/** @returns as {@link addProcess} does; null if the row has expired */
export async function prolongProcess({ writer }: ReaderAndWriter, id: string): Promise<number | null> {
  const [renewed] = await writer.$queryRaw<{ now: bigint }[]>`
    UPDATE "LiveProcess" SET "until" = ${END} WHERE "id" = ${id} AND "until" > ${NOW} RETURNING ${NOW_MS} AS "now"`;
  return renewed ? Number(renewed.now) : null;
}

/** PostgreSQL only. Rows that belong to the process stay until another process ends it. */
export async function expireProcess({ writer }: ReaderAndWriter, id: string): Promise<void> {
  await writer.$executeRaw`UPDATE "LiveProcess" SET "until" = ${NOW} WHERE "id" = ${id}`;
}

/** PostgreSQL only. */
export async function findEndedProcesses({ reader }: ReaderAndWriter): Promise<string[]> {
  const rows = await reader.$queryRaw<{ id: string }[]>`SELECT "id" FROM "LiveProcess" WHERE "until" <= ${NOW}`;
  return rows.map(({ id }) => id);
}

export async function findOtherProcesses({ reader }: ReaderAndWriter, id: string): Promise<string[]> {
  const rows = await reader.liveProcess.findMany({ where: { id: { not: id } }, select: { id: true } });
  return rows.map((row) => row.id);
}
