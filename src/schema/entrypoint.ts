import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type AppContext, callContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { GRAPHQL_PER_CALLER, REQUESTS_PER_CALLER } from '../domain/limits.js';
import { countedAs, takeLimit, takePoints } from '../domain/rate-limits.js';
import type { Entrypoint, UpgradeHandler } from '../entrypoint.js';
import { readLocale } from '../http/locale.js';
import type { FindPerson } from '../http/page-sessions.js';
import type { LargeScript } from '../http/pages/large-script.js';
import { refuseUpgrade } from '../http/upgrades.js';
import { Lazy } from '../infra/caching/lazy.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { Logger } from '../infra/observability/logger.js';
import { showSubscriptions } from '../infra/observability/metrics.js';
import { OPERATION_COST, OperationBudget, type Pay } from './budget.js';
import type { GraphqlContext } from './context.js';
import { createGraphiqlScript } from './graphiql.js';
import { type ContextFor, mountGraphql } from './http.js';
import { Loaders } from './loaders.js';
import { Streams } from './streams.js';
import { Turn } from './turn.js';
import type { Yoga } from './yoga.js';

/**
 * Entry point of GraphQL, over HTTP and WebSocket. Loads the schema at the first request, because an instance that
 * serves only bots
 * does not need it.
 */
export function graphqlEntrypoint(app: AppContext, findPerson: FindPerson): Entrypoint {
  const graphiql = createGraphiqlScript();
  const yoga = new Lazy(() => loadGraphqlServer(app.log, graphiql));
  const streams = new Streams(app.connectionClock, app.log);
  showSubscriptions(app.metrics, () => streams.size);
  const contextFor: ContextFor = async (visitor, requestId = randomUUID()): Promise<GraphqlContext> => {
    const { headers, isMachine } = visitor;
    const actor: Actor = isMachine ? { kind: 'machine' } : await findPerson(headers);
    const call = callContext(app, actor, { requestId, locale: readLocale(headers) });
    const caller = countedAs(actor, visitor);
    if (actor.kind === 'anonymous') await takeLimit(call, REQUESTS_PER_CALLER, caller);
    const pay: Pay = (objects) => takePoints(call, GRAPHQL_PER_CALLER, caller, objects);
    await pay(OPERATION_COST);
    return {
      app,
      call,
      loaders: new Loaders(),
      budget: new OperationBudget(pay),
      streams,
      turn: new Turn(),
      isStillSignedIn: async () => (await findPerson(headers)).kind === 'person',
    };
  };
  const streaming = new Set<ServerResponse>();
  const sockets = new Lazy(async () => {
    const { graphqlSockets } = await import('./websocket.js');
    return graphqlSockets(app, { yoga: await yoga.get(), contextFor, findPerson, streams });
  });
  let draining = false;
  const upgrade: UpgradeHandler = (request, raw, head) => {
    if (draining) {
      refuseUpgrade(raw);
      return;
    }
    sockets.get().then(
      ({ take }) => take(request, raw, head),
      (error: unknown) => {
        app.log.error({ err: error }, 'Could not load the GraphQL WebSocket server; the connection was closed');
        raw.destroy();
      },
    );
  };
  return {
    mount: (http) => mountGraphql(http, app, { yoga, graphiql }, contextFor, streaming),
    upgrades: { '/graphql': upgrade },
    async drain() {
      draining = true;
      await (await sockets.ifAsked())?.drain();
      // Destroyed instead of completed, so that `EventSource` clients reconnect.
      for (const response of streaming) response.destroy();
      streams.endAll();
    },
  };
}

/** Yields between imports, because together they block the event loop too long. */
async function loadGraphqlServer(log: Logger, graphiql: LargeScript): Promise<Yoga> {
  await import('graphql');
  await yieldToEventLoop();
  await import('./builder.js');
  await yieldToEventLoop();
  await import('./index.js');
  await yieldToEventLoop();
  const { createGraphqlServer } = await import('./yoga.js');
  await yieldToEventLoop();
  return createGraphqlServer(log, graphiql);
}
