import { Readable } from 'node:stream';
import { type DomainError, describeFaults, type ErrorCode, refusalIn } from '../domain/errors.js';
import type { Callback, EndpointOutcome, Endpoints } from '../domain/interactions/index.js';
import { type PostingContext, postToEndpoint } from '../domain/interactions-endpoints/index.js';
import type { UploadedFile } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { Bodies, type HeldBody } from '../http/bodies.js';
import { MAX_FORM_BYTES } from '../http/forms.js';
import { charsetOf, decodeText } from '../http/text.js';
import { JsonBoundsError } from '../infra/network/bounded-json.js';
import { type BodyLimit, DEFAULT_BODY_LIMIT, type OutboundAnswer } from '../infra/network/outbound.js';
import type { Metrics } from '../infra/observability/metrics.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import { renderInteraction } from '../wire/interactions.js';
import type { WireOptions } from '../wire/messages.js';
import { FORM, mediaType } from './body.js';
import { coerceTo } from './coerce.js';
import { InteractionCallback } from './interaction-callback.js';
import { parseJson } from './json.js';
import { type ReceivedBody, readMultipart } from './multipart.js';

/** See Discord's documentation, Receiving and Responding. */
const DEADLINE_MS = 3_000;

interface EndpointParts extends Pick<PostingContext, 'clock' | 'outbound'> {
  addresses: WireOptions;
  blobs: BlobStore;
  metrics: Pick<Metrics, 'endpointRequests'>;
}

/** Endpoints respond in the format of the callback route. */
export function createEndpoints({ addresses, blobs, metrics, ...parts }: EndpointParts): Endpoints {
  const forms = new Bodies();
  return {
    async deliver(request, key) {
      const payload = renderInteraction(request, key, addresses);
      const context = { ...parts, publicUrl: addresses.publicUrl };
      const form = forms.hold(String(request.application.id));
      const bodyLimit = (contentType: string | null) => (isForm(contentType) ? formLimit(form) : DEFAULT_BODY_LIMIT);
      const limits = { deadlineMs: DEADLINE_MS, bodyLimit };
      try {
        const answer = await postToEndpoint(context, request.application, JSON.stringify(payload), limits);
        const outcome = await outcomeOf(blobs, answer, JSON.stringify({ ...payload, token: '…' }));
        metrics.endpointRequests.observe({ outcome: outcome.kind }, outcome.httpMs / 1_000);
        return outcome;
      } finally {
        form.release();
      }
    },
  };
}

function isForm(contentType: string | null): contentType is string {
  return contentType !== null && mediaType(contentType) === FORM;
}

/** Forms stay in memory until their files are on disk, so each application has a limit. */
function formLimit(form: HeldBody): BodyLimit {
  return {
    most: MAX_FORM_BYTES,
    take: (bytes) => {
      try {
        form.add(bytes);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** @param request payload to log, without its token */
async function outcomeOf(blobs: BlobStore, answer: OutboundAnswer, request: string): Promise<EndpointOutcome> {
  const { durationMs } = answer;
  if (answer.outcome === 'failed') return failed(answer, request);
  const { status, body } = answer;
  const step = { kind: 'HTTP' as const, status, durationMs, request, response: body };
  const attempt = { httpMs: durationMs, step };
  if (!isSuccess(status)) {
    return { ...attempt, kind: 'failed', reason: `The endpoint responded with ${status} instead of 2xx.` };
  }
  if (status === ACCEPTED || body.trim() === '') return { ...attempt, kind: 'accepted' };
  return { ...attempt, ...(await readCallback(blobs, answer)) };
}

type WholeAnswer = Extract<OutboundAnswer, { outcome: 'answered' }>;

type CallbackRead =
  | { kind: 'answered'; callback: Callback; files: UploadedFile[] }
  | { kind: 'unusable'; reason: string };

async function readCallback(blobs: BlobStore, answer: WholeAnswer): Promise<CallbackRead> {
  try {
    const { value, files } = await readAnswer(blobs, answer);
    return { kind: 'answered', callback: await parsedOrDiscarded(value, files), files };
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    return { kind: 'unusable', reason: `The response is invalid: ${faultsOfAnswer(refusal)}` };
  }
}

/** All but forms are JSON, whatever their content type. */
async function readAnswer(blobs: BlobStore, { contentType, bytes }: WholeAnswer): Promise<ReceivedBody> {
  if (!isForm(contentType)) {
    return { value: parseJson(decodeText(bytes, charsetOf(contentType ?? ''), 'It')), files: [] };
  }
  const form = { headers: { 'content-type': contentType }, stream: Readable.from([bytes]) };
  return readMultipart(form, { blobs, admitFiles: async () => {} });
}

/**
 * If the response is invalid, its files are discarded.
 * @throws INVALID_INPUT
 */
async function parsedOrDiscarded(value: unknown, files: readonly UploadedFile[]): Promise<Callback> {
  try {
    return parseInput(InteractionCallback, coerceTo(InteractionCallback, value));
  } catch (error) {
    await Promise.all(files.map(({ blob }) => blob.discard()));
    throw error;
  }
}

/** Messages for endpoint developers. */
const FAULTS_OF_ANSWERS: Partial<Record<ErrorCode, string>> = {
  INVALID_JSON: 'It contains invalid JSON. To respond later through the callback route, return 202.',
  REQUEST_TOO_LARGE: 'Its form has too many parts, or a part is too large.',
};

function faultsOfAnswer(refusal: DomainError): string {
  if (refusal.cause instanceof JsonBoundsError) return refusal.cause.message;
  return FAULTS_OF_ANSWERS[refusal.code] ?? describeFaults(refusal);
}

/** A 202 needs no body. Any other 2xx with an unreadable body is unusable. */
function failed({ durationMs, status, reason, detail }: FailedAnswer, request: string): EndpointOutcome {
  const step = { kind: 'HTTP' as const, durationMs, request, ...(status === null ? {} : { status }) };
  if (status === ACCEPTED) return { kind: 'accepted', httpMs: durationMs, step };
  const isUnusable = status !== null && isSuccess(status) && (reason === 'too-large' || reason === 'invalid-answer');
  return { kind: isUnusable ? 'unusable' : 'failed', httpMs: durationMs, reason: detail, step };
}

type FailedAnswer = Extract<OutboundAnswer, { outcome: 'failed' }>;

/** The response follows later. Some frameworks write the status text to the body. */
const ACCEPTED = 202;

/** Service description, section 6. */
function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
