import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import { createAccounts } from './accounts/index.js';
import { answerBrokenRequest } from './broken-requests.js';
import { createCdnFace } from './cdn/index.js';
import type { Config } from './config.js';
import { type AppContext, createAppContext } from './context.js';
import type { Face } from './face.js';
import { createGatewayFace } from './gateway/index.js';
import { createAddressSignatures } from './infra/address-signatures.js';
import { type Clock, systemClock } from './infra/clock.js';
import { httpFault } from './infra/http-faults.js';
import { knowUnusualMethods } from './infra/http-methods.js';
import { createLogger, type Logger } from './infra/logger.js';
import { createMetrics } from './infra/metrics.js';
import { instanceSecret } from './infra/secrets.js';
import { mountInvitePage, mountLanding } from './landing.js';
import { LatestResponses } from './latest-responses.js';
import { createOAuthFace } from './oauth/index.js';
import { openResources } from './resources.js';
import { answerForNoFace, canonicalAddress, createRestFace } from './rest-compat/index.js';
import { graphqlFace } from './schema/face.js';
import { dropUnreadBodies } from './unread-bodies.js';
import { routeUpgrades } from './upgrades.js';
import { renderEvent } from './wire/events.js';

/** Parts that a test may replace. */
export interface Overrides {
  clock?: Clock;
  log?: Logger;
}

export interface Server {
  app: AppContext;
  /** Listens, and resolves with the origin it answers at. */
  start(): Promise<string>;
  /** Lets go of connections, finishes requests in flight, closes everything. Safe to call more than once. */
  stop(): Promise<void>;
}

/** How long a stop waits for connections and requests before it cuts them off, in milliseconds. */
const STOP_DEADLINE_MS = 8_000;

/** How long a request may take to arrive whole, in milliseconds: 25 MiB over a slow line, and no more patience than that. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Puts one instance together; nothing listens until `start`. */
export async function createServer(config: Config, overrides: Overrides = {}): Promise<Server> {
  const log = overrides.log ?? createLogger(config.logLevel);
  const clock = overrides.clock ?? systemClock;
  const { close, ...resources } = await openResources(config, log, clock);
  const addresses = {
    publicUrl: config.publicUrl ?? '',
    gatewayUrl: config.gatewayPublicUrl ? `${config.gatewayPublicUrl}/gateway` : '',
    signatures: createAddressSignatures(instanceSecret(join(config.dataDir, 'cdn-secret')), clock),
  };
  const app = createAppContext({
    ...resources,
    config,
    addresses,
    log,
    clock,
    metrics: createMetrics(),
    publish(event) {
      const { topic, message } = renderEvent(event, addresses);
      resources.bus.publish(topic, message);
    },
  });
  const responses = new LatestResponses();
  const http = createHttp(app, responses);
  responses.watch(http.server);
  dropUnreadBodies(http.server);
  const state = { phase: 'starting' as 'starting' | 'ready' | 'draining' };
  mountLanding(http, app);
  mountInvitePage(http);
  mountOperations(http, app, () => state.phase === 'ready');
  const accounts = createAccounts(app);
  const faces: Face[] = [
    accounts,
    graphqlFace(app, accounts.personFromHeaders),
    createCdnFace(app),
    createOAuthFace(app, accounts.pageSessions),
    createRestFace(app, accounts.personFromHeaders),
    createGatewayFace(app),
  ];
  for (const face of faces) await face.mount?.(http);
  routeUpgrades(http.server, faces, responses);

  let stopping: Promise<void> | undefined;
  return {
    app,
    async start() {
      await http.listen({ host: config.host, port: config.port });
      const { port } = http.server.address() as AddressInfo;
      app.addresses.publicUrl ||= `http://localhost:${port}`;
      app.addresses.gatewayUrl ||= `${app.addresses.publicUrl.replace(/^http/, 'ws')}/gateway`;
      state.phase = 'ready';
      return app.addresses.publicUrl;
    },
    stop() {
      stopping ??= (async () => {
        state.phase = 'draining';
        // A connection that is still busy would be kept for its next request, and hold the stop up.
        http.server.keepAliveTimeout = 1;
        const cutOff = app.clock.after(STOP_DEADLINE_MS, () => http.server.closeAllConnections());
        await Promise.all(faces.map((face) => face.drain?.()));
        await http.close();
        cutOff.cancel();
        await close();
      })();
      return stopping;
    },
  };
}

function createHttp(app: AppContext, responses: LatestResponses): FastifyInstance {
  const http = fastify({
    loggerInstance: app.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Refused later, with a body of the face's own shape, than by Fastify's default of 100.
    routerOptions: { maxParamLength: 4_096 },
    rewriteUrl: ({ url = '/' }) => canonicalAddress(url),
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (_error, _request, reply) => {
      const body = JSON.stringify(httpFault(400));
      reply.hijack();
      reply.raw
        .writeHead(400, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, responses.of(socket)),
  }) as unknown as FastifyInstance;
  knowUnusualMethods(http);
  // Each face reads bodies itself, when it knows the caller and within limits of its own.
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', (_request, _payload, done) => done(null));
  answerForNoFace(app, http);
  return http;
}

/** `/healthz` and `/metrics`. */
function mountOperations(http: FastifyInstance, app: AppContext, isReady: () => boolean): void {
  http.get('/healthz', (_request, reply) =>
    isReady() ? reply.send({ status: 'ok' }) : reply.code(503).send({ status: 'unavailable' }),
  );
  http.get('/metrics', async (_request, reply) =>
    reply.type(app.metrics.registry.contentType).send(await app.metrics.registry.metrics()),
  );
}
