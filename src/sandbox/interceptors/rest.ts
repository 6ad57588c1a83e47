import { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { readBytes } from '../../http/bodies.js';
import { tooManyRequests } from '../../http/too-many-requests.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { createRouteTable, type RestAnswer, type RestInterceptor, type RestRequest } from '../../rest-compat/index.js';
import type { RestFault } from '../protocol.js';
import type { Sandbox } from '../sandbox.js';
import { applicationOfToken, withoutSecrets, withoutToken } from './credentials.js';

/** Larger bodies are not in the transcript. In bytes. */
const SHOWN_BODY = 64 * 1024;

const MAX_BODY = 32 * 1024 * 1024;

/** Puts requests of bots into the transcript and applies the faults of their worlds. */
export function interceptRest(sandbox: Sandbox): RestInterceptor {
  const table = createRouteTable();
  const isRoute = (method: string, path: string) => 'row' in table.match({ method, path });
  return async (request, answer) => {
    const caller = await callerOf(sandbox, request);
    if (!caller) return answer(request);
    const { world, application } = caller;
    const path = request.path.replace(/^\/api(\/v\d+)?(?=\/|$)/, '');
    const body = await bodyOf(request);
    const fault = world.faults.onRequest(application.name, request.method, path);
    const line = `${application.name} ${request.method} ${withoutToken(path)}`;
    if (fault) world.transcript.add({ kind: 'fault', text: `${line}: ${describe(fault)}` });
    const forwarded = { ...request, address: request.address, body };
    const isUnknown = !isRoute(request.method, request.path);
    if (isUnknown) {
      // An unknown version of a known route is shown with it.
      const shown = isRoute(request.method, path) ? request.path : path;
      for (const { unknownRoutes } of [world.transcript, sandbox]) unknownRoutes.add(request.method, shown);
    }
    const given = await (fault ? disturbed(fault, request, () => answer(forwarded)) : answer(forwarded));
    world.transcript.add({
      kind: 'request',
      text: `${line} → ${given.status}${isUnknown ? ' (no such route)' : bucketOf(given)}`,
      data: { request: shown(request, body), answer: given.body === null ? null : parsed(given.body) },
    });
    return given;
  };
}

/** By the bot's token, or by the application in the path of a webhook or an answer to an interaction. */
async function callerOf(sandbox: Sandbox, { headers, path }: RestRequest) {
  const ofToken = applicationOfToken(headers.authorization ?? '');
  if (ofToken !== null) return sandbox.worldOf(ofToken);
  const [, kind, text = ''] = /\/(webhooks|interactions)\/(\d+)\//.exec(path) ?? [];
  const id = parseSnowflake(text) ?? 0n;
  switch (kind) {
    case 'webhooks':
      return sandbox.worldOf(id) ?? worldOf(sandbox, await applicationOfWebhook(sandbox, id));
    case 'interactions':
      return worldOf(sandbox, await applicationOfInteraction(sandbox, id));
    default:
      return null;
  }
}

function worldOf(sandbox: Sandbox, row: { applicationId: bigint } | null) {
  return row && sandbox.worldOf(row.applicationId);
}

function applicationOfWebhook({ app }: Sandbox, id: bigint) {
  return app.db.reader.webhook.findUnique({ where: { id }, select: { applicationId: true } });
}

function applicationOfInteraction({ app }: Sandbox, id: bigint) {
  return app.db.reader.interaction.findUnique({ where: { id }, select: { applicationId: true } });
}

/** Forms and other streams are passed on as they are. */
async function bodyOf({ body, headers }: RestRequest): Promise<RestRequest['body']> {
  const isJson = /^application\/json/i.test(headers['content-type'] ?? '');
  return isJson && !(body instanceof Uint8Array) ? readBytes(body, MAX_BODY) : body;
}

function shown({ headers }: RestRequest, body: RestRequest['body']): unknown {
  if (!(body instanceof Uint8Array)) return headers['content-type'] ?? null;
  return body.length > SHOWN_BODY ? `${body.length} bytes` : parsed(Buffer.from(body).toString());
}

function parsed(text: string): unknown {
  try {
    return withoutSecrets(JSON.parse(text));
  } catch {
    return text === '' ? null : withoutToken(text.slice(0, 1_000));
  }
}

/** Such as ` (4 of 5 left)`. */
function bucketOf({ headers }: RestAnswer): string {
  const { 'x-ratelimit-remaining': left, 'x-ratelimit-limit': limit } = headers;
  return left === undefined ? '' : ` (${left} of ${limit} left)`;
}

function describe(fault: RestFault['effect']): string {
  switch (fault.type) {
    case 'status':
      return `answered with ${fault.status}`;
    case 'delay':
      return `delayed by ${fault.ms} ms`;
    case 'hang':
      return 'never answered';
    case 'reset':
      return 'connection reset';
    case 'cut':
      return 'answer cut';
    case 'rateLimit':
      return `answered with 429 (${fault.scope})`;
  }
}

async function disturbed(
  fault: RestFault['effect'],
  { body }: RestRequest,
  answer: () => Promise<RestAnswer>,
): Promise<RestAnswer> {
  const socket = body instanceof IncomingMessage ? body.socket : null;
  switch (fault.type) {
    case 'status':
      return json(fault.status, fault.body ?? { message: `${fault.status}: injected by the sandbox`, code: 0 });
    case 'delay':
      await setTimeout(fault.ms);
      return answer();
    case 'hang':
      return new Promise((resolve) => socket?.once('close', () => resolve(json(499, {}))));
    case 'reset':
      socket?.resetAndDestroy();
      return json(499, {});
    case 'cut': {
      const { status, body: text } = await answer();
      const half = (text ?? '{}').slice(0, Math.max(1, (text ?? '{}').length / 2));
      const length = Buffer.byteLength(text ?? '{}') + 1;
      socket?.write(
        `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${half}`,
      );
      socket?.destroySoon();
      return json(499, {});
    }
    case 'rateLimit':
      return limited(fault);
  }
}

/** In Discord's format (Discord's documentation, Rate Limits). */
function limited({ scope, retryAfterMs }: Extract<RestFault['effect'], { type: 'rateLimit' }>): RestAnswer {
  const { body, headers } = tooManyRequests(retryAfterMs, { scope: scope === 'global' ? 'global' : 'user' });
  const ofBucket = {
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String((Date.now() + retryAfterMs) / 1_000),
    'x-ratelimit-reset-after': String(retryAfterMs / 1_000),
    'x-ratelimit-bucket': 'sandbox',
  };
  return json(429, body, { ...headers, 'x-ratelimit-scope': scope, ...(scope === 'global' ? {} : ofBucket) });
}

function json(status: number, body: object, headers: Record<string, string> = {}): RestAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
