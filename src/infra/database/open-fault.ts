import { StartError } from '../../config.js';

/** Names the database of an error from opening it, unless the error already says what to do. */
export function openFault(
  error: unknown,
  place: { databaseUrl: string | null; dataDir: string },
  setting = 'DATABASE_URL',
): StartError {
  if (error instanceof StartError) return error;
  const reason = reasonOf(error).trim().split('\n', 1)[0];
  const fault =
    place.databaseUrl === null
      ? `could not open the database in ${place.dataDir}: ${reason}`
      : `could not open the database of ${setting}: ${reason} (${placeOf(place.databaseUrl)})`;
  return new StartError(fault, { cause: error });
}

/** A host name with several addresses has one error for each of them. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Must not contain the password. */
function placeOf(databaseUrl: string): string {
  const { host, pathname, username } = new URL(databaseUrl);
  const name = decodeURIComponent(pathname.slice(1));
  return `database "${name}" at ${host || 'the default host'} as "${decodeURIComponent(username)}"`;
}
