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
}

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
  };
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
