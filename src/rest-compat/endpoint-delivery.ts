import { describeFaults, refusalIn } from '../domain/errors.js';
import type { EndpointOutcome, Endpoints } from '../domain/interactions/index.js';
import { type PostingContext, postToEndpoint } from '../domain/interactions-endpoints/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Metrics } from '../infra/metrics.js';
import type { OutboundAnswer } from '../infra/outbound.js';
import { renderInteraction } from '../wire/interactions.js';
import type { WireOptions } from '../wire/messages.js';
import { InteractionCallback } from './interaction-callback.js';
import { parseJson } from './json.js';

/** How long an endpoint has for all of it, in milliseconds (Discord's documentation, Receiving and Responding). */
const DEADLINE_MS = 3_000;

/** What the outgoing half of this face takes. */
interface EndpointParts extends Pick<PostingContext, 'clock' | 'outbound'> {
  addresses: WireOptions;
  metrics: Pick<Metrics, 'endpointRequests'>;
}

/** The outgoing half of this face: interactions to endpoints, in the shapes of the callback route. */
export function createEndpoints({ addresses, metrics, ...parts }: EndpointParts): Endpoints {
  return {
    async deliver(request, key) {
      const payload = renderInteraction(request, key, addresses);
      const context = { ...parts, publicUrl: addresses.publicUrl };
      const answer = await postToEndpoint(context, request.application, JSON.stringify(payload), DEADLINE_MS);
      const outcome = outcomeOf(answer, JSON.stringify({ ...payload, token: '…' }));
      metrics.endpointRequests.observe({ outcome: outcome.kind }, outcome.httpMs / 1_000);
      return outcome;
    },
  };
}

/** What an endpoint's answer means. @param request what was sent, without what nobody may read */
function outcomeOf(answer: OutboundAnswer, request: string): EndpointOutcome {
  const { durationMs } = answer;
  if (answer.outcome === 'failed') return failed(answer, request);
  const { status, body } = answer;
  const step = { kind: 'HTTP' as const, status, durationMs, request, response: body };
  const attempt = { httpMs: durationMs, step };
  if (!isSuccess(status)) {
    return { ...attempt, kind: 'failed', reason: `The endpoint answered ${status} instead of 2xx.` };
  }
  if (body.trim() === '') return { ...attempt, kind: 'accepted' };
  return { ...attempt, ...readCallback(body) };
}

function readCallback(body: string) {
  try {
    return { kind: 'answered' as const, callback: parseInput(InteractionCallback, parseJson(body)) };
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    return { kind: 'unusable' as const, reason: `The answer cannot be used: ${describeFaults(refusal)}` };
  }
}

/** An answer that says 2xx and cannot be read is one that cannot be used; without one in time there is none. */
function failed({ durationMs, status, reason, detail }: FailedAnswer, request: string): EndpointOutcome {
  const step = { kind: 'HTTP' as const, durationMs, request, ...(status === null ? {} : { status }) };
  const isUnusable = status !== null && isSuccess(status) && (reason === 'too-large' || reason === 'invalid-answer');
  return { kind: isUnusable ? 'unusable' : 'failed', httpMs: durationMs, reason: detail, step };
}

type FailedAnswer = Extract<OutboundAnswer, { outcome: 'failed' }>;

/** Only these count as delivered (service description, section 6). */
function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
