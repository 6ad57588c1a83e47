import { Prisma, type Reader } from '../database/index.js';
import { snowflakeTime } from './ids.js';

/** Boxes make these ids, with their own clocks. */
const OF_BOXES: readonly string[] = ['BoxGuild', 'BoxChannel'] satisfies Prisma.ModelName[];

/** Tables with a snowflake as primary key: a number, or text in the tables of the accounts library. */
const TABLES = Object.values(Prisma.ModelName).filter(
  (model) => 'id' in Prisma[`${model}ScalarFieldEnum`] && !OF_BOXES.includes(model),
);

/**
 * Creation time of the newest row, in milliseconds since the Unix epoch; 0 for a new database. A single process makes
 * ids after it, so that a clock set back during downtime repeats no id.
 */
export async function newestIdMs(reader: Reader): Promise<number> {
  const newest = TABLES.map((table) => `SELECT CAST(max("id") AS TEXT) AS "id" FROM "${table}"`);
  const rows = await reader.$queryRaw<{ id: string | null }[]>(Prisma.raw(newest.join(' UNION ALL ')));
  const times = rows.flatMap(({ id }) => (id === null || !/^\d+$/.test(id) ? [] : [snowflakeTime(BigInt(id))]));
  return Math.max(0, ...times);
}
