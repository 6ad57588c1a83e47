import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { showPart } from '../caching/memoize-with-ttl.js';
import type { EventLoopWatch } from './loop-lag.js';

export interface Measures {
  /** Seconds per database statement, including the wait for a connection. */
  statements: Histogram;
  databaseFaults: Counter;
  /** Commands of requests that Redis did not answer in time (`timeout`) or refused (`failed`). */
  redisFaults: Counter<'reason'>;
  /** Gaps of streams, after which subscribers read again. */
  streamGaps: Counter;
  limitRefusals: Counter<'scope'>;
  mails: Counter<'outcome'>;
  /** `received` or `sent`. */
  fileBytes: Counter<'direction'>;
}

/** A label must have few values: never an id or a raw path. */
export interface Metrics extends Measures {
  registry: Registry;
  /** Seconds from request to response. `face` is the entry point (`rest`, `graphql`, …). */
  requests: Histogram<'face' | 'route' | 'status'>;
  /**
   * Seconds from sending an interaction to an endpoint to its outcome: `answered`, `accepted`, `unusable` or `failed`.
   */
  endpointRequests: Histogram<'outcome'>;
  gatewaySessions: Gauge;
  gatewayDispatches: Counter<'type'>;
  /** Seconds from the publication of a guild's event to its dispatch here, once per event. */
  gatewayDispatchLag: Histogram;
  gatewayCloses: Counter<'code'>;
  /** Connections with a session that the client closed, or whose socket broke (`lost`). */
  gatewayClientCloses: Counter<'how'>;
  gatewayAdmissions: Counter<'outcome'>;
  gatewayMoves: Counter<'outcome'>;
  /** Seconds from the departure of sessions to their arrival in another process. */
  gatewayMoveSeconds: Histogram;
  gatewayReplayedEvents: Counter;
  /** Closed because the client read too slowly. */
  slowSubscriptions: Counter;
  relayBoxes: Gauge;
  /** Requests and calls for boxes that arrived at this process, by {@link RelayOutcome}. */
  relayRequests: Counter<'outcome'>;
  relaySeconds: Histogram;
  /** Excludes the time that the box reports as its own. */
  relayAddedSeconds: Histogram;
}

export const RELAY_OUTCOMES = ['answered', '413', '502', '503', '504'] as const;

export type RelayOutcome = (typeof RELAY_OUTCOMES)[number];

const RELAY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.03, 0.05, 0.1, 0.3, 1, 3, 6, 12];

/** Scope of a limit: all requests of a client, one address, the gateway, or one route or action. */
const LIMIT_SCOPES = ['global', 'graphql', 'address', 'identify', 'route'] as const;

export function scopeOf({ name }: { name: string }): (typeof LIMIT_SCOPES)[number] {
  if (name === 'global' || name === 'graphql') return name;
  if (name.startsWith('identify-')) return 'identify';
  return /-an-address$|-at-home$/.test(name) ? 'address' : 'route';
}

export function createMeasures(registry: Registry): Measures {
  const registers = [registry];
  return {
    statements: new Histogram({
      name: 'causeway_database_statement_seconds',
      help: 'Time of a database statement',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
    databaseFaults: new Counter({
      name: 'causeway_database_faults_total',
      help: 'Statements that failed because the database was not available',
      registers,
    }),
    redisFaults: counterOf(registers, 'causeway_redis_faults_total', 'Failed commands to Redis', {
      reason: ['timeout', 'failed'],
    }),
    streamGaps: new Counter({
      name: 'causeway_stream_gaps_total',
      help: 'Gaps in the event streams of this process, after which subscribers read again',
      registers,
    }),
    limitRefusals: counterOf(registers, 'causeway_limit_refusals_total', 'Refusals by a rate limit', {
      scope: LIMIT_SCOPES,
    }),
    mails: counterOf(registers, 'causeway_mails_total', 'Emails, by outcome', {
      outcome: ['sent', 'failed'],
    }),
    fileBytes: counterOf(registers, 'causeway_file_bytes_total', 'Bytes of transferred files', {
      direction: ['received', 'sent'],
    }),
  };
}

/** Initializes every label value: monitoring sees no increase in a series that first appears with its first count. */
function counterOf<Label extends string>(
  registers: Registry[],
  name: string,
  help: string,
  values: Record<Label, readonly string[]>,
): Counter<Label> {
  const [[label, known] = ['', []]] = Object.entries<readonly string[]>(values);
  const counter = new Counter({ name, help: `${help} (${known.join(', ')})`, labelNames: [label as Label], registers });
  for (const value of known) counter.inc({ [label]: value } as Record<Label, string>, 0);
  return counter;
}

export function createMetrics(loop: EventLoopWatch): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'causeway_event_loop_block_seconds',
    help: 'Longest block of the event loop in the last 30 to 60 seconds',
    registers,
    collect() {
      this.set(loop.longestBlockMs() / 1_000);
    },
  });
  return {
    registry,
    ...createMeasures(registry),
    requests: new Histogram({
      name: 'causeway_request_seconds',
      help: 'Time from a request to its response',
      labelNames: ['face', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    endpointRequests: new Histogram({
      name: 'causeway_endpoint_request_seconds',
      help: 'Time until an interactions endpoint responded or failed, by outcome (answered, accepted, unusable, failed)',
      labelNames: ['outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
      registers,
    }),
    gatewaySessions: new Gauge({
      name: 'causeway_gateway_sessions',
      help: 'Gateway sessions, including those that wait for a resume',
      registers,
    }),
    gatewayDispatches: new Counter({
      name: 'causeway_gateway_dispatches_total',
      help: 'Events sent to gateway sessions',
      labelNames: ['type'],
      registers,
    }),
    gatewayDispatchLag: new Histogram({
      name: 'causeway_gateway_dispatch_lag_seconds',
      help: "Time from the publication of a guild's event to its dispatch to the sessions of this process",
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10],
      registers,
    }),
    gatewayCloses: new Counter({
      name: 'causeway_gateway_closes_total',
      help: 'Gateway connections that the platform closed',
      labelNames: ['code'],
      registers,
    }),
    gatewayClientCloses: counterOf(
      registers,
      'causeway_gateway_client_closes_total',
      'Connections of gateway sessions that the client closed or lost',
      { how: ['closed', 'lost'] },
    ),
    gatewayAdmissions: counterOf(
      registers,
      'causeway_gateway_admissions_total',
      'Gateway clients that identified or resumed, by outcome',
      {
        outcome: ['identified', 'resumed', 'invalid_session'],
      },
    ),
    gatewayMoves: counterOf(registers, 'causeway_gateway_moves_total', 'Gateway sessions that moved, by outcome', {
      outcome: ['left', 'arrived', 'lost'],
    }),
    gatewayMoveSeconds: new Histogram({
      name: 'causeway_gateway_move_seconds',
      help: 'Time from the departure of gateway sessions to their arrival in another process',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    }),
    gatewayReplayedEvents: new Counter({
      name: 'causeway_gateway_replayed_events_total',
      help: 'Events that were sent again after a resume',
      registers,
    }),
    slowSubscriptions: new Counter({
      name: 'causeway_graphql_slow_subscriptions_total',
      help: 'Subscriptions that ended because the client read too slowly',
      registers,
    }),
    relayBoxes: new Gauge({
      name: 'causeway_relay_boxes',
      help: 'Boxes that are connected to this process',
      registers,
    }),
    relayRequests: counterOf(registers, 'causeway_relay_requests_total', 'Requests to boxes', {
      outcome: RELAY_OUTCOMES,
    }),
    relaySeconds: new Histogram({
      name: 'causeway_relay_seconds',
      help: 'Time from a request to a box to its response',
      buckets: RELAY_BUCKETS,
      registers,
    }),
    relayAddedSeconds: new Histogram({
      name: 'causeway_relay_added_seconds',
      help: 'Time from a request to a box to its response, without the time that the box reports for its own work',
      buckets: RELAY_BUCKETS,
      registers,
    }),
  };
}

export function showSubscriptions({ registry }: Metrics, count: () => number): void {
  new Gauge({
    name: 'causeway_graphql_subscriptions',
    help: 'Open GraphQL subscriptions of this process',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

export interface GatewayLoad {
  /** Sessions without a connection. */
  waitingSessions: number;
  /** Events that connected clients have not read yet. */
  unsentEvents: number;
}

export function showGatewayLoad({ registry }: Metrics, look: () => GatewayLoad): void {
  const show = (name: string, help: string, value: (load: GatewayLoad) => number) =>
    showPart(registry, async () => look(), { name, help, value });
  show(
    'causeway_gateway_waiting_sessions',
    'Gateway sessions without a connection, which wait for a resume',
    ({ waitingSessions }) => waitingSessions,
  );
  show(
    'causeway_gateway_unsent_events',
    'Events that wait for connected clients which read too slowly',
    ({ unsentEvents }) => unsentEvents,
  );
}

/** Parts that `/readyz` can list as degraded. */
const DEGRADED_PARTS = ['redis', 'snowflake-worker', 'files', 'cloud', 'disk', 'event-loop'] as const;

export type DegradedPart = (typeof DEGRADED_PARTS)[number];

export function showReadiness(
  { registry }: Metrics,
  look: () => Promise<{ status: 'ok' | 'unavailable'; degraded: DegradedPart[] }>,
): void {
  showPart(registry, look, {
    name: 'causeway_ready',
    help: 'Whether this process can serve requests (1) or not (0), like the status of /readyz',
    value: ({ status }) => (status === 'ok' ? 1 : 0),
  });
  new Gauge({
    name: 'causeway_degraded',
    help: `Whether /readyz lists a part as degraded (1) or not (0) (${DEGRADED_PARTS.join(', ')})`,
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      const { degraded } = await look();
      for (const part of DEGRADED_PARTS) this.set({ part }, degraded.includes(part) ? 1 : 0);
    },
  });
}

/** Shows the space that users other than root can use. */
export function showDisk({ registry }: Metrics, folder: string): void {
  const look = () => statfs(folder).catch(() => ({ bsize: 0, blocks: 0, bavail: 0 }));
  showPart(registry, look, {
    name: 'causeway_disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR',
    value: ({ bavail, bsize }) => bavail * bsize,
  });
  showPart(registry, look, {
    name: 'causeway_disk_size_bytes',
    help: 'Size of the disk of DATA_DIR',
    value: ({ blocks, bsize }) => blocks * bsize,
  });
}

export interface PoolState {
  used: number;
  idle: number;
  waiting: number;
}

const NO_POOL: PoolState = { used: 0, idle: 0, waiting: 0 };

export function showPool({ registry }: Metrics, look: () => PoolState = () => NO_POOL): void {
  new Gauge({
    name: 'causeway_database_connections',
    help: 'PostgreSQL connections (used, idle), and statements that wait for one (waiting)',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(look())) this.set({ state }, count);
    },
  });
}

export function showLive(
  { registry }: Metrics,
  look: () => Promise<{ processes: number; presences: number; voiceStates: number }>,
): void {
  const show = (name: string, help: string, value: (counts: Awaited<ReturnType<typeof look>>) => number) =>
    showPart(registry, look, { name, help, value });
  show(
    'causeway_live_processes',
    'Live processes that hold connections, over all processes',
    ({ processes }) => processes,
  );
  show('causeway_presences', 'Connections of online people and bots, over all processes', ({ presences }) => presences);
  show(
    'causeway_voice_states',
    'People and bots in voice channels, over all processes',
    ({ voiceStates }) => voiceStates,
  );
}

export function showBoxesAway({ registry }: Metrics, look: () => Promise<number>): void {
  showPart(registry, look, {
    name: 'causeway_boxes_away',
    help: 'Boxes that have been offline for one hour to seven days, over all processes',
    value: (count) => count,
  });
}

export function showRedis({ registry }: Metrics, isUp: () => boolean): void {
  new Gauge({
    name: 'causeway_redis_up',
    help: 'Whether this process is connected to Redis (1) or not (0)',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
}

/** prom-client's garbage collection observer lives as long as the process, and would keep the metrics alive. */
export function endMetrics({ registry }: Metrics): void {
  registry.clear();
}
