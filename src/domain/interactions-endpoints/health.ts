import type { Interaction } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids.js';
import type { CallContext } from '../call.js';

/** How an endpoint did with the last interactions that it was asked about. */
export interface EndpointHealth {
  /** Delivered to it. */
  answered: number;
  /** Delivered over the gateway instead. */
  fellBack: number;
  /** Delivered to it, and answered with what could not be used. */
  failed: number;
  /** Of what was delivered to it, in milliseconds; null where there was nothing. */
  p50Ms: number | null;
  p95Ms: number | null;
  /** What went wrong the last time, and when it was. */
  lastFailure: string | null;
  lastFailureAt: Date | null;
}

/** What an endpoint's health is told from. */
export type Delivery = Pick<Interaction, 'id' | 'httpMs' | 'fellBack' | 'state' | 'failure'>;

/** How many of an application's interactions count. */
export const DELIVERIES_LOOKED_AT = 100;

/** The last interactions of an application, newest first. */
export function lastDeliveries(call: CallContext, applicationId: bigint, take: number): Promise<Delivery[]> {
  return call.read.interaction.findMany({
    where: { applicationId },
    orderBy: { id: 'desc' },
    select: { id: true, httpMs: true, fellBack: true, state: true, failure: true },
    take,
  });
}

/** @param deliveries newest first; those the endpoint was not asked about do not count */
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

/** The first step that went wrong is that of the endpoint; what is said of the interaction as a whole may be the gateway's. */
async function failureOf(call: CallContext, { id, failure }: Delivery): Promise<string | null> {
  const where = { interactionId: id, reason: { not: null } };
  const step = await call.read.interactionStep.findFirst({ where, orderBy: { id: 'asc' } });
  return step?.reason ?? failure;
}

/** The smallest value that so many of all are not above. */
function percentile(sorted: number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
