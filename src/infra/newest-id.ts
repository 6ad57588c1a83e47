import { Prisma, type Reader } from './database/index.js';
import { snowflakeTime } from './ids.js';

/** Their ids were made elsewhere, by another clock. */
const OF_BOXES: readonly string[] = ['BoxGuild', 'BoxChannel'] satisfies Prisma.ModelName[];

/** Every table whose rows are named by a snowflake of their own, as a number or, in those of the accounts library, as text. */
const TABLES = Object.values(Prisma.ModelName).filter(
  (model) => 'id' in Prisma[`${model}ScalarFieldEnum`] && !OF_BOXES.includes(model),
);

/**
 * When the newest row was made, in milliseconds since the Unix epoch; 0 for a new database. A process alone goes on after it, so that
 * a clock which was set back while it did not run repeats no id.
 */
export async function newestIdMs(reader: Reader): Promise<number> {
  const newest = TABLES.map((table) => `SELECT CAST(max("id") AS TEXT) AS "id" FROM "${table}"`);
  const rows = await reader.$queryRaw<{ id: string | null }[]>(Prisma.raw(newest.join(' UNION ALL ')));
  const times = rows.flatMap(({ id }) => (id === null || !/^\d+$/.test(id) ? [] : [snowflakeTime(BigInt(id))]));
  return Math.max(0, ...times);
}
