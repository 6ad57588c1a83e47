import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { parseInput } from '../domain/parse-input.js';
import { countedAs } from '../domain/rate-limits.js';
import { readText } from '../http/bodies.js';
import { parseSnowflake } from '../infra/ids.js';
import { streamOf } from './body.js';
import { NOT_FOUND, NOT_IMPLEMENTED } from './errors.js';
import { parseJson } from './json.js';
import type { Matched } from './match.js';
import { errorAnswer, jsonAnswer, type RestAnswer, type RestRequest } from './request.js';
import { CLOUD, type Route, type SelfHosted, type TargetParam } from './route.js';

/** What lives on one server. */
export type Target = 'guild' | 'channel' | 'webhook';

/** Where something lives: in this process's database, or on the box of this id. */
export type Home = 'here' | { box: bigint };

/** Tells where things live, and reaches those that live elsewhere. */
export interface Directory {
  /** Where a guild, a channel or a webhook's channel lives; what is not known is looked for here. */
  whereIs(target: Target, id: bigint): Promise<Home>;
  /** Has a box perform a request for an actor. */
  forward(box: bigint, request: RestRequest, actor: Actor): Promise<RestAnswer>;
}

/** The directory of a platform without boxes. */
export const everythingHere: Directory = {
  whereIs: async () => 'here',
  forward: () => Promise.reject(new Error('there are no boxes')),
};

const TARGETS = { guildId: 'guild', channelId: 'channel', webhookId: 'webhook' } as const satisfies Record<
  TargetParam,
  Target
>;

/**
 * Finds where a request's target lives.
 * @returns null where that is here; else what the box answered, or what is answered for it
 * @throws what reading the body throws, where the answer depends on it, and what forwarding does
 */
export async function locate(
  { app, directory }: { app: AppContext; directory: Directory },
  { row, params }: Matched,
  request: RestRequest,
  actor: Actor,
): Promise<RestAnswer | null> {
  if (row.where === CLOUD) return null;
  const { by, selfHosted } = row.where;
  const id = parseSnowflake(params[by] ?? '');
  const home = id === undefined ? 'here' : await directory.whereIs(TARGETS[by], id);
  if (home === 'here') return null;
  const forward = (forwarded: RestRequest) => directory.forward(home.box, forwarded, actor);
  if (typeof selfHosted !== 'function') return answerFor(selfHosted, () => forward(request));
  const held = app.bodies.hold(countedAs(actor, request));
  try {
    const text = await readText(streamOf(request.body), row.maxJsonBytes, held);
    return await answerFor(selfHosted(parseBody(row, text)), () => forward({ ...request, body: Buffer.from(text) }));
  } finally {
    held.release();
  }
}

function parseBody(row: Route, text: string): unknown {
  const value = text.trim() === '' ? {} : parseJson(text);
  return row.body ? parseInput(row.body, value) : value;
}

/** A library does not read the body of a 5xx, so that its reason stands in a header too (decisions 37). */
const NOT_ON_BOXES = { 'x-causeway-reason': 'not-implemented-self-hosted' };

async function answerFor(selfHosted: SelfHosted, forward: () => Promise<RestAnswer>): Promise<RestAnswer> {
  switch (selfHosted) {
    case 'forward':
      return forward();
    case 'notFound':
      return errorAnswer(NOT_FOUND);
    case 'notImplemented':
      return errorAnswer(NOT_IMPLEMENTED, NOT_ON_BOXES);
    case 'noContent':
      return jsonAnswer(204, undefined);
  }
}
