import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError, type ErrorCode } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import { countedAs } from '../domain/rate-limits.js';
import { readBytes } from '../http/bodies.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { parseBody, streamOf } from './body.js';
import { coerceTo } from './coerce.js';
import { NOT_FOUND, NOT_IMPLEMENTED, renderRestError } from './errors.js';
import { forwardedPath, type Matched } from './match.js';
import { callFor, perform } from './perform.js';
import { errorAnswer, jsonAnswer, type RestAnswer, type RestRequest } from './request.js';
import { CLOUD, type SelfHosted, type TargetParam } from './route.js';
import { parseParams } from './schemas.js';

export type Target = 'guild' | 'channel' | 'webhook';

/** This process's database, or a guild on a box. */
export type Location = 'here' | BoxTarget;

export interface BoxTarget {
  box: bigint;
  guildId: bigint;
}

type BotActor = Extract<Actor, { kind: 'bot' }>;

export interface Asked {
  /** Its path is a {@link forwardedPath}. */
  request: RestRequest;
  sender: Extract<Actor, { kind: 'bot' | 'webhook' }>;
  /** Null if the row takes no body. */
  taken: { maxJsonBytes: number; takesForm: boolean } | null;
}

export interface Directory {
  /** Locates a guild, or that of a channel or webhook. Unknown targets are 'here'. */
  whereIs(target: Target, id: bigint): Promise<Location>;
  isInstalled(target: BoxTarget, bot: BotActor): Promise<boolean>;
  /** The response has `isOfBox` set. */
  forward(target: BoxTarget, asked: Asked): Promise<RestAnswer>;
}

/** For an instance without boxes. */
export const everythingHere: Directory = {
  whereIs: async () => 'here',
  isInstalled: async () => false,
  forward: () => Promise.reject(new Error('this instance has no boxes to forward to')),
};

const TARGETS = { guildId: 'guild', channelId: 'channel', webhookId: 'webhook' } as const satisfies Record<
  TargetParam,
  Target
>;

/**
 * Forwards the request if its target is on a box.
 * @returns null if the request runs in this process
 * @throws errors of forwarding, and of reading the body if the response depends on it
 */
export async function locate(
  { app, directory }: { app: AppContext; directory: Directory },
  matched: Matched,
  request: RestRequest,
  actor: Actor,
): Promise<RestAnswer | null> {
  const { row, params } = matched;
  if (row.where === CLOUD) return null;
  const { by, selfHosted, isDoneIf, isOfWebhooks, forwardAs, beforeForward, afterForward } = row.where;
  const location = await locationOf(directory, { by, text: params[by] ?? '' }, actor);
  if (location === 'here') return null;
  if (isOfWebhooks && app.config.selfHostedWebhooks === 'not_found') return errorAnswer(NOT_FOUND);
  const forward = async (forwarded: RestRequest) => {
    if (actor.kind === 'bot' && !(await directory.isInstalled(location, actor))) {
      return refuseStranger(app, matched, forwarded, actor);
    }
    await parseParams(row.params, params);
    if (beforeForward) {
      parseInput(row.query, request.query);
      await beforeForward(callFor(app, request, actor));
    }
    const answer = await forwardTo(directory, location, { matched, request: forwarded, actor });
    if (answer.status < 300) afterForward?.(callFor(app, request, actor));
    return isDoneIf && isRefusal(answer, isDoneIf) ? jsonAnswer(204, undefined) : answer;
  };
  if (typeof selfHosted !== 'function' && !forwardAs) return answerFor(selfHosted, () => forward(request));
  const held = app.bodies.hold(countedAs(actor, request));
  try {
    const body = await readBytes(streamOf(request.body), row.maxJsonBytes, held);
    const value = parseBody(request.headers, body, row);
    const parsed = row.body ? parseInput(row.body, coerceTo(row.body, value)) : value;
    if (typeof selfHosted === 'function') {
      return await answerFor(selfHosted(parsed), () => forward({ ...request, body }));
    }
    const sent = forwardAs?.(parsed, request.headers);
    if (!sent) return row.answer;
    const answer = await forward(asJson(request, sent));
    return answer.status < 300 ? row.answer : answer;
  } finally {
    held.release();
  }
}

/** Replaces the body, and the path by its parent. */
function asJson(request: RestRequest, body: object): RestRequest {
  const headers = { ...request.headers, 'content-type': 'application/json' };
  const path = request.path.slice(0, request.path.lastIndexOf('/'));
  return { ...request, path, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** Rejects a bot that is not installed. Input errors come first, as in any guild without the bot. */
function refuseStranger(app: AppContext, matched: Matched, request: RestRequest, actor: Actor): Promise<RestAnswer> {
  const refuse = () => Promise.reject(new DomainError('MISSING_ACCESS'));
  const { row } = matched;
  const refusing = { ...row, run: refuse, admitFiles: row.admitFiles && refuse };
  return perform(app, { ...matched, row: refusing }, request, callFor(app, request, actor));
}

/** An interaction token can take the place of a webhook token. Its target is always here. */
async function locationOf(
  directory: Directory,
  { by, text }: { by: TargetParam; text: string },
  actor: Actor,
): Promise<Location> {
  if (by === 'webhookId' && actor.kind === 'interaction') return 'here';
  if (by === 'webhookId' && actor.kind === 'webhook') return directory.whereIs('guild', actor.webhook.guildId);
  const id = parseSnowflake(text);
  return id === undefined ? 'here' : directory.whereIs(TARGETS[by], id);
}

/** Boxes accept only bots and webhooks. */
async function forwardTo(
  directory: Directory,
  location: BoxTarget,
  { matched, request, actor }: { matched: Matched; request: RestRequest; actor: Actor },
): Promise<RestAnswer> {
  if (actor.kind !== 'bot' && actor.kind !== 'webhook') return errorAnswer(NOT_FOUND);
  const { row } = matched;
  const taken = row.body && { maxJsonBytes: row.maxJsonBytes, takesForm: row.admitFiles !== null };
  const asked = { ...request, path: forwardedPath(matched, request.path) };
  return directory.forward(location, { request: asked, sender: actor, taken });
}

function isRefusal({ status, body }: RestAnswer, code: ErrorCode): boolean {
  const refusal = renderRestError(new DomainError(code, ''));
  if (status !== refusal?.status || body === null) return false;
  const said: unknown = JSON.parse(body);
  return typeof said === 'object' && said !== null && Reflect.get(said, 'code') === refusal.body.code;
}

/** Libraries do not read the body of a 5xx. */
const NOT_ON_BOXES = { 'x-causeway-reason': 'not-implemented-self-hosted' };

async function answerFor(selfHosted: SelfHosted, forward: () => Promise<RestAnswer>): Promise<RestAnswer | null> {
  switch (selfHosted) {
    case 'forward':
      return forward();
    case 'inCloud':
      return null;
    case 'notFound':
      return errorAnswer(NOT_FOUND);
    case 'notImplemented':
      return errorAnswer(NOT_IMPLEMENTED, NOT_ON_BOXES);
  }
}
