import { type Database, Prisma } from '../../infra/database/index.js';
import type { KeyRing } from '../../infra/instance-keys.js';

/** How long a process counts as alive after it said so, in milliseconds. */
export const ALIVE_MS = 30_000;

/** The end of the row of a process that is the only one: it is removed by the next. */
const NEVER = new Date(Date.UTC(9999, 0));

/** The time of the database, as its columns of type DateTime hold it, and as milliseconds since the Unix epoch. */
const NOW = Prisma.sql`(clock_timestamp() AT TIME ZONE 'UTC')`;
const NOW_MS = Prisma.sql`CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`;
const END = Prisma.sql`${NOW} + ${ALIVE_MS} * interval '1 millisecond'`;

type Doors = Pick<Database, 'reader' | 'writer'>;

/** The row of a process that is the only one in its database. */
export async function addLastingProcess({ writer }: Doors, id: string): Promise<void> {
  await writer.liveProcess.create({ data: { id, until: NEVER } });
}

/**
 * The row of one of several processes, for PostgreSQL.
 * @param keys fingerprints of the keys of the process
 * @returns the time of the database
 */
export async function addProcess({ writer }: Doors, id: string, keys: KeyRing): Promise<number> {
  const [added] = await writer.$queryRaw<{ now: bigint }[]>`
    INSERT INTO "LiveProcess" ("id", "until", "signsWith", "accepts") VALUES (${id}, ${END}, ${keys[0]}, ${keys.join(' ')})
    RETURNING ${NOW_MS} AS "now"`;
  return Number(added?.now);
}

/** The keys of a process; null where it does not say. */
export interface KeysOfProcess {
  signsWith: string | null;
  accepts: string | null;
}

/** The keys of the other processes that live now and may share the database, on PostgreSQL. */
export async function findOtherKeys({ reader }: Doors, id: string): Promise<KeysOfProcess[]> {
  return reader.$queryRaw`
    SELECT "signsWith", "accepts" FROM "LiveProcess" WHERE "until" > ${NOW} AND "until" < ${NEVER} AND "id" <> ${id}`;
}

/** Removes the row of a process to which nothing belongs yet. */
export async function removeProcess({ writer }: Doors, id: string): Promise<void> {
  await writer.liveProcess.deleteMany({ where: { id } });
}

/** Prolongs the life of a process, unless it is over. @returns the time of the database; null where it is over */
export async function prolongProcess({ writer }: Doors, id: string): Promise<number | null> {
  const [renewed] = await writer.$queryRaw<{ now: bigint }[]>`
    UPDATE "LiveProcess" SET "until" = ${END} WHERE "id" = ${id} AND "until" > ${NOW} RETURNING ${NOW_MS} AS "now"`;
  return renewed ? Number(renewed.now) : null;
}

/** The ids of processes that are over, on PostgreSQL. */
export async function findEndedProcesses({ reader }: Doors): Promise<string[]> {
  const rows = await reader.$queryRaw<{ id: string }[]>`SELECT "id" FROM "LiveProcess" WHERE "until" <= ${NOW}`;
  return rows.map(({ id }) => id);
}

/** The ids of all processes but one. */
export async function findOtherProcesses({ reader }: Doors, id: string): Promise<string[]> {
  const rows = await reader.liveProcess.findMany({ where: { id: { not: id } }, select: { id: true } });
  return rows.map((row) => row.id);
}
