import { randomUUID } from 'node:crypto';
import type { Locale } from 'discord-api-types/v10';
import type { Config } from './config.js';
import { ApplicationViews, BotTokens, SecretUses } from './domain/applications/index.js';
import { BoxMeasures, type ParityRow } from './domain/boxes/index.js';
import type { EventBus, Publication } from './domain/bus-message.js';
import type { Actor, CallContext, Dependencies } from './domain/call.js';
import { Recipients } from './domain/channels/index.js';
import { refusalIn } from './domain/errors.js';
import type { DomainEvent } from './domain/events.js';
import { nextOverdue, OverdueInteractions, settleOverdue } from './domain/interactions/index.js';
import type { DomainJobPayloads } from './domain/job-payloads.js';
import { createKnownCredentials, type KnownCredentials } from './domain/known-credentials.js';
import { LiveProcess } from './domain/live-processes/index.js';
import { FileQuota } from './domain/messages/index.js';
import { RecentSuspensions } from './domain/operators/index.js';
import { PersonalTokens, storePersonalTokenUse } from './domain/personal-tokens/index.js';
import { Connections, PresenceCounts } from './domain/presences/index.js';
import { storeExecution } from './domain/webhooks/index.js';
import { Writes } from './domain/writes.js';
import { Bodies } from './http/bodies.js';
import type { FindClientAddress } from './http/client-address.js';
import type { Clock } from './infra/clock.js';
import { KeyedMutex } from './infra/concurrency/mutex.js';
import type { AddressSignatures } from './infra/crypto/address-signatures.js';
import type { InstanceKeys } from './infra/crypto/instance-keys.js';
import { SlowHashes } from './infra/crypto/slow-hashes.js';
import type { Database } from './infra/database/index.js';
import { Images } from './infra/images.js';
import { Jobs } from './infra/jobs/index.js';
import type { Mailer } from './infra/mail.js';
import type { DegradedPart, Metrics } from './infra/observability/metrics.js';
import { TimesOfUse } from './infra/times-of-use.js';

/** Complete when the port is known. */
export interface Addresses {
  /** Origin, without a trailing slash. */
  publicUrl: string;
  /** Without a query. */
  gatewayUrl: string;
  /** Origin of the main listener. */
  listeningAt: string;
  /** Origin of `/metrics`, `/healthz` and `/readyz`. */
  operationsUrl: string;
  /** For attachment URLs. */
  signatures: AddressSignatures;
}

/** Exists once per process. */
export interface AppContext extends Omit<Dependencies, 'messageInserts'> {
  config: Config;
  addresses: Addresses;
  keys: InstanceKeys;
  /** For rate limits; the same as `request.ip`. */
  clientAddress: FindClientAddress;
  db: Database;
  /**
   * Real time, for what connects this process to others: heartbeats, timeouts of connections and requests, retries,
   * leases, drains and checks. Everything else follows `clock`, the time of the service: ids, timestamps, expiry,
   * windows, limits and jobs. Both are the same unless an instance can move the time of its service.
   */
  connectionClock: Clock;
  bus: EventBus;
  mailer: Mailer;
  metrics: Metrics;
  /** Features that work on boxes. */
  parity: readonly ParityRow[];
  recipients: Recipients;
  botTokens: BotTokens;
  secretUses: SecretUses;
  personalTokens: PersonalTokens;
  personalTokenUses: TimesOfUse<bigint>;
  /** Request statistics of boxes. */
  boxMeasures: BoxMeasures;
  known: KnownCredentials;
  suspensions: RecentSuspensions;
  writes: Writes;
  fileQuota: FileQuota;
  bodies: Bodies;
  jobs: Jobs<DomainJobPayloads>;
  /** A pure function. */
  render: (event: DomainEvent) => Publication;
  /** Publishes an event without a commit. Errors are logged, never thrown. */
  publish: (event: DomainEvent) => void;
  overdue: OverdueInteractions;
  /** This process's heartbeat. The state of its connections ends with it. */
  live: LiveProcess;
  connections: Connections;
  presenceCounts: PresenceCounts;
  executions: TimesOfUse<bigint>;
  callOfNobody: () => CallContext;
  /** Such as `redis` or `snowflake-worker`. */
  degraded: () => DegradedPart[];
}

export type ContextParts = Omit<
  AppContext,
  | 'recipients'
  | 'applications'
  | 'botTokens'
  | 'secretUses'
  | 'personalTokens'
  | 'personalTokenUses'
  | 'boxMeasures'
  | 'known'
  | 'suspensions'
  | 'slowHashes'
  | 'writes'
  | 'publish'
  | 'fileQuota'
  | 'images'
  | 'mutexes'
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
  const writes = new Writes({ ...parts, jobs });
  const callOfNobody = () => callContext(app, { kind: 'anonymous' });
  const secretUses = new SecretUses({ ...parts, callOfNobody });
  const personalTokenUses = new TimesOfUse<bigint>(parts, (id, usedAt) =>
    callOfNobody().writeOne((db) => storePersonalTokenUse(db, id, usedAt)),
  );
  const live = new LiveProcess({ ...parts, clock: parts.connectionClock, isShared: isShared(parts) });
  const app: AppContext = {
    ...parts,
    recipients: new Recipients(parts.db.reader),
    applications,
    botTokens: new BotTokens(applications, known, secretUses),
    secretUses,
    personalTokens: new PersonalTokens({ ...parts, read: parts.db.reader, uses: personalTokenUses }),
    personalTokenUses,
    boxMeasures: new BoxMeasures({ ...parts, callOfNobody }),
    known,
    suspensions: new RecentSuspensions(parts),
    slowHashes: new SlowHashes(),
    images: new Images(),
    mutexes: { prunes: new KeyedMutex() },
    fileQuota: new FileQuota(parts.db.reader, parts.clock, parts.instanceLimits),
    writes,
    publish: (event) => writes.announce(event),
    bodies: new Bodies(),
    jobs,
    callOfNobody,
    live,
    connections: new Connections({ ...parts, clock: parts.connectionClock, live, callOfNobody }),
    presenceCounts: new PresenceCounts(parts.db.reader, parts.clock, () => live.now()),
    executions: new TimesOfUse(parts, (id, usedAt) => callOfNobody().writeOne((db) => storeExecution(db, id, usedAt))),
    overdue: new OverdueInteractions(parts, () => lookAfterInteractions(app)),
  };
  return app;
}

function isShared({ config, db }: Pick<AppContext, 'config' | 'db'>): boolean {
  return config.redisUrl !== null && db.dialect === 'postgresql';
}

/** Also scheduled every minute as a job, which retries after a failure. */
async function lookAfterInteractions(app: AppContext): Promise<void> {
  try {
    await settleOverdue(app.callOfNobody());
    const next = await nextOverdue(app.db.reader);
    if (next !== null) app.overdue.lookAt(next);
  } catch (error) {
    if (!refusalIn(error)) app.log.error({ err: error }, 'Could not settle overdue interactions');
  }
}

export interface CallOptions {
  requestId?: string;
  workKey?: string | null;
  locale?: Locale | null;
  auditReason?: string | null;
}

export function callContext(app: AppContext, actor: Actor, options: CallOptions = {}): CallContext {
  const requestId = options.requestId ?? randomUUID();
  const whileActive =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      call.requireActive();
      return work(...args);
    };
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
    images: app.images,
    fileQuota: app.fileQuota,
    limits: app.limits,
    instanceLimits: app.instanceLimits,
    outbound: app.outbound,
    guilds: app.guilds,
    boxRoutes: app.boxRoutes,
    hasBoxWebhooks: app.config.selfHostedWebhooks === 'forward',
    hasBuiltIns: app.config.builtInCommands,
    registration: app.config.registration,
    signUpDomains: app.config.signUpDomains,
    accountDeletionDays: app.config.accountDeletionDays,
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
    mutexes: app.mutexes,
    messageInserts: app.writes.messageInserts,
    publicUrl: app.addresses.publicUrl,
    portalUrl: `${app.addresses.publicUrl}/portal`,
    passwordUrl: `${app.addresses.publicUrl}/oauth2/password`,
    read: app.db.reader,
    requireActive: () => app.suspensions.requireActive(actor),
    announce: app.publish,
    renderPing: app.renderPing,
    write: (work, writeOptions) => app.writes.transaction(call, whileActive(work), writeOptions),
    writeOne: (statement, told) => app.writes.statement(call, whileActive(statement), told),
  };
  return call;
}
