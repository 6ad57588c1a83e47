import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { NOT_FOUND } from './errors.js';
import { type Directory, locate } from './locate.js';
import { type Matched, RouteTable } from './match.js';
import { callFor, faultAnswer, perform } from './perform.js';
import { errorAnswer, type RestAnswer, type RestRequest } from './request.js';
import { CLOUD, type TargetParam } from './route.js';
import { pathsWithoutMethods, routes } from './table.js';

/** A request from the cloud, which has authenticated the actor and located the guild. */
export interface HandedRequest extends Omit<RestRequest, 'address'> {
  guildId: bigint;
  webhook?: { id: bigint; channelId: bigint };
}

export type PerformHanded = (request: HandedRequest, actor: Actor) => Promise<RestAnswer>;

/** Only anonymous callers count by address, and the cloud never forwards those. */
const NO_ADDRESS = '';

/**
 * Runs requests that the cloud forwards. Returns 404 if the target is in another guild or the route runs in the cloud.
 */
export function performHanded(app: AppContext): PerformHanded {
  const table = new RouteTable(routes, pathsWithoutMethods);
  return async (handed, actor) => {
    const request = { ...handed, address: NO_ADDRESS };
    const matched = table.match(request);
    if (!('row' in matched)) return matched;
    const { row } = matched;
    const finish = app.metrics.requests.startTimer({ face: 'relay', route: `${row.method} ${row.path}` });
    const answer = await performMatched(app, matched, request, actor).catch((fault: unknown) =>
      faultAnswer(app, request, fault),
    );
    finish({ status: answer.status });
    return answer;
  };
}

async function performMatched(
  app: AppContext,
  matched: Matched,
  request: HandedRequest & RestRequest,
  actor: Actor,
): Promise<RestAnswer> {
  const { row, params } = matched;
  if (row.where === CLOUD) return errorAnswer(NOT_FOUND);
  const { by } = row.where;
  // A webhook token allows only its own routes.
  if (request.webhook && by !== 'webhookId') return errorAnswer(NOT_FOUND);
  const id = parseSnowflake(params[by] ?? '');
  if (id !== undefined && !(await isAsSaid(app, request, by, id))) return errorAnswer(NOT_FOUND);
  const directory: Directory = {
    whereIs: async () => ({ box: 0n, guildId: request.guildId }),
    // The cloud has checked the installation. The operation checks the membership.
    isInstalled: async () => true,
    forward: (_target, { request: forwarded }) => perform(app, matched, forwarded, callFor(app, forwarded, actor)),
  };
  return (await locate({ app, directory }, matched, request, actor)) ?? errorAnswer(NOT_FOUND);
}

/**
 * Checks that the path's target is in the guild that the cloud named.
 * @throws UNKNOWN_CHANNEL
 */
async function isAsSaid(app: AppContext, request: HandedRequest, by: TargetParam, id: bigint): Promise<boolean> {
  switch (by) {
    case 'guildId':
      return id === request.guildId;
    case 'channelId': {
      const guildId = await app.guilds.guildOfChannel(id);
      // The channel was deleted, possibly before the bot received the event, or it is a direct channel.
      if (guildId === null) throw new DomainError('UNKNOWN_CHANNEL');
      return isInGuild(guildId, request);
    }
    case 'webhookId': {
      const { webhook } = request;
      if (webhook?.id !== id) return false;
      return isInGuild(await app.guilds.guildOfChannel(webhook.channelId), request);
    }
  }
}

function isInGuild(guildId: bigint | null | undefined, request: HandedRequest): boolean {
  return guildId === undefined || guildId === request.guildId;
}
