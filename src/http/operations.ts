import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../infra/observability/metrics.js';
import type { Phase, ReadinessChecks } from './readiness.js';

export interface Operations {
  phase: () => Phase;
  readiness: ReadinessChecks;
  metrics: Metrics;
}

export function mountOperations(http: FastifyInstance, { phase, readiness, metrics }: Operations): void {
  http.get('/healthz', (_request, reply) => {
    readiness.noteWatcher();
    return phase() === 'ready' ? reply.send({ status: 'ok' }) : reply.code(503).send({ status: 'unavailable' });
  });
  http.get('/readyz', async (_request, reply) => {
    readiness.noteWatcher();
    const state = await readiness.check();
    return reply.code(state.status === 'ok' ? 200 : 503).send(state);
  });
  http.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
