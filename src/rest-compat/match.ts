import { REST_PATH_V9 } from '../http/rest-paths.js';
import type { Limit } from '../infra/rate-limits.js';
import { BAD_REQUEST, METHOD_NOT_ALLOWED, NOT_FOUND, UNKNOWN_API_VERSION } from './errors.js';
import { errorAnswer, type RestAnswer, type RestRequest } from './request.js';
import type { PathParams, Route } from './route.js';

export interface Matched {
  row: Route;
  params: PathParams;
  version: ApiVersion;
}

export type ApiVersion = 9 | 10;

/** A path without a version means 10. */
const VERSIONS: ReadonlyMap<string, ApiVersion> = new Map([
  ['v9', 9],
  ['v10', 10],
]);

interface Step {
  literals: Map<string, Step>;
  param: Step | null;
  isEnd: boolean;
  rows: Map<string, Route>;
}

/**
 * `{base_url}` is any of `REST_PREFIXES`. Segments are compared decoded, because some libraries encode the `@` of
 * `@me`. Literals take precedence over parameters.
 */
export class RouteTable {
  readonly #root = newStep();

  /**
   * @param pathsWithoutMethods paths that exist but accept no method
   * @throws Error if rows contradict each other
   */
  constructor(
    readonly rows: readonly Route[],
    pathsWithoutMethods: readonly string[] = [],
  ) {
    checkLimits(rows);
    for (const path of pathsWithoutMethods) this.#endOf(path);
    for (const row of rows) this.#add(row);
  }

  get roots(): string[] {
    return [...this.#root.literals.keys()];
  }

  match({ method, path }: Pick<RestRequest, 'method' | 'path'>): Matched | RestAnswer {
    const segments = decodeSegments(path);
    if (!segments) return errorAnswer(BAD_REQUEST);
    const base = baseOf(segments);
    if (base === null) return errorAnswer(UNKNOWN_API_VERSION);
    const values: string[] = [];
    const step = find(this.#root, segments, base.start, values);
    if (!step) return errorAnswer(NOT_FOUND);
    const row = step.rows.get(method === 'HEAD' ? 'GET' : method);
    if (!row) return errorAnswer(METHOD_NOT_ALLOWED, { allow: [...step.rows.keys()].join(', ') });
    return { row, params: paramsOf(row, values), version: base.version };
  }

  #add(row: Route): void {
    const { rows } = this.#endOf(row.path);
    if (rows.has(row.method)) throw new Error(`two routes are defined for ${row.method} ${row.path}`);
    rows.set(row.method, row);
  }

  #endOf(path: string): Step {
    let step = this.#root;
    for (const segment of path.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        step.param ??= newStep();
        step = step.param;
      } else {
        const next = step.literals.get(segment) ?? newStep();
        step.literals.set(segment, next);
        step = next;
      }
    }
    step.isEnd = true;
    return step;
  }
}

function newStep(): Step {
  return { literals: new Map(), param: null, isEnd: false, rows: new Map() };
}

/** Limits with the same name share a counter, so they must be equal. */
function checkLimits(rows: readonly Route[]): void {
  const known = new Map<string, Limit>();
  for (const { bucket, method, path } of rows) {
    const { name, points, seconds } = bucket.limit;
    const other = known.get(name) ?? bucket.limit;
    if (other.points !== points || other.seconds !== seconds) {
      throw new Error(`${method} ${path}: the limit "${name}" has different numbers in another route`);
    }
    known.set(name, bucket.limit);
  }
}

/** Null if the path is not valid UTF-8. */
function decodeSegments(path: string): string[] | null {
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  try {
    return segments.map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment));
  } catch {
    return null;
  }
}

/** Index of the first segment after `{base_url}`; null for an unsupported version. */
function baseOf(segments: string[]): { start: number; version: ApiVersion } | null {
  if (segments[1] !== 'api') return { start: 1, version: 10 };
  const named = segments[2] ?? '';
  const version = VERSIONS.get(named);
  if (version !== undefined) return { start: 3, version };
  return /^v\d+$/.test(named) ? null : { start: 2, version: 10 };
}

/**
 * The path as sent, without `{base_url}`, and with `-` for a webhook token. The prefix of version 9 stays
 * (docs/relay.md, R-20).
 */
export function forwardedPath({ row, version }: Pick<Matched, 'row' | 'version'>, path: string): string {
  const start = baseOf(decodeSegments(path) ?? [])?.start ?? 1;
  const names = row.path.split('/').slice(1);
  const segments = path.split('/').slice(start);
  const behind = segments.map((segment, at) => `/${names[at] === ':webhookToken' ? '-' : segment}`).join('');
  return version === 9 ? REST_PATH_V9 + behind : behind;
}

/** Appends parameter values to `values`. */
function find(step: Step, segments: string[], at: number, values: string[]): Step | null {
  const segment = segments[at];
  if (segment === undefined) return step.isEnd ? step : null;
  const named = step.literals.get(segment);
  const found = named && find(named, segments, at + 1, values);
  if (found || !step.param) return found ?? null;
  const { length } = values;
  values.push(segment);
  const ofParam = find(step.param, segments, at + 1, values);
  if (!ofParam) values.length = length;
  return ofParam;
}

function paramsOf(row: Route, values: string[]): PathParams {
  const params: Record<string, string> = {};
  for (let at = 0; at < values.length; at += 1) params[row.paramNames[at] ?? ''] = values[at] ?? '';
  return params;
}
