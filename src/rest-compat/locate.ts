import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError, type ErrorCode } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import { countedAs } from '../domain/rate-limits.js';
import { readBytes } from '../http/bodies.js';
import { parseSnowflake } from '../infra/ids.js';
import { parseBody, streamOf } from './body.js';
import { coerceTo } from './coerce.js';
import { NOT_FOUND, NOT_IMPLEMENTED, renderRestError } from './errors.js';
import { forwardedPath, type Matched } from './match.js';
import { callFor, perform } from './perform.js';
import { errorAnswer, jsonAnswer, type RestAnswer, type RestRequest } from './request.js';
import { CLOUD, type SelfHosted, type TargetParam } from './route.js';
import { parseParams } from './schemas.js';

/** What lives on one server. */
export type Target = 'guild' | 'channel' | 'webhook';

/** Where something lives: in this process's database, or in this guild on the box of this id. */
export type Home = 'here' | BoxTarget;

export interface BoxTarget {
  box: bigint;
  guildId: bigint;
}

type BotActor = Extract<Actor, { kind: 'bot' }>;

/** A request to be forwarded. */
export interface Asked {
  /** Its path is that of {@link forwardedPath}. */
  request: RestRequest;
  sender: Extract<Actor, { kind: 'bot' | 'webhook' }>;
  /** What the row takes as a body; null for none. */
  taken: { maxJsonBytes: number; takesForm: boolean } | null;
}

/** Tells where things live, and reaches those that live elsewhere. */
export interface Directory {
  /** Where a guild, or that of a channel or a webhook, lives; what is not known is looked for here. */
  whereIs(target: Target, id: bigint): Promise<Home>;
  /** Whether a bot is installed to a guild elsewhere, without which nothing of its requests gets there. */
  isInstalled(target: BoxTarget, bot: BotActor): Promise<boolean>;
  /** Has a box perform a request. What it answers is marked as such. */
  forward(target: BoxTarget, asked: Asked): Promise<RestAnswer>;
}

/** The directory of a platform without boxes. */
export const everythingHere: Directory = {
  whereIs: async () => 'here',
  isInstalled: async () => false,
  forward: () => Promise.reject(new Error('there are no boxes')),
};

const TARGETS = { guildId: 'guild', channelId: 'channel', webhookId: 'webhook' } as const satisfies Record<
  TargetParam,
  Target
>;

/**
 * Finds where a request's target lives.
 * @returns null where it is performed here; else what the box answered, or what is answered for it
 * @throws what reading the body throws, where the answer depends on it, and what forwarding does
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
  const home = await homeOf(directory, { by, text: params[by] ?? '' }, actor);
  if (home === 'here') return null;
  if (isOfWebhooks && app.config.selfHostedWebhooks === 'not_found') return errorAnswer(NOT_FOUND);
  const forward = async (forwarded: RestRequest) => {
    if (actor.kind === 'bot' && !(await directory.isInstalled(home, actor))) {
      return refuseStranger(app, matched, forwarded, actor);
    }
    await parseParams(row.params, params);
    if (beforeForward) {
      parseInput(row.query, request.query);
      await beforeForward(callFor(app, request, actor));
    }
    const answer = await forwardTo(directory, home, { matched, request: forwarded, actor });
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

/** A request to the path without its last segment, with another body. */
function asJson(request: RestRequest, body: object): RestRequest {
  const headers = { ...request.headers, 'content-type': 'application/json' };
  const path = request.path.slice(0, request.path.lastIndexOf('/'));
  return { ...request, path, headers, body: Buffer.from(JSON.stringify(body)) };
}

/** What a bot is answered of a guild that it is no member of, after the same faults as anywhere (decisions 305). */
function refuseStranger(app: AppContext, matched: Matched, request: RestRequest, actor: Actor): Promise<RestAnswer> {
  const refuse = () => Promise.reject(new DomainError('MISSING_ACCESS'));
  const { row } = matched;
  const refusing = { ...row, run: refuse, admitFiles: row.admitFiles && refuse };
  return perform(app, { ...matched, row: refusing }, request, callFor(app, request, actor));
}

/** The token of an interaction stands where a webhook's does, and none is of a guild on a box; who shows a webhook's was read with it. */
async function homeOf(
  directory: Directory,
  { by, text }: { by: TargetParam; text: string },
  actor: Actor,
): Promise<Home> {
  if (by === 'webhookId' && actor.kind === 'interaction') return 'here';
  if (by === 'webhookId' && actor.kind === 'webhook') return directory.whereIs('guild', actor.webhook.guildId);
  const id = parseSnowflake(text);
  return id === undefined ? 'here' : directory.whereIs(TARGETS[by], id);
}

/** Boxes know bots, and webhooks by their ids: to anybody else, none of their servers is there. */
async function forwardTo(
  directory: Directory,
  home: BoxTarget,
  { matched, request, actor }: { matched: Matched; request: RestRequest; actor: Actor },
): Promise<RestAnswer> {
  if (actor.kind !== 'bot' && actor.kind !== 'webhook') return errorAnswer(NOT_FOUND);
  const { row } = matched;
  const taken = row.body && { maxJsonBytes: row.maxJsonBytes, takesForm: row.admitFiles !== null };
  const asked = { ...request, path: forwardedPath(matched, request.path) };
  return directory.forward(home, { request: asked, sender: actor, taken });
}

/** Whether an answer, which may be of any box, is how this face renders a refusal. */
function isRefusal({ status, body }: RestAnswer, code: ErrorCode): boolean {
  const refusal = renderRestError(new DomainError(code, ''));
  if (status !== refusal?.status || body === null) return false;
  const said: unknown = JSON.parse(body);
  return typeof said === 'object' && said !== null && Reflect.get(said, 'code') === refusal.body.code;
}

/** A library does not read the body of a 5xx, so that its reason stands in a header too (decisions 37). */
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
