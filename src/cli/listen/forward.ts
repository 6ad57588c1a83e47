import { z } from 'zod';

export interface Forwarded {
  id: string;
  body: string;
  signature: string;
  timestamp: string;
}

export interface Outcome {
  id: string;
  /** ISO 8601. */
  at: string;
  /** `/lunch`, or the custom ID of a component or modal. */
  name: string;
  person: string;
  /** Of the local endpoint; null if it did not respond. */
  status: number | null;
  durationMs: number;
  failure: string | null;
}

/** Leaves time for the answer to reach the instance within 3 seconds. */
const DEADLINE_MS = 2_800;

const ACCEPTED = 202;

const ANSWER_DEADLINE_MS = 10_000;

const Facts = z.object({
  token: z.string(),
  data: z.object({ name: z.string().optional(), custom_id: z.string().optional() }).optional(),
  user: z.object({ username: z.string() }).optional(),
  member: z.object({ user: z.object({ username: z.string() }) }).optional(),
});

/** Posts an interaction to the local endpoint, and its response to the instance's callback route. */
export async function forward(
  forwarded: Forwarded,
  { to, instance }: { to: string; instance: string },
): Promise<Outcome> {
  const { token, data, user, member } = Facts.parse(JSON.parse(forwarded.body));
  const begun = Date.now();
  const answer = await post(to, forwarded);
  const failure =
    answer.failure ?? (hasCallback(answer) ? await callBack(instance, { id: forwarded.id, token }, answer) : null);
  return {
    id: forwarded.id,
    at: new Date(begun).toISOString(),
    name: data?.name === undefined ? (data?.custom_id ?? '') : `/${data.name}`,
    person: (member?.user ?? user)?.username ?? '',
    status: answer.status,
    durationMs: Math.round(answer.durationMs),
    failure,
  };
}

interface LocalAnswer {
  status: number | null;
  durationMs: number;
  contentType: string;
  body: Uint8Array<ArrayBuffer>;
  failure: string | null;
}

async function post(url: string, { body, signature, timestamp }: Forwarded): Promise<LocalAnswer> {
  const begun = performance.now();
  const none = { contentType: '', body: new Uint8Array() };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'x-signature-ed25519': signature,
        'x-signature-timestamp': timestamp,
      },
      body,
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const { status } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const contentType = response.headers.get('content-type') ?? 'application/json';
    const failure = response.ok ? null : `The local endpoint responded with ${status} instead of 2xx.`;
    return { status, durationMs: performance.now() - begun, contentType, body: bytes, failure };
  } catch (error) {
    const durationMs = performance.now() - begun;
    return { status: null, durationMs, ...none, failure: `The local endpoint did not respond: ${reasonOf(error)}.` };
  }
}

/** A 202 or an empty response announces an answer through the callback route. */
function hasCallback({ status, body }: LocalAnswer): boolean {
  return status !== ACCEPTED && Buffer.from(body).toString().trim() !== '';
}

/** @returns why the instance refused the answer, or null */
async function callBack(
  instance: string,
  { id, token }: { id: string; token: string },
  { contentType, body }: LocalAnswer,
): Promise<string | null> {
  try {
    const response = await fetch(new URL(`/api/v10/interactions/${id}/${token}/callback`, instance), {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
    });
    if (response.ok) return null;
    return `The response is invalid: ${await response.text()}`;
  } catch (error) {
    return `The response could not be sent to the instance: ${reasonOf(error)}.`;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}
