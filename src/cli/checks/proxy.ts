import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Config, isOfThisMachine } from '../../config.js';
import { ANSWER_WITHIN_MS, askGateway, type GatewayAnswer } from './answers.js';
import { type Check, failure, messageOf, passed, skipped, warning } from './check.js';

/**
 * Asks the instance through `PUBLIC_URL`.
 * @param isRunning whether a process of this machine could answer
 */
export async function checkProxy(config: Config, isRunning: boolean): Promise<Check[]> {
  const { publicUrl } = config;
  if (publicUrl === null || isOwnAddress(publicUrl, config)) {
    return [skipped('proxy', 'PUBLIC_URL is the address of this process, without a proxy')];
  }
  try {
    const answer = await askGateway(publicUrl);
    const fault = faultOf(answer, config, isRunning);
    return fault ? [fault] : [passed('proxy', `${publicUrl} leads to this instance`), ...(await checkPassage(config))];
  } catch (error) {
    return [connectionFault(publicUrl, error, isRunning)];
  }
}

function isOwnAddress(publicUrl: string, { port }: Config): boolean {
  return isOfThisMachine(publicUrl) && new URL(publicUrl).port === String(port);
}

const NOT_RUNNING = 'no process of this instance is running, so the proxy cannot be checked; start Causeway and repeat';

/** Answers of proxies that cannot reach the process. */
const GATEWAY_FAULTS = [502, 503, 504];

function faultOf({ status, url }: GatewayAnswer, config: Config, isRunning: boolean): Check | null {
  const { publicUrl } = config;
  const expected = gatewayOf(config);
  if (url === expected) return null;
  if (url !== null) {
    return failure(
      'proxy',
      `${publicUrl} leads to an instance whose gateway is ${url}, and not ${expected}`,
      'Correct PUBLIC_URL or GATEWAY_PUBLIC_URL, or the address in the proxy. A process keeps the settings of its start.',
    );
  }
  if (GATEWAY_FAULTS.includes(status)) {
    if (!isRunning) return skipped('proxy', NOT_RUNNING);
    return failure(
      'proxy',
      `${publicUrl} answers ${status}, although Causeway is running`,
      'Let the proxy send requests to HOST and PORT of Causeway, over plain HTTP.',
    );
  }
  return failure(
    'proxy',
    `${publicUrl} answers ${status} to GET /api/v10/gateway, and not like Causeway`,
    'Let the proxy pass all paths to Causeway, without a login or redirects of its own, or correct PUBLIC_URL.',
  );
}

function gatewayOf({ publicUrl, gatewayPublicUrl }: Config): string {
  return `${gatewayPublicUrl ?? publicUrl?.replace(/^http/, 'ws')}/gateway`;
}

function connectionFault(publicUrl: string, error: unknown, isRunning: boolean): Check {
  const reason = messageOf(error);
  const text = `no answer from ${publicUrl}: ${reason}`;
  if (/certificate|self.signed|altnames|issuer/i.test(reason)) {
    return failure(
      'proxy',
      text,
      'Renew the certificate of the proxy, or set NODE_EXTRA_CA_CERTS for your own authority.',
    );
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return failure('proxy', text, 'Correct PUBLIC_URL or the DNS record of its host.');
  if (!isRunning) return skipped('proxy', NOT_RUNNING);
  return failure(
    'proxy',
    text,
    'Start the proxy, open its port in the firewall, or correct PUBLIC_URL. Some networks do not reach their own public address: try from another machine.',
  );
}

async function checkPassage(config: Config): Promise<Check[]> {
  const origin = config.publicUrl ?? '';
  return Promise.all([checkWebSocket(config), checkBody(origin), checkAddress(origin), checkMetrics(origin)]);
}

async function checkWebSocket(config: Config): Promise<Check> {
  const address = gatewayOf(config);
  const { default: WebSocket } = await import('ws');
  const socket = new WebSocket(`${address}?v=10&encoding=json`, { handshakeTimeout: ANSWER_WITHIN_MS });
  try {
    await once(socket, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return passed('proxy-websocket', `${address} greets bots`);
  } catch (error) {
    return failure(
      'proxy-websocket',
      `${address} does not work: ${messageOf(error)}`,
      'Let the proxy pass the Upgrade and Connection headers at /gateway, /graphql and /relay, as in examples/proxies.',
    );
  } finally {
    // A socket that is closed while it connects reports an error.
    socket.on('error', () => {}).terminate();
  }
}

/** The largest request: 25 MiB of files and their fields. */
const LARGEST_BODY = 26 * 2 ** 20;

/** Proxies refuse a body by its announced size at once. One that waits for the body has no such limit. */
const REFUSED_WITHIN_MS = 1_500;

const CONTENT_TOO_LARGE = 413;

async function checkBody(origin: string): Promise<Check> {
  const status = await announceBody(origin);
  if (status !== CONTENT_TOO_LARGE) {
    return passed('proxy-body', 'the proxy does not refuse an announced body of 26 MiB, of which nothing was sent');
  }
  return failure(
    'proxy-body',
    'the proxy refuses bodies of 26 MiB, so uploads fail',
    'Raise its limit, such as client_max_body_size 26m of nginx.',
  );
}

/** @returns the status of the answer, or null if none comes */
async function announceBody(origin: string): Promise<number | null> {
  const send = origin.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(`${origin}/api/v10/doctor`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': LARGEST_BODY },
  });
  request.on('error', () => {});
  request.flushHeaders();
  try {
    const [response] = await once(request, 'response', { signal: AbortSignal.timeout(REFUSED_WITHIN_MS) });
    return response.statusCode;
  } catch {
    return null;
  } finally {
    request.destroy();
  }
}

/** Two requests with different forged addresses have one rate limit, unless the forgeries are believed. */
async function checkAddress(origin: string): Promise<Check> {
  const first = await askGateway(origin, { 'x-forwarded-for': anyAddress() });
  const second = await askGateway(origin, { 'x-forwarded-for': anyAddress() });
  if (first.limit === null || second.limit === null) {
    return skipped('proxy-address', 'without rate limits, nothing shows which address Causeway sees');
  }
  const isFresh = [first, second].every(({ limit }) => limit && limit.remaining === limit.points - 1);
  if (!isFresh) {
    return passed('proxy-address', 'clients cannot forge their address with X-Forwarded-For');
  }
  return failure(
    'proxy-address',
    'Causeway believes an X-Forwarded-For that the client sent, so clients can avoid rate limits',
    'Let the proxy replace X-Forwarded-For or append to it, and do not let TRUST_PROXY count more proxies than there are.',
  );
}

/** Of the network for benchmarks (RFC 2544), which has no users. */
function anyAddress(): string {
  return `198.18.${randomInt(256)}.${randomInt(256)}`;
}

async function checkMetrics(origin: string): Promise<Check> {
  const { status, body } = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  await body?.cancel();
  if (status !== 200) return passed('proxy-metrics', '/metrics is not public');
  return warning(
    'proxy-metrics',
    'anyone can read /metrics',
    'Set METRICS_PORT, or let the proxy answer 404, as in examples/proxies.',
  );
}
