import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';

export interface Config {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** A listening socket from systemd, instead of `host` and `port`; null without one. */
  socketFd: number | null;
  /** Origin for all links, without a trailing slash; null until the port is known. */
  publicUrl: string | null;
  /** WebSocket origin of this process's gateway, if not `publicUrl`. */
  gatewayPublicUrl: string | null;
  dataDir: string;
  /** A `postgresql://` URL; null for SQLite in `dataDir`. */
  databaseUrl: string | null;
  databasePool: number;
  redisUrl: string | null;
  /** Prefix of all Redis keys and channels; ends with a colon. */
  redisPrefix: string;
  /** Sign cookies and file URLs. */
  secretKeys: SecretKeys;
  /** Null for files in `dataDir`. */
  blobs: S3Location | null;
  /** Null for the outbox in `dataDir`, which disables e-mail verification. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Where mails are written without `smtpUrl`. */
  outboxDir: string;
  /** Between a person's request and the deletion of their account; 0 deletes at once. */
  accountDeletionDays: number;
  /** In days; 0 keeps everything. */
  retention: { auditLogDays: number; messageDays: number; outboxDays: number };
  /** Port of `/metrics`, `/healthz` and `/readyz`; null for the main port, 0 for a free one. */
  metricsPort: number | null;
  /** How long a start waits for PostgreSQL and Redis. */
  startWaitMs: number;
  /** On shutdown, reports 503 on `/readyz` and `/healthz` for this long before closing the listener. */
  drainDelayMs: number;
  /** Time limit of a shutdown. */
  drainTimeoutMs: number;
  rateLimits: boolean;
  /** In MiB. */
  filesPerAccountMb: number;
  /** Whether interactions endpoints may use plain HTTP, any port, and private or loopback addresses. */
  allowPrivateEndpoints: boolean;
  /** Null to ignore `X-Forwarded-For`. */
  trustProxy: TrustedProxies | null;
  workerId: number;
  logLevel: LogLevel;
  registration: 'open' | 'invite' | 'closed';
  /** Domains of email addresses that may sign up, in lowercase; empty for all. */
  signUpDomains: readonly string[];
  /** `true` also reserves their names. */
  builtInCommands: boolean;
  /** For webhooks of box channels. */
  selfHostedWebhooks: 'forward' | 'not_found';
  /** Null for a cloud. */
  box: BoxConfig | null;
}

/** The first key signs; signatures of all are accepted. {@link DATABASE_KEY} means the key in the database. */
export type SecretKeys = readonly [newest: string, ...older: string[]];

export const DATABASE_KEY = 'database';

/** AWS's own environment variables give the credentials. */
export interface S3Location {
  bucket: string;
  /** Key prefix: empty, or a path with a trailing slash. */
  prefix: string;
  /** Null for AWS itself. */
  endpoint: string | null;
  /** Null for the region from the environment. */
  region: string | null;
}

export interface BoxConfig {
  /** Without a trailing slash; null if an enrolled box runs without its cloud. */
  cloudUrl: string | null;
  /** Null after enrolment. */
  token: string | null;
}

export type Mode = 'cloud' | 'box';

/** Number or networks of the proxies in front of this process. */
export type TrustedProxies = { hops: number } | { networks: Network[] };

export interface Network {
  address: string;
  prefix: number;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The message says what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly exitCode: number = 1;
}

/** The exit code is EX_CONFIG (sysexits.h), so that service managers do not restart the box. */
export class RefusedByCloud extends StartError {
  override readonly name = 'RefusedByCloud';
  override readonly exitCode = 78;
}

/** `faults` has one line per variable. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';

  constructor(readonly faults: string[]) {
    super(`invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const urlWith = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a full URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    abort: true,
  });

const ORIGIN_FAULT = 'must be an origin (protocol, host and port) without a user, password, path, query or fragment';

const origin = (...protocols: string[]) =>
  urlWith(...protocols)
    .refine((value) => isOrigin(value), { error: ORIGIN_FAULT })
    .transform((value) => new URL(value).origin);

/** The `CLOUD_URL` of a box without a cloud. */
const NONE = 'none';

/** Null means no cloud. */
const cloudOrigin = z.string().transform((value, context): string | null => {
  if (value === NONE) return null;
  const { data, error } = origin('http:', 'https:').safeParse(value);
  if (data !== undefined) return data;
  context.addIssue({ code: 'custom', message: `${error?.issues[0]?.message ?? ORIGIN_FAULT}, or ${NONE}` });
  return z.NEVER;
});

function isOrigin(value: string): boolean {
  const { username, password, pathname } = new URL(value);
  return username === '' && password === '' && pathname === '/' && !/[?#]/.test(value);
}

const MIN_KEY_LENGTH = 32;

const KEYS_FAULT = `must be one key, or two different keys separated by a comma; a key has at least ${MIN_KEY_LENGTH} characters or is the word ${DATABASE_KEY}`;

const secretKeys = z.string().transform((value, context): SecretKeys => {
  const [newest = '', ...older] = value.split(',').map((key) => key.trim());
  const keys = new Set([newest, ...older]);
  const areKeys = [...keys].every((key) => key === DATABASE_KEY || key.length >= MIN_KEY_LENGTH);
  if (areKeys && older.length <= 1 && keys.size === 1 + older.length) return [newest, ...older];
  context.addIssue({ code: 'custom', message: KEYS_FAULT });
  return z.NEVER;
});

const BLOB_URL_FAULT =
  'must be s3://BUCKET or s3://BUCKET/PATH, optionally with endpoint=URL and region=NAME in the query. It must not contain a user or password. PATH may contain letters, digits, -, _ and .';

const s3Location = z.string().transform((value, context): S3Location => {
  const location = URL.canParse(value) ? readS3Location(new URL(value)) : null;
  if (location) return location;
  context.addIssue({ code: 'custom', message: BLOB_URL_FAULT });
  return z.NEVER;
});

const S3_PATH = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

function readS3Location({ protocol, host, username, password, pathname, hash, searchParams }: URL): S3Location | null {
  const endpoint = searchParams.get('endpoint');
  const known = [...searchParams.keys()].every((name) => name === 'endpoint' || name === 'region');
  const isPlain = username === '' && password === '' && hash === '' && known;
  if (protocol !== 's3:' || host === '' || !isPlain) return null;
  if (endpoint !== null && !/^https?:\/\/[^/@?#]+\/?$/.test(endpoint)) return null;
  const path = pathname.replace(/^\/|\/$/g, '');
  if (path !== '' && !S3_PATH.test(path)) return null;
  return { bucket: host, prefix: path && `${path}/`, endpoint, region: searchParams.get('region') };
}

const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on');

/** Higher snowflake workers belong to boxes. */
const MAX_CLOUD_WORKER = 255;

const MAX_HOPS = 32;

const TRUST_PROXY_FAULT = `must be a number of hops from 1 to ${MAX_HOPS}, or addresses and networks separated by commas (such as 10.0.0.0/8, fd00::/8 or loopback), but not all addresses`;

const LOOPBACK: Network[] = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
];

const trustedProxies = z.string().transform((value, context): TrustedProxies => {
  const trusted = /^\d+$/.test(value) ? readHops(Number(value)) : readNetworks(value);
  if (trusted) return trusted;
  context.addIssue({ code: 'custom', message: TRUST_PROXY_FAULT });
  return z.NEVER;
});

function readHops(hops: number): TrustedProxies | null {
  return hops >= 1 && hops <= MAX_HOPS ? { hops } : null;
}

function readNetworks(value: string): TrustedProxies | null {
  const networks = value.split(',').map((text) => readNetwork(text.trim()));
  return networks.includes(null) ? null : { networks: networks.flatMap((network) => network ?? []) };
}

function readNetwork(text: string): Network[] | null {
  if (text === 'loopback') return LOOPBACK;
  const [, address = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  // IPv4 clients never have IPv4-mapped addresses.
  if (version === 0 || /^::ffff:/i.test(address)) return null;
  const bits = version === 4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix >= 1 && prefix <= bits ? [{ address, prefix }] : null;
}

/** `null` is the default, a port of this machine. */
export function isOfThisMachine(publicUrl: string | null): boolean {
  return publicUrl === null || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(publicUrl).hostname);
}

const mailDomains = z
  .string()
  .transform((value) => value.split(',').map((domain) => domain.trim().toLowerCase()))
  .refine((domains) => domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)), {
    error: 'must be domains with commas between them, such as example.com,example.org',
  });

const MAX_DAYS = 3_650;

/** @param least of the days, unless it is 0, which keeps everything */
const days = (least: number) => {
  const fault = `must be a whole number of days from ${least} to ${MAX_DAYS}, or 0 to keep everything`;
  return z
    .string()
    .regex(/^\d+$/, fault)
    .transform(Number)
    .refine((value) => value === 0 || (value >= least && value <= MAX_DAYS), fault);
};

/** Some messages are still needed for this long: answers to interactions, and the keys of jobs that post one. */
const LEAST_MESSAGE_DAYS = 7;

const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4000),
  PUBLIC_URL: origin('http:', 'https:').optional(),
  GATEWAY_PUBLIC_URL: origin('ws:', 'wss:').optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: urlWith('postgresql:', 'postgres:').optional(),
  DATABASE_POOL: wholeNumber(1, 1_000).default(10),
  REDIS_URL: urlWith('redis:', 'rediss:')
    .refine((value) => /^\/?\d*$/.test(new URL(value).pathname), {
      error: 'must have only a database number as its path',
    })
    .optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'must be 1 to 64 letters A to Z or a to z, digits, or any of _ . : -')
    .transform((value) => (value.endsWith(':') ? value : `${value}:`))
    .default('causeway:'),
  SECRET_KEYS: secretKeys.default([DATABASE_KEY]),
  BLOB_URL: s3Location.optional(),
  SHARED_DATA_DIR: onOff.default(false),
  SMTP_URL: urlWith('smtp:', 'smtps:')
    .refine((value) => new URL(value).hostname !== '', { error: 'must name a host' })
    .optional(),
  MAIL_FROM: z.email({ error: 'must be an email address without a display name' }).optional(),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  START_WAIT_MS: wholeNumber(0, 600_000).default(60_000),
  DRAIN_DELAY_MS: wholeNumber(0, 3_000).default(1_000),
  DRAIN_TIMEOUT_MS: wholeNumber(4_000, 600_000).default(9_000),
  ACCOUNT_DELETION_DAYS: wholeNumber(0, 90).default(14),
  AUDIT_LOG_DAYS: days(1).default(0),
  MESSAGE_DAYS: days(LEAST_MESSAGE_DAYS).default(0),
  OUTBOX_DAYS: days(1).default(30),
  RATE_LIMITS: onOff.default(true),
  FILES_PER_ACCOUNT_MB: wholeNumber(1, 1_000_000_000).default(10_240),
  ALLOW_PRIVATE_ENDPOINTS: onOff.optional(),
  REGISTRATION: z.enum(['open', 'invite', 'closed'], { error: 'must be open, invite or closed' }).optional(),
  SIGN_UP_DOMAINS: mailDomains.default([]),
  TRUST_PROXY: trustedProxies.optional(),
  WORKER_ID: wholeNumber(0, MAX_CLOUD_WORKER).default(0),
  BUILT_IN_COMMANDS: onOff.default(true),
  SELF_HOSTED_WEBHOOKS: z.enum(['forward', 'not_found'], { error: 'must be forward or not_found' }).default('forward'),
  CLOUD_URL: cloudOrigin.optional(),
  BOX_TOKEN: z.string().max(200, 'must be the enrolment token exactly as it was shown').optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
});

export type SettingName = keyof typeof Environment.shape;

export const SETTING_NAMES = Object.keys(Environment.shape);

/** Shorter names, such as HOST, resemble too many others. */
const SHORTEST_COMPARED = 8;

/** `BOT_TOKEN` belongs to bot programs. Kubernetes sets the other one for a service with the name of the platform. */
const OF_OTHERS: ReadonlySet<string> = new Set(['BOT_TOKEN', 'CAUSEWAY_PORT']);

/** A prefix that other programs use for their settings. */
const OWN_PREFIX = /^CAUSEWAY_/;

export function misspeltSettings(environment: NodeJS.ProcessEnv = process.env): [given: string, meant: string][] {
  return Object.keys(environment).flatMap((given) => {
    if (SETTING_NAMES.includes(given) || OF_OTHERS.has(given)) return [];
    const meant = SETTING_NAMES.find((name) => isMeant(given.toUpperCase(), name));
    return meant === undefined ? [] : [[given, meant] as [string, string]];
  });
}

function isMeant(given: string, name: string): boolean {
  if (OWN_PREFIX.test(given)) return given.replace(OWN_PREFIX, '') === name;
  return name.length >= SHORTEST_COMPARED && distance(given, name) <= 2;
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 1; j < row.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (letter === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function faultsOfMode(set: Partial<Record<string, string>>, mode: Mode): string[] {
  if (mode === 'cloud') {
    return ['CLOUD_URL', 'BOX_TOKEN'].filter((name) => set[name] !== undefined).map((name) => `${name} ${FOR_BOXES}`);
  }
  return [
    ...(set.CLOUD_URL === undefined ? ["CLOUD_URL must be set to the origin of the box's cloud"] : []),
    ...(set.REDIS_URL === undefined
      ? []
      : ['REDIS_URL cannot be used by a box, which always runs as one process: unset it']),
    ...(set.WORKER_ID === undefined
      ? []
      : ['WORKER_ID cannot be used by a box, because its cloud assigns its id range: unset it']),
  ];
}

/** Processes that share a database must share files. */
function faultsOfSharing(set: Partial<Record<string, string>>): string[] {
  const isShared = set.DATABASE_URL !== undefined && set.REDIS_URL !== undefined;
  if (!isShared || set.BLOB_URL !== undefined || set.SHARED_DATA_DIR === 'on') return [];
  return [
    'BLOB_URL must be set with DATABASE_URL and REDIS_URL, so that all processes share their files: use s3://BUCKET. If DATA_DIR is one folder for all processes, set SHARED_DATA_DIR=on instead',
  ];
}

const FOR_BOXES = 'applies only to a box: start one with `npm run box` or `causeway box`, or unset it';

/** sd_listen_fds(3). */
const FIRST_SOCKET_FD = 3;

/** Child processes inherit the variables but must ignore them. */
function readSocket({ LISTEN_PID, LISTEN_FDS }: NodeJS.ProcessEnv): number | null {
  return LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) >= 1 ? FIRST_SOCKET_FD : null;
}

/**
 * Empty variables count as unset.
 * @throws {ConfigError}
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, mode: Mode = 'cloud'): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(set);
  const unusable = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const faults = [...unusable, ...faultsOfMode(set, mode), ...faultsOfSharing(set)];
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const env = parsed.data;
  const publicUrl = env.PUBLIC_URL ?? (env.PORT === 0 ? null : `http://localhost:${env.PORT}`);
  const dataDir = resolve(env.DATA_DIR);
  return {
    host: env.HOST,
    port: env.PORT,
    socketFd: readSocket(environment),
    publicUrl,
    gatewayPublicUrl: env.GATEWAY_PUBLIC_URL ?? null,
    dataDir,
    databaseUrl: env.DATABASE_URL ?? null,
    databasePool: env.DATABASE_POOL,
    redisUrl: env.REDIS_URL ?? null,
    redisPrefix: env.REDIS_PREFIX,
    secretKeys: env.SECRET_KEYS,
    blobs: env.BLOB_URL ?? null,
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM ?? `no-reply@${publicUrl === null ? 'localhost' : new URL(publicUrl).hostname}`,
    outboxDir: join(dataDir, 'outbox'),
    accountDeletionDays: env.ACCOUNT_DELETION_DAYS,
    retention: { auditLogDays: env.AUDIT_LOG_DAYS, messageDays: env.MESSAGE_DAYS, outboxDays: env.OUTBOX_DAYS },
    metricsPort: env.METRICS_PORT ?? null,
    startWaitMs: env.START_WAIT_MS,
    drainDelayMs: env.DRAIN_DELAY_MS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    filesPerAccountMb: env.FILES_PER_ACCOUNT_MB,
    rateLimits: env.RATE_LIMITS,
    allowPrivateEndpoints: env.ALLOW_PRIVATE_ENDPOINTS ?? isOfThisMachine(publicUrl),
    trustProxy: env.TRUST_PROXY ?? null,
    workerId: env.WORKER_ID,
    logLevel: env.LOG_LEVEL,
    registration: env.REGISTRATION ?? (isOfThisMachine(publicUrl) ? 'open' : 'invite'),
    signUpDomains: env.SIGN_UP_DOMAINS,
    builtInCommands: env.BUILT_IN_COMMANDS,
    selfHostedWebhooks: env.SELF_HOSTED_WEBHOOKS,
    box: env.CLOUD_URL === undefined ? null : { cloudUrl: env.CLOUD_URL, token: env.BOX_TOKEN ?? null },
  };
}
