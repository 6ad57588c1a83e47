/** A line of `causeway doctor`. `--json` prints it. */
export interface Check {
  /** Stable. Several lines may have the same, such as one for each wrong setting. */
  id: CheckId;
  /**
   * `failure`: a start fails, or something that people need does not work. `warning`: it works, with a risk.
   * `skipped`: it does not apply, or cannot be checked.
   */
  state: 'ok' | 'warning' | 'failure' | 'skipped';
  message: string;
  /** Missing if there is nothing to do, or if the message says what to do. */
  advice?: string;
}

/** docs/operations.md explains each. */
export const CHECK_IDS = [
  'node',
  'sqlite',
  'images',
  'passwords',
  'portal',
  'settings',
  'port',
  'data-dir',
  'disk',
  'open-files',
  'memory',
  'database',
  'database-version',
  'database-encoding',
  'database-collation',
  'database-latency',
  'database-connections',
  'database-pooler',
  'database-use',
  'database-integrity',
  'database-file',
  'redis',
  'redis-version',
  'redis-latency',
  'redis-memory',
  'redis-writes',
  'bucket',
  'mail',
  'cloud',
  'clock',
  'proxy',
  'proxy-websocket',
  'proxy-body',
  'proxy-address',
  'proxy-metrics',
] as const;

export type CheckId = (typeof CHECK_IDS)[number];

export function passed(id: CheckId, message: string): Check {
  return { id, state: 'ok', message };
}

export function skipped(id: CheckId, message: string): Check {
  return { id, state: 'skipped', message };
}

export function warning(id: CheckId, message: string, advice?: string): Check {
  return { id, state: 'warning', message, ...(advice !== undefined && { advice }) };
}

export function failure(id: CheckId, message: string, advice?: string): Check {
  return { id, state: 'failure', message, ...(advice !== undefined && { advice }) };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === 'fetch failed' && error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

/** Of `fetch`. One of several addresses of a host leaves the message empty. */
function causeOf(cause: Error): string {
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Such as `1.5 GiB`. */
export function sizeOf(bytes: number): string {
  return bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}
