import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import { createAccounts } from './accounts/index.js';
import { createCdnEntrypoint } from './cdn/index.js';
import { type Config, StartError } from './config.js';
import { type AppContext, createAppContext } from './context.js';
import { BoxClientRef, BoxRoutes, countBoxesAway } from './domain/boxes/index.js';
import type { Heard } from './domain/bus-message.js';
import { DatabaseGuildStore, type GuildStore, RoutingGuildStore } from './domain/guilds/index.js';
import { InstanceLimits, withInstanceLimits } from './domain/instance-limits/index.js';
import type { Endpoints } from './domain/interactions/index.js';
import { jobKinds } from './domain/jobs.js';
import { type Conflict, countLive, type HeartbeatEvents } from './domain/live-processes/index.js';
import { openSetup } from './domain/operators/index.js';
import { endProcess } from './domain/presences/index.js';
import type { Entrypoint } from './entrypoint.js';
import { type ConnectionClass, createGatewayEntrypoint, type LifeMessage, type MoveMessage } from './gateway/index.js';
import { answerBrokenRequest } from './http/broken-requests.js';
import { createClientAddress } from './http/client-address.js';
import { HttpDrain } from './http/drain.js';
import { httpFault } from './http/faults.js';
import { LatestResponses } from './http/latest-responses.js';
import { MachineSocket } from './http/machine-socket.js';
import { knowUnusualMethods } from './http/methods.js';
import { mountOperations } from './http/operations.js';
import { closeQueuedResponses } from './http/queued-responses.js';
import { type Phase, type Readiness, ReadinessChecks } from './http/readiness.js';
import { watchRequests } from './http/requests.js';
import { dropUnreadBodies, keepConnections } from './http/unread-bodies.js';
import { handleUnrouted } from './http/unrouted.js';
import { routeUpgrades } from './http/upgrades.js';
import { memoizeWithTtl } from './infra/caching/memoize-with-ttl.js';
import { type Clock, systemClock } from './infra/clock.js';
import { isDoneWithin } from './infra/concurrency/timeouts.js';
import { createAddressSignatures } from './infra/crypto/address-signatures.js';
import { SharedKeys } from './infra/crypto/shared-keys.js';
import { warnUnlessReachable } from './infra/mail.js';
import { createLogger, type Logger } from './infra/observability/logger.js';
import { watchEventLoop } from './infra/observability/loop-lag.js';
import {
  createMetrics,
  endMetrics,
  type Measures,
  showBoxesAway,
  showDisk,
  showLive,
  showPool,
  showReadiness,
  showRedis,
} from './infra/observability/metrics.js';
import { createBus } from './infra/processes/bus.js';
import { createReports } from './infra/processes/reports.js';
import type { RateLimits } from './infra/rate-limits.js';
import { STREAM_GAP } from './infra/streams/stream.js';
import { topics } from './infra/streams/topics.js';
import { createOAuthEntrypoint } from './oauth/index.js';
import { createPortalEntrypoint } from './portal/index.js';
import { createUplink, type Dial, type EnteredBox, enterBox, requireNoBox } from './relay/box/index.js';
import {
  type BoxInterceptor,
  CloudBotDirectory,
  type CrossProcessMessage,
  createDirectory,
  createRelay,
  type Relay,
  RemoteGuildStore,
} from './relay/cloud/index.js';
import { type Clocks, openResources } from './resources.js';
import {
  createEndpoints,
  createRestEntrypoint,
  everythingHere,
  parityRows,
  performHanded,
  type RestInterceptor,
} from './rest-compat/index.js';
import { graphqlEntrypoint } from './schema/entrypoint.js';
import { renderEvent } from './wire/events/index.js';
import { renderPing } from './wire/interactions-endpoints.js';

/** For tests, and for the sandbox. */
export interface Overrides {
  /** The time of the service. */
  clock?: Clock;
  /** Mounted in addition to the platform's own. */
  entrypoints?: (app: AppContext) => Entrypoint[];
  interceptors?: Interceptors;
  /** See `AppContext.connectionClock`. Default: `clock`. */
  connectionClock?: Clock;
  /** Replaces the rate limits of the configuration. */
  limits?: RateLimits;
  log?: Logger;
  /** May delegate to the database store. */
  guilds?: (database: GuildStore) => GuildStore;
  /** For the reconnect delay, from 0 to below 1. */
  random?: () => number;
  /** Defaults to true. */
  jobs?: boolean;
}

/** Observe and disturb what the platform exchanges with bots. */
export interface Interceptors {
  rest?: RestInterceptor;
  gateway?: ConnectionClass;
  endpoints?: (endpoints: Endpoints) => Endpoints;
  /** In the cloud. */
  boxes?: BoxInterceptor;
  /** On a box: its connections to the cloud. */
  dial?: Dial;
}

export interface Server {
  app: AppContext;
  /** Resolves with the public origin. */
  start(): Promise<string>;
  /**
   * Resolves when the cloud refuses this box, or another process takes over the database. The process runs until it is
   * stopped.
   */
  refused: Promise<StartError>;
  /** The page on which a person becomes the first operator. Null if there is an operator. */
  setupPage(): Promise<string | null>;
  /** Finishes running requests first. Safe to call more than once. */
  stop(): Promise<void>;
}

/** Parts of the time of a shutdown. Gateway sessions leave after requests have ended. */
const STOP_SHARES = { requests: 0.35, closing: 0.15 };

/** The system may allow fewer. */
const BACKLOG = 4_096;

/** Time to receive a request: enough for 25 MiB on a slow connection. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Other sites can neither frame a page nor learn its address. Pages may override these. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
};

const CONFLICTS: Record<Conflict, string> = {
  unheard:
    'another Causeway process uses the database of DATABASE_URL, and one of the two has no REDIS_URL. Set REDIS_URL for both, or stop one of them. If the other process was killed, wait half a minute',
  keys: 'SECRET_KEYS differs from the other processes on this database, so they would reject signatures of each other. To change a key, first add it as the second key of all processes, then move it to the first place (docs/operations.md, "Keys")',
};

function refusalOf(conflict: Conflict): StartError {
  return new StartError(CONFLICTS[conflict]);
}

const NEVER = new Promise<StartError>(() => {});

/** Counts before the first query. */
const NOBODY = { processes: 0, presences: 0, voiceStates: 0 };

/**
 * Also enrols a box.
 * @throws {StartError}
 */
async function openInstance(config: Config, log: Logger, clocks: Clocks, measures: Measures) {
  const { box, dataDir } = config;
  if (box === null) {
    requireNoBox(dataDir);
    return { resources: await openResources(config, log, clocks, measures), box: null };
  }
  const found: { box: EnteredBox | null } = { box: null };
  const opened = await openResources(config, log, clocks, measures, async (db) => {
    found.box = await enterBox({ box, dataDir, db, clock: clocks.connectionClock, log });
    return found.box.enrolment.idSpace;
  });
  return { resources: opened, box: found.box };
}

/** The listener starts in `start`. */
export async function createServer(config: Config, overrides: Overrides = {}): Promise<Server> {
  const log = overrides.log ?? (await createLogger(config.logLevel));
  const clock = overrides.clock ?? systemClock;
  const connectionClock = overrides.connectionClock ?? clock;
  const loop = watchEventLoop();
  const metrics = createMetrics(loop);
  const opened = await openInstance(config, log, { clock, connectionClock }, metrics).catch((error: unknown) => {
    loop.stop();
    endMetrics(metrics);
    throw error;
  });
  const { close, redis, ...resources } = opened.resources;
  showPool(metrics, resources.db.connections);
  if (redis) showRedis(metrics, () => !redis.isAway());
  const addresses = {
    publicUrl: config.publicUrl ?? '',
    listeningAt: '',
    operationsUrl: '',
    gatewayUrl: config.gatewayPublicUrl ? `${config.gatewayPublicUrl}/gateway` : '',
    signatures: createAddressSignatures(resources.keys.addresses, clock),
  };
  const boxClient = new BoxClientRef();
  const databaseStore = new DatabaseGuildStore(resources.db.reader, resources.bus, clock, () => app.live.now());
  const boxRoutes = new BoxRoutes(resources.db.reader, resources.bus, clock, config.box !== null);
  const bots = new CloudBotDirectory(resources.db.reader, clock, {
    application: (id) => app.applications.application(id),
  });
  const remoteStore = new RemoteGuildStore({
    boxClient,
    routes: boxRoutes,
    reader: resources.db.reader,
    bots,
    bus: resources.bus,
    clock: connectionClock,
    log,
  });
  const intercepted = overrides.interceptors?.endpoints ?? ((endpoints) => endpoints);
  const instanceLimits = new InstanceLimits({
    ...resources,
    reader: resources.db.reader,
    clock,
    connectionClock,
    log,
    reports: redis && createReports(redis, 'refusals', connectionClock),
    filesPerAccountMb: config.filesPerAccountMb,
  });
  const app: AppContext = createAppContext({
    ...resources,
    limits: withInstanceLimits(overrides.limits ?? resources.limits, instanceLimits),
    instanceLimits,
    degraded: () => [...resources.degraded(), ...(uplink?.isConnected === false ? ['cloud' as const] : [])],
    config,
    guilds:
      overrides.guilds?.(databaseStore) ??
      (config.box ? databaseStore : new RoutingGuildStore(databaseStore, remoteStore, boxRoutes)),
    boxRoutes,
    boxes: boxClient,
    parity: parityRows(config),
    addresses,
    clientAddress: createClientAddress(config.trustProxy),
    log,
    clock,
    connectionClock,
    metrics,
    render: (event) => renderEvent(event, addresses),
    endpoints: intercepted(createEndpoints({ ...resources, clock, addresses, metrics })),
    renderPing,
  });
  const responses = new LatestResponses();
  const http = createHttp(app, responses);
  responses.watch(http.server);
  dropUnreadBodies(http.server);
  closeQueuedResponses(http.server);
  const drain = new HttpDrain(http.server);
  const state = { phase: 'starting' as Phase };
  const phase = () => state.phase;
  const readiness = new ReadinessChecks(app, loop, phase);
  showLive(
    metrics,
    memoizeWithTtl(connectionClock, NOBODY, () => countLive(app.db.reader, app.live.now())),
  );
  showReadiness(
    metrics,
    memoizeWithTtl<Readiness>(connectionClock, { status: 'unavailable', degraded: [] }, () => readiness.check()),
  );
  showDisk(metrics, config.dataDir);
  showBoxesAway(
    metrics,
    memoizeWithTtl(connectionClock, 0, () => countBoxesAway(app.db.reader, clock.now())),
  );
  const operations = { phase, readiness, metrics: app.metrics };
  const operationsHttp = config.metricsPort === null ? http : fastify();
  mountOperations(operationsHttp, operations);
  const accounts = createAccounts(app);
  const crossProcessBus = redis && createBus<CrossProcessMessage>(redis, log);
  const relay = createRelay(app, bots, crossProcessBus, overrides.interceptors?.boxes);
  const directory = createDirectory(app, relay.transports, redis && new SharedKeys(redis));
  boxClient.set(relay.boxClient);
  const entrypoints: Entrypoint[] = [
    accounts,
    graphqlEntrypoint(app, accounts.callerFromHeaders),
    createPortalEntrypoint(app),
    createCdnEntrypoint(app),
    createOAuthEntrypoint(app, accounts.pageSessions),
    createRestEntrypoint(
      app,
      accounts.personFromHeaders,
      config.box ? everythingHere : directory,
      overrides.interceptors?.rest,
    ),
    createGatewayEntrypoint(
      app,
      redis && createBus<MoveMessage>(redis, log),
      redis && createBus<LifeMessage>(redis, log),
      overrides.interceptors?.gateway,
    ),
    ...(config.box ? [] : [relay.entrypoint]),
    ...(overrides.entrypoints?.(app) ?? []),
  ];
  const uplink = dialsCloud(opened.box)
    ? createUplink(app, {
        ...opened.box,
        perform: performHanded(app),
        random: overrides.random,
        dial: overrides.interceptors?.dial,
      })
    : null;
  if (uplink) entrypoints.push(uplink);
  for (const entrypoint of entrypoints) await entrypoint.mount?.(http);
  routeUpgrades(http.server, entrypoints, responses);
  const machine = config.box ? null : new MachineSocket(http, { dataDir: config.dataDir, log });

  let stopping: Promise<void> | undefined;
  return {
    app,
    async setupPage() {
      const token = await openSetup(app.db);
      return token && `${addresses.publicUrl}/portal/setup#${token}`;
    },
    refused: Promise.race([uplink?.refused ?? NEVER, app.db.alone?.taken ?? NEVER, app.live.conflict.then(refusalOf)]),
    async start() {
      await app.instanceLimits.load();
      const conflict = await app.live.join();
      if (conflict) throw refusalOf(conflict);
      for (const entrypoint of entrypoints) await entrypoint.prepare?.();
      if (operationsHttp !== http) await listen(operationsHttp, config.host, config.metricsPort ?? 0);
      const port = await listen(http, config.host, config.port, config.socketFd);
      app.addresses.listeningAt = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
      app.addresses.publicUrl ||= `http://localhost:${port}`;
      app.addresses.gatewayUrl ||= `${app.addresses.publicUrl.replace(/^http/, 'ws')}/gateway`;
      app.addresses.operationsUrl = `http://localhost:${portOf(operationsHttp)}`;
      await app.live.begin(liveProcessEvents(app, relay));
      app.bus.subscribe(topics.sessions, (message) => heedSignOut(app, message));
      await machine?.open();
      state.phase = 'ready';
      if (overrides.jobs !== false) app.jobs.start(jobKinds(app));
      uplink?.start();
      if (config.smtpUrl !== null) void warnUnlessReachable(config.smtpUrl, log);
      return app.addresses.publicUrl;
    },
    stop() {
      stopping ??= (async () => {
        state.phase = 'draining';
        app.connections.stop();
        const until = shutdownTimes(config.drainTimeoutMs);
        if (readiness.isWatched) await setTimeout(config.drainDelayMs);
        // Closing connections earlier would make clients reconnect just as the listener closes.
        drain.announce();
        const jobsStopped = app.jobs.stop();
        await drain.stopListening();
        const ended = entrypoints.map((entrypoint) => entrypoint.drain?.());
        const drained = [...ended, jobsStopped, drain.settled(), machine?.close()];
        await isDoneWithin(until.requests - performance.now(), Promise.all(drained));
        const parted = [
          ...entrypoints.map((entrypoint) => entrypoint.leave?.(until.leaving)),
          drain.endIdleConnections(),
        ];
        const left = Promise.all([...drained, ...parted]).then(() =>
          Promise.all([leave(app), app.executions.settle(), app.personalTokenUses.settle()]),
        );
        const finish = Promise.all([left, resources.mailer.settle()]);
        if (!(await isDoneWithin(until.leaving - performance.now(), finish))) {
          log.warn('Some connections did not end in time; closing them');
          http.server.closeAllConnections();
          machine?.closeAllConnections();
        }
        const closed = Promise.all([http.close(), jobsStopped]).then(close);
        await isDoneWithin(until.closing - performance.now(), Promise.all([closed, operationsHttp.close()]));
        loop.stop();
        endMetrics(metrics);
      })();
      return stopping;
    },
  };
}

/** Ends of the parts of a shutdown that begins now, from `performance.now()`. */
function shutdownTimes(allMs: number) {
  const now = performance.now();
  return {
    requests: now + allMs * STOP_SHARES.requests,
    leaving: now + allMs * (1 - STOP_SHARES.closing),
    closing: now + allMs,
  };
}

function dialsCloud(box: EnteredBox | null): box is EnteredBox {
  return box !== null && !box.isAlone;
}

function liveProcessEvents(app: AppContext, relay: Relay): HeartbeatEvents {
  return {
    async endProcess(processId) {
      await relay.endProcess(processId);
      await endProcess(app.callOfNobody(), processId, app.live.isShared);
    },
    onLost() {
      relay.restate();
      void app.connections.restate();
    },
  };
}

function heedSignOut({ connections }: AppContext, message: Heard): void {
  if (message.type === STREAM_GAP) void connections.checkSessions();
  else if (message.invalidates.includes('session') && message.userId !== undefined) {
    void connections.checkSessions(BigInt(message.userId));
  }
}

/** If this fails, other processes clean up after this process's heartbeat expires. */
async function leave({ boxMeasures, connections, live, log, secretUses }: AppContext): Promise<void> {
  try {
    await secretUses.store();
    await boxMeasures.store();
    await connections.settle();
    await live.end();
  } catch (error) {
    log.warn(
      { err: error },
      'Could not clean up the connections of this process; other processes will do so after its heartbeat expires',
    );
  }
}

/** @returns the port */
async function listen(http: FastifyInstance, host: string, port: number, fd: number | null = null): Promise<number> {
  // Fastify's types omit `fd`.
  await http.listen({ host, port, backlog: BACKLOG, ...(fd === null ? {} : { fd }) });
  return portOf(http);
}

function portOf(http: FastifyInstance): number {
  return (http.server.address() as AddressInfo).port;
}

function createHttp(app: AppContext, responses: LatestResponses): FastifyInstance {
  const http = fastify({
    loggerInstance: app.log,
    genReqId: () => randomUUID(),
    logController: new LogController({ disableRequestLogging: true }),
    // Above Fastify's default of 100, so that entry points refuse long parameters in their own format.
    routerOptions: { maxParamLength: 4_096 },
    forceCloseConnections: 'idle',
    // Serves requests that arrive during shutdown.
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (_error, _request, reply) => {
      const body = JSON.stringify(httpFault(400));
      reply.hijack();
      reply.raw
        .writeHead(400, {
          ...SECURITY_HEADERS,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, responses.of(socket)),
  }) as unknown as FastifyInstance;
  // Fastify's `trustProxy` also trusts the protocol and host headers.
  http.decorateRequest('ip', {
    getter() {
      return app.clientAddress(this.raw);
    },
  });
  http.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
  watchRequests(http, app);
  keepConnections(http);
  if (app.config.trustProxy === null) warnOfProxy(http, app.log);
  knowUnusualMethods(http);
  // Entry points read bodies within their own limits.
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', (_request, _payload, done) => done(null));
  handleUnrouted(http, app.log);
  return http;
}

function warnOfProxy(http: FastifyInstance, log: Logger): void {
  let isSaid = false;
  http.addHook('onRequest', ({ headers }, _reply, done) => {
    if (!isSaid && headers['x-forwarded-for'] !== undefined) {
      isSaid = true;
      log.warn('Ignored the X-Forwarded-For header of a request; if a proxy sets it, add the proxy to TRUST_PROXY');
    }
    done();
  });
}
