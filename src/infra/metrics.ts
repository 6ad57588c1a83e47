import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { showPart } from './kept-answers.js';
import type { EventLoopWatch } from './loop-lag.js';

/** What `/metrics` shows. Labels have few values only: never an id, never a raw path. */
export interface Metrics {
  registry: Registry;
  /** Seconds from a request to its answer, by face (`rest`, `graphql`, …), route and status. */
  requests: Histogram<'face' | 'route' | 'status'>;
  /** Seconds from an interaction's request to an endpoint to what became of it: `answered`, `accepted`, `unusable` or `failed`. */
  endpointRequests: Histogram<'outcome'>;
  gatewaySessions: Gauge;
  gatewayDispatches: Counter<'type'>;
  gatewayCloses: Counter<'code'>;
  /** Connections of boxes to this process. */
  relayBoxes: Gauge;
  /** Requests and calls to boxes that came to this process, by {@link RelayOutcome}. */
  relayRequests: Counter<'outcome'>;
  /** Seconds from a request to a box to its answer. */
  relaySeconds: Histogram;
  /** The same without the time that the box says it worked on it. */
  relayAddedSeconds: Histogram;
}

const RELAY_OUTCOMES = ['answered', '413', '502', '503', '504'] as const;

/** What becomes of a request to a box: an answer, or the status that stands for the fault. */
export type RelayOutcome = (typeof RELAY_OUTCOMES)[number];

const RELAY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.03, 0.05, 0.1, 0.3, 1, 3, 6, 12];

export function createMetrics(loop: EventLoopWatch): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'causeway_event_loop_block_seconds',
    help: 'The longest time in which nobody was served, of the last 30 to 60 seconds',
    registers,
    collect() {
      this.set(loop.longestBlockMs() / 1_000);
    },
  });
  return {
    registry,
    requests: new Histogram({
      name: 'causeway_request_seconds',
      help: 'Time from a request to its answer',
      labelNames: ['face', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    endpointRequests: new Histogram({
      name: 'causeway_endpoint_request_seconds',
      help: 'Time until an interactions endpoint answered or failed, by outcome (answered, accepted, unusable, failed)',
      labelNames: ['outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
      registers,
    }),
    gatewaySessions: new Gauge({ name: 'causeway_gateway_sessions', help: 'Connected gateway sessions', registers }),
    gatewayDispatches: new Counter({
      name: 'causeway_gateway_dispatches_total',
      help: 'Events sent to gateway sessions',
      labelNames: ['type'],
      registers,
    }),
    gatewayCloses: new Counter({
      name: 'causeway_gateway_closes_total',
      help: 'Gateway connections closed by this side',
      labelNames: ['code'],
      registers,
    }),
    relayBoxes: new Gauge({
      name: 'causeway_relay_boxes',
      help: 'Self-hosted instances that are connected to this process',
      registers,
    }),
    relayRequests: createRelayRequests(registers),
    relaySeconds: new Histogram({
      name: 'causeway_relay_seconds',
      help: 'Time from a request to a self-hosted instance to its answer',
      buckets: RELAY_BUCKETS,
      registers,
    }),
    relayAddedSeconds: new Histogram({
      name: 'causeway_relay_added_seconds',
      help: 'The same without the time that the instance says it worked on it, where it says so',
      buckets: RELAY_BUCKETS,
      registers,
    }),
  };
}

/** Each outcome is shown from the start: what appears with its first count is no increase to who watches. */
function createRelayRequests(registers: Registry[]): Counter<'outcome'> {
  const counter = new Counter({
    name: 'causeway_relay_requests_total',
    help: `Requests to self-hosted instances, by outcome (${RELAY_OUTCOMES.join(', ')})`,
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of RELAY_OUTCOMES) counter.inc({ outcome }, 0);
  return counter;
}

/** Shows how much of live state there is, over all processes. */
export function showLive(
  { registry }: Metrics,
  look: () => Promise<{ processes: number; presences: number; voiceStates: number }>,
): void {
  const show = (name: string, help: string, value: (counts: Awaited<ReturnType<typeof look>>) => number) =>
    showPart(registry, look, { name, help, value });
  show('causeway_live_processes', 'Processes that hold connections and live', ({ processes }) => processes);
  show(
    'causeway_presences',
    'Connections by which people and bots are there, over all processes',
    ({ presences }) => presences,
  );
  show('causeway_voice_states', 'People and bots in voice, over all processes', ({ voiceStates }) => voiceStates);
}

/** Shows whether Redis is there, where the configuration names one. */
export function showRedis({ registry }: Metrics, isUp: () => boolean): void {
  new Gauge({
    name: 'causeway_redis_up',
    help: 'Whether this process is connected to Redis (1) or does without it (0)',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
}

/** Nothing is shown any more. prom-client observes garbage collections for as long as the process lives, and would keep alive all that is shown. */
export function endMetrics({ registry }: Metrics): void {
  registry.clear();
}
