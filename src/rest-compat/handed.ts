import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { parseSnowflake } from '../infra/ids.js';
import { NOT_FOUND } from './errors.js';
import { type Directory, locate } from './locate.js';
import { type Matched, RouteTable } from './match.js';
import { callFor, faultAnswer, perform } from './perform.js';
import { errorAnswer, type RestAnswer, type RestRequest } from './request.js';
import { CLOUD, type TargetParam } from './route.js';
import { pathsWithoutMethods, routes } from './table.js';

/** A request that a cloud hands to its box: it has admitted the actor, and names the guild that the request is about. */
export interface HandedRequest extends Omit<RestRequest, 'address'> {
  guildId: bigint;
  /** The webhook whose token was shown, and the channel that it is directed to. */
  webhook?: { id: bigint; channelId: bigint };
}

/** Performs requests that a cloud hands to its box. */
export type PerformHanded = (request: HandedRequest, actor: Actor) => Promise<RestAnswer>;

/** Whoever counts by an address shows no credential, and of them none is handed over. */
const NO_ADDRESS = '';

/**
 * What a box makes of a request: what the rows say of a self-hosted guild, and what is forwarded is performed. A request whose target
 * is in another guild than it is said to be about, and one of a row that runs in the cloud, is not found.
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
  // Whoever has the token of a webhook may do what its routes do, and nothing else.
  if (request.webhook && by !== 'webhookId') return errorAnswer(NOT_FOUND);
  const id = parseSnowflake(params[by] ?? '');
  if (id !== undefined && !(await isAsSaid(app, request, by, id))) return errorAnswer(NOT_FOUND);
  const directory: Directory = {
    whereIs: async () => ({ box: 0n, guildId: request.guildId }),
    // The cloud has looked; whether the bot is a member is for what is performed to say.
    isInstalled: async () => true,
    forward: (_target, { request: forwarded }) => perform(app, matched, forwarded, callFor(app, forwarded, actor)),
  };
  return (await locate({ app, directory }, matched, request, actor)) ?? errorAnswer(NOT_FOUND);
}

/** Whether what tells where a row runs is what the cloud says that the request is about; of a channel that is gone, the row says so. */
async function isAsSaid(app: AppContext, request: HandedRequest, by: TargetParam, id: bigint): Promise<boolean> {
  switch (by) {
    case 'guildId':
      return id === request.guildId;
    case 'channelId': {
      const guildId = await app.guilds.guildOfChannel(id);
      // A channel that is gone, which a bot may hear later than it asks again; nor is a direct one there for it.
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
