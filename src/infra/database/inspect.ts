import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compareMigrations, type Standing } from './migrations.js';
import { openFault } from './open-fault.js';

/**
 * Reads which migrations the next start applies, and writes no row.
 * @throws {StartError} if the database cannot be opened or does not fit this version
 */
export async function inspectDatabase(place: { databaseUrl: string | null; dataDir: string }): Promise<Standing> {
  try {
    if (place.databaseUrl !== null) {
      const { postgresForMigrations } = await import('./postgres.js');
      return await compareMigrations('postgresql', postgresForMigrations(place.databaseUrl));
    }
    const file = join(place.dataDir, 'causeway.db');
    if (!existsSync(file)) return { isNew: true, missing: [] };
    const { betterSqlite3 } = await import('./sqlite-driver.js');
    // Not opened as read-only, because such a connection leaves the files of its WAL behind.
    return await compareMigrations('sqlite', betterSqlite3({ url: `file:${file}` }));
  } catch (error) {
    throw openFault(error, place);
  }
}
