import { createSigningKeys } from '../../infra/crypto/keys.js';
import { randomToken } from '../../infra/crypto/secrets.js';
import type { Application } from '../../infra/database/index.js';
import { parseBounded } from '../../infra/network/bounded-json.js';
import { OUTBOUND_STAGES, type OutboundAnswer, type OutboundStage } from '../../infra/network/outbound.js';
import { type CallContext, requireUser } from '../call.js';
import type { Ping } from './ping.js';
import { postSigned, type SignatureHeaders, signatureOf } from './post.js';

/** As shown to the developer. The texts are redacted and truncated. */
export interface ProbeCheck {
  name: string;
  ok: boolean;
  /** False if an earlier check failed. */
  wasTried: boolean;
  sent: string | null;
  got: string | null;
  /** Null if `ok`. */
  reason: string | null;
}

export interface EndpointProbe {
  ok: boolean;
  checks: ProbeCheck[];
}

/** Deadline of each of the two requests. */
const DEADLINE_MS = 3_000;

/** In characters. */
const SHOWN_BODY = 1_000;
const SHOWN_TYPE = 100;

/**
 * Sends a PING that must be answered, then one with a bad signature that must be refused (Discord's documentation,
 * Setting Up an Endpoint). Stores nothing.
 * @throws UNAUTHENTICATED
 */
export async function probeEndpoint(
  call: CallContext,
  application: Pick<Application, 'id' | 'privateKey'>,
  url: string,
): Promise<EndpointProbe> {
  const ping = createPing(call, application.id);
  const body = call.renderPing(ping);
  const shownBody = body.replaceAll(ping.token, '(token)');
  const good = signatureOf(call, application, body);
  const shown = { ...good, 'X-Signature-Ed25519': "(the application's signature)" };
  const bad = { ...good, 'X-Signature-Ed25519': badSignature(call, body) };
  const { id: applicationId } = application;
  const post = (signature: SignatureHeaders) =>
    postSigned(call, { applicationId, url, body, signature, deadlineMs: DEADLINE_MS });

  const pinged = await post(good);
  const refused = pinged.outcome === 'answered' ? await post(bad) : null;
  const checks = inOrder([
    ...stepsOfTheWay(url, pinged),
    { name: 'PING answered', sent: requestText(url, shown, shownBody), answer: pinged, faultOf: faultOfPong },
    {
      name: 'Invalid signature rejected',
      sent: requestText(url, bad, shownBody),
      answer: refused,
      faultOf: faultOfRefusal,
    },
  ]);
  return { ok: checks.every(({ ok }) => ok), checks };
}

function createPing(call: CallContext, applicationId: bigint): Ping {
  return { id: call.nextId(), applicationId, token: randomToken(60), user: requireUser(call).user };
}

interface Step {
  name: string;
  sent: string | null;
  /** Null if an earlier check failed. */
  answer: OutboundAnswer | null;
  faultOf: (answer: OutboundAnswer) => string | null;
}

/** After a failed request, the remaining checks are not tried. */
function inOrder(steps: Step[]): ProbeCheck[] {
  let broken: string | undefined;
  return steps.map((step) => {
    const { name, answer } = step;
    if (broken !== undefined || answer === null) return notTried(name, broken);
    const check = checkOf(step, answer);
    if (!check.ok && answer.outcome === 'failed') broken = name;
    return check;
  });
}

function notTried(name: string, because: string | undefined): ProbeCheck {
  return {
    name,
    ok: false,
    wasTried: false,
    sent: null,
    got: null,
    reason: `Skipped because the check "${because}" failed.`,
  };
}

function checkOf({ name, sent, faultOf }: Step, answer: OutboundAnswer): ProbeCheck {
  const reason = faultOf(answer);
  return { name, ok: reason === null, wasTried: true, sent, got: sent === null ? null : answerText(answer), reason };
}

/** Random bytes, or a signature by an unknown key. */
function badSignature(call: CallContext, body: string): string {
  if (Math.random() < 0.5) return Buffer.from(randomToken(64), 'base64url').toString('hex');
  return signatureOf(call, createSigningKeys(), body)['X-Signature-Ed25519'];
}

const STAGE_CHECKS: { name: string; stage: OutboundStage }[] = [
  { name: 'Address allowed', stage: 'address' },
  { name: 'Connected', stage: 'connected' },
  { name: 'TLS', stage: 'secured' },
];

function stepsOfTheWay(url: string, pinged: OutboundAnswer): Step[] {
  const passed = STAGE_CHECKS.filter(({ stage }) => stage !== 'secured' || /^https:/i.test(url));
  return passed.map(({ name, stage }) => ({
    name,
    sent: null,
    answer: pinged,
    faultOf: (answer) => faultOfStage(answer, stage),
  }));
}

function faultOfStage(answer: OutboundAnswer, stage: OutboundStage): string | null {
  if (answer.outcome === 'answered') return null;
  return OUTBOUND_STAGES.indexOf(answer.reached) >= OUTBOUND_STAGES.indexOf(stage) ? null : answer.detail;
}

function faultOfPong(answer: OutboundAnswer): string | null {
  if (answer.outcome === 'failed') return answer.detail;
  const { status, contentType, body } = answer;
  if (status !== 200) return `The endpoint answered ${status} instead of 200. ${HINTS[status] ?? ''}`.trim();
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    return `The content type of the response is ${shownType(contentType)} instead of application/json.`;
  }
  return isPong(body) ? null : 'The body of the response is not {"type":1}.';
}

const REDIRECT = 'Redirects are not followed.';

const HINTS: Record<number, string> = {
  301: REDIRECT,
  302: REDIRECT,
  303: REDIRECT,
  307: REDIRECT,
  308: REDIRECT,
  401: 'The signature was valid. Check that the endpoint uses the public key of this application.',
};

function isPong(body: string): boolean {
  try {
    const pong = parseBounded(body);
    return typeof pong === 'object' && pong !== null && 'type' in pong && pong.type === 1;
  } catch {
    return false;
  }
}

function faultOfRefusal(answer: OutboundAnswer): string | null {
  if (answer.outcome === 'failed') return answer.detail;
  const { status } = answer;
  return status === 401
    ? null
    : `The endpoint answered ${status} instead of 401 to a request with an invalid signature.`;
}

function requestText(url: string, signature: SignatureHeaders, body: string): string {
  const headers = Object.entries({ 'Content-Type': 'application/json', ...signature });
  return [`POST ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', cut(body, SHOWN_BODY)].join('\n');
}

/** Null without a response. */
function answerText(answer: OutboundAnswer): string | null {
  const time = `in ${answer.durationMs} ms`;
  if (answer.outcome === 'failed') return answer.status === null ? null : `${answer.status} ${time}`;
  const head = `${answer.status} ${time}\nContent-Type: ${shownType(answer.contentType)}`;
  return `${head}\n\n${cut(answer.body, SHOWN_BODY)}`;
}

function shownType(contentType: string | null): string {
  return contentType === null ? '(none)' : cut(contentType, SHOWN_TYPE);
}

/** Does not split a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
