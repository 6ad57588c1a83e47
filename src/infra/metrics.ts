import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What `/metrics` shows. Labels have few values only: never an id, never a raw path. */
export interface Metrics {
  registry: Registry;
  /** Seconds from a request to its answer, by face (`rest`, `graphql`, …), route and status. */
  requests: Histogram<'face' | 'route' | 'status'>;
  gatewaySessions: Gauge;
  gatewayDispatches: Counter<'type'>;
  gatewayCloses: Counter<'code'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'causeway_request_seconds',
      help: 'Time from a request to its answer',
      labelNames: ['face', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
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
