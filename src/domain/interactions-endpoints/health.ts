import type { Interaction } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import type { CallContext } from '../call.js';

export interface EndpointHealth {
  answered: number;
  /** Delivered over the gateway, because the endpoint failed. */
  fellBack: number;
  /** Delivered to the endpoint, which gave an unusable answer. */
  failed: number;
  /** Of delivered interactions, if any. */
  p50Ms: number | null;
  p95Ms: number | null;
  lastFailure: string | null;
  lastFailureAt: Date | null;
}

export type Delivery = Pick<Interaction, 'id' | 'httpMs' | 'fellBack' | 'state' | 'failure'>;

/** Health is based on this many of an application's latest interactions. */
export const DELIVERIES_LOOKED_AT = 100;

/** Newest first. */
export function lastDeliveries(call: CallContext, applicationId: bigint, take: number): Promise<Delivery[]> {
  return call.read.interaction.findMany({
    where: { applicationId },
    orderBy: { id: 'desc' },
    select: { id: true, httpMs: true, fellBack: true, state: true, failure: true },
    take,
  });
}

/** @param deliveries newest first; counts only those that were sent to the endpoint */
export async function endpointHealth(call: CallContext, deliveries: Delivery[]): Promise<EndpointHealth> {
  const asked = deliveries.filter(({ httpMs }) => httpMs !== null);
  const delivered = asked.filter(({ fellBack }) => !fellBack);
  const answered = delivered.filter((delivery) => !isFailure(delivery));
  const times = delivered.flatMap(({ httpMs }) => httpMs ?? []).sort((a, b) => a - b);
  const last = asked.find(isFailure);
  return {
    answered: answered.length,
    fellBack: asked.length - delivered.length,
    failed: delivered.length - answered.length,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    lastFailure: last ? await failureOf(call, last) : null,
    lastFailureAt: last ? new Date(snowflakeTime(last.id)) : null,
  };
}

function isFailure({ fellBack, state }: Delivery): boolean {
  return fellBack || state === 'FAILED';
}

/** The first failed step is the endpoint's; `failure` may be the gateway's. */
async function failureOf(call: CallContext, { id, failure }: Delivery): Promise<string | null> {
  const where = { interactionId: id, reason: { not: null } };
  const step = await call.read.interactionStep.findFirst({ where, orderBy: { id: 'asc' } });
  return step?.reason ?? failure;
}

/** Nearest-rank percentile. */
function percentile(sorted: number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
