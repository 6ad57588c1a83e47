import { randomUUID } from 'node:crypto';
import type { Locale } from 'discord-api-types/v10';
import type { Config } from './config.js';
import { ApplicationViews, BotTokens, SecretUses } from './domain/applications/index.js';
import { type BoxDoor, BoxMeasures, type BoxRoutes, type ParityRow } from './domain/boxes/index.js';
import type { EventBus } from './domain/bus-message.js';
import type { Actor, CallContext } from './domain/call.js';
import { Recipients } from './domain/channels/index.js';
import { refusalIn } from './domain/errors.js';
import type { DomainEvent } from './domain/events.js';
import type { GuildHome } from './domain/guilds/index.js';
import { type Endpoints, nextOverdue, OverdueInteractions, settleOverdue } from './domain/interactions/index.js';
import type { Ping } from './domain/interactions-endpoints/index.js';
import type { DomainJobPayloads } from './domain/job-payloads.js';
import { createKnownCredentials, type KnownCredentials } from './domain/known-credentials.js';
import type { LatestChanges } from './domain/latest-changes.js';
import { LiveProcess } from './domain/live-processes/index.js';
import { FileQuota } from './domain/messages/index.js';
import { Connections, PresenceCounts } from './domain/presences/index.js';
import { storeExecution } from './domain/webhooks/index.js';
import { Writes } from './domain/writes.js';
import { Bodies } from './http/bodies.js';
import type { FindClientAddress } from './http/client-address.js';
import type { AddressSignatures } from './infra/address-signatures.js';
import type { BlobStore } from './infra/blobs.js';
import type { Clock } from './infra/clock.js';
import type { Database } from './infra/database/index.js';
import type { NextId } from './infra/ids.js';
import type { InstanceKeys } from './infra/instance-keys.js';
import { Jobs } from './infra/jobs/index.js';
import type { Logger } from './infra/logger.js';
import type { Mailer } from './infra/mail.js';
import type { Metrics } from './infra/metrics.js';
import type { Outbound } from './infra/outbound.js';
import type { RateLimits } from './infra/rate-limits.js';
import { SlowHashes } from './infra/slow-hashes.js';
import { TimesOfUse } from './infra/times-of-use.js';

/** The addresses of the running instance; filled in when the listener has its port. */
export interface Addresses {
  /** The origin, without a trailing slash. */
  publicUrl: string;
  /** The gateway's address, without a query. */
  gatewayUrl: string;
  /** Where the one listener is, as an origin. */
  listeningAt: string;
  /** The origin of `/metrics`, `/healthz` and `/readyz`. */
  operationsUrl: string;
  /** Of attachment addresses. */
  signatures: AddressSignatures;
}

/** Everything a process has one of. */
export interface AppContext {
  config: Config;
  addresses: Addresses;
  keys: InstanceKeys;
  /** Tells by which address a request or an upgrade counts; `request.ip` of an HTTP request is the same. */
  clientAddress: FindClientAddress;
  log: Logger;
  clock: Clock;
  nextId: NextId;
  db: Database;
  bus: EventBus;
  blobs: BlobStore;
  mailer: Mailer;
  /** Requests to addresses that somebody else chose. */
  outbound: Outbound;
  limits: RateLimits;
  metrics: Metrics;
  /** Where guilds live, for access and for the gateway. */
  guilds: GuildHome;
  /** Which boxes have which guilds. */
  boxRoutes: BoxRoutes;
  /** What works on boxes. */
  parity: readonly ParityRow[];
  /** The way to boxes. */
  boxes: BoxDoor;
  /** Who is in direct channels. */
  recipients: Recipients;
  /** What is remembered of applications. */
  applications: ApplicationViews;
  botTokens: BotTokens;
  /** When secrets of applications were last used. */
  secretUses: SecretUses;
  /** What became of requests to boxes. */
  boxMeasures: BoxMeasures;
  known: KnownCredentials;
  /** Of secrets that whoever guesses may try often. */
  slowHashes: SlowHashes;
  writes: Writes;
  /** How much the files of one account's messages may take. */
  fileQuota: FileQuota;
  /** What requests hold while they are received. */
  bodies: Bodies;
  /** What happens later. */
  jobs: Jobs<DomainJobPayloads>;
  /** What was told of members and messages. */
  changes: LatestChanges;
  /**
   * Renders an event and publishes it. Never throws: what fails is logged.
   * @param since of `changes`, when what the event shows began to be read; nothing where it shows nothing along
   */
  publish: (event: DomainEvent, since?: number) => void;
  /** The way to applications' interactions endpoints. */
  endpoints: Endpoints;
  /** Looks after interactions that nobody answers in time. */
  overdue: OverdueInteractions;
  /** This process's life: what belongs to its connections ends with it. */
  live: LiveProcess;
  /** The connections to this process by which people and bots are there. */
  connections: Connections;
  presenceCounts: PresenceCounts;
  /** When webhooks were last executed. */
  executions: TimesOfUse<bigint>;
  /** Renders what an interactions endpoint is probed with. */
  renderPing: (ping: Ping) => string;
  /** What is done for nobody in particular. */
  callOfNobody: () => CallContext;
  /** What the process does without at present: `redis`, `snowflake-worker`. Empty when it has everything. */
  degraded: () => string[];
}

/** The parts the rest of the context is made from. */
export type ContextParts = Omit<
  AppContext,
  | 'recipients'
  | 'applications'
  | 'botTokens'
  | 'secretUses'
  | 'boxMeasures'
  | 'known'
  | 'slowHashes'
  | 'writes'
  | 'fileQuota'
  | 'bodies'
  | 'jobs'
  | 'overdue'
  | 'live'
  | 'connections'
  | 'presenceCounts'
  | 'executions'
  | 'callOfNobody'
>;

export function createAppContext(parts: ContextParts): AppContext {
  const known = createKnownCredentials(parts.db.reader, parts.clock);
  const applications = new ApplicationViews(parts.db.reader, parts.bus, parts.clock);
  const jobs = new Jobs<DomainJobPayloads>({ ...parts, registry: parts.metrics.registry });
  const callOfNobody = () => callContext(app, { kind: 'anonymous' });
  const secretUses = new SecretUses({ ...parts, callOfNobody });
  const live = new LiveProcess({ ...parts, isShared: isShared(parts) });
  const app: AppContext = {
    ...parts,
    recipients: new Recipients(parts.db.reader),
    applications,
    botTokens: new BotTokens(applications, known, secretUses),
    secretUses,
    boxMeasures: new BoxMeasures({ ...parts, callOfNobody }),
    known,
    slowHashes: new SlowHashes(),
    fileQuota: new FileQuota(parts.db.reader, parts.clock, parts.config.filesPerAccountMb),
    writes: new Writes({ ...parts, jobs }),
    bodies: new Bodies(),
    jobs,
    callOfNobody,
    live,
    connections: new Connections({ ...parts, live, callOfNobody }),
    presenceCounts: new PresenceCounts(parts.db.reader, parts.clock, () => live.now()),
    executions: new TimesOfUse(parts, (id, usedAt) => callOfNobody().writeOne((db) => storeExecution(db, id, usedAt))),
    overdue: new OverdueInteractions(parts.clock, () => lookAfterInteractions(app)),
  };
  return app;
}

/** Whether several processes share the database. */
function isShared({ config, db }: Pick<AppContext, 'config' | 'db'>): boolean {
  return config.redisUrl !== null && db.dialect === 'postgresql';
}

/** Settles interactions whose time is over, and has the next be looked at. What fails now is done by another process, or in a minute. */
async function lookAfterInteractions(app: AppContext): Promise<void> {
  try {
    await settleOverdue(app.callOfNobody());
    const next = await nextOverdue(app.db.reader);
    if (next !== null) app.overdue.lookAt(next);
  } catch (error) {
    if (!refusalIn(error)) app.log.error({ err: error }, 'interactions that are over could not be settled');
  }
}

export interface CallOptions {
  requestId?: string;
  workKey?: string | null;
  locale?: Locale | null;
  auditReason?: string | null;
}

/** What one call is handed: the process's context, and who is calling. */
export function callContext(app: AppContext, actor: Actor, options: CallOptions = {}): CallContext {
  const requestId = options.requestId ?? randomUUID();
  const since = app.changes.now();
  const call: CallContext = {
    actor,
    requestId,
    workKey: options.workKey ?? null,
    locale: options.locale ?? null,
    auditReason: options.auditReason ?? null,
    because: (auditReason) => callContext(app, actor, { ...options, requestId, auditReason }),
    log: app.log.child({ requestId }),
    clock: app.clock,
    nextId: app.nextId,
    blobs: app.blobs,
    fileQuota: app.fileQuota,
    limits: app.limits,
    outbound: app.outbound,
    guilds: app.guilds,
    boxRoutes: app.boxRoutes,
    hasBoxWebhooks: app.config.selfHostedWebhooks === 'forward',
    hasBuiltIns: app.config.builtInCommands,
    boxes: app.boxes,
    recipients: app.recipients,
    applications: app.applications,
    bus: app.bus,
    endpoints: app.endpoints,
    slowHashes: app.slowHashes,
    overdue: app.overdue,
    live: app.live,
    connections: app.connections,
    presenceCounts: app.presenceCounts,
    executions: app.executions,
    publicUrl: app.addresses.publicUrl,
    portalUrl: `${app.addresses.publicUrl}/portal`,
    passwordUrl: `${app.addresses.publicUrl}/oauth2/password`,
    read: app.db.reader,
    announce: (event) => app.publish(event, since),
    renderPing: app.renderPing,
    write: (work, writeOptions) => app.writes.transaction(call, since, work, writeOptions),
    writeOne: (statement, event, writeOptions) => app.writes.statement(since, statement, event, writeOptions),
  };
  return call;
}
