import type { ServerResponse } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { type DomainError, refusalIn } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import type { Entrypoint } from '../entrypoint.js';
import { STATUS_OF_KIND } from '../http/faults.js';
import { hashSecret, secretMatches } from '../infra/crypto/secrets.js';
import { SandboxError } from './errors.js';
import { CONTROL_PATH, controlDocument } from './openapi.js';
import { mountPage } from './page.js';
import { type Route, type RouteRequest, TextAnswer } from './route.js';
import type { Sandbox } from './sandbox.js';
import { routes } from './table.js';
import { transcriptText } from './transcript.js';

/** Seeds may contain files. In bytes. */
const MAX_BODY = 32 * 1024 * 1024;

const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;

/**
 * The control API of a sandbox at `/sandbox`, and its page. They answer only this machine. All but the page and the
 * API's document needs the token.
 * @param token compared in constant time
 */
export function createControlEntrypoint(sandbox: Sandbox, token: string): Entrypoint {
  const tokenHash = hashSecret(token);
  return {
    async drain() {
      for (const { transcript } of sandbox.worlds) transcript.close();
      sandbox.followers.close();
    },
    mount(http) {
      http.register(
        async (scope) => {
          scope.setErrorHandler<FastifyError>((error, request, reply) => refuse(sandbox, error, request, reply));
          scope.addHook('onRequest', async ({ raw }) => {
            if (!LOOPBACK.test(raw.socket.remoteAddress ?? '')) {
              throw new SandboxError(403, 'NOT_LOCAL', 'The control API answers only programs on this machine.');
            }
          });
          mountPage(scope, sandbox.app);
          scope.get('/openapi.json', async () => controlDocument(routes, sandbox.app.addresses.publicUrl));
          scope.register(async (api) => mountApi(api, sandbox, tokenHash));
        },
        { prefix: CONTROL_PATH },
      );
    },
  };
}

function mountApi(http: FastifyInstance, sandbox: Sandbox, tokenHash: string): void {
  acceptJsonAndYaml(http);
  http.setNotFoundHandler(() => {
    throw new SandboxError(404, 'NOT_FOUND', `There is no such route. ${CONTROL_PATH}/openapi.json lists all.`);
  });
  http.addHook('onRequest', async ({ headers }) => {
    if (!secretMatches(/^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '', tokenHash)) {
      throw new SandboxError(
        401,
        'WRONG_TOKEN',
        'Send the header "Authorization: Bearer …" with the token that the sandbox printed when it started.',
      );
    }
  });
  for (const row of routes) mountRoute(http, sandbox, row);
}

function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function mountRoute(http: FastifyInstance, sandbox: Sandbox, row: Route): void {
  http.route({
    method: row.method,
    url: row.path,
    // The page has the path with a slash.
    prefixTrailingSlash: 'no-slash',
    async handler(request, reply) {
      const body = row.body && parseInput(row.body, request.body ?? {});
      const query = row.query && parseInput(row.query, request.query);
      const params = request.params as Readonly<Record<string, string>>;
      const setCookie = (line: string) => void reply.header('set-cookie', line);
      const run = recorded(sandbox, row, {
        params,
        body: body as never,
        query: query as never,
        setCookie,
        gone: goneOf(reply.raw),
      });
      const answer = await run.catch((error: unknown) => {
        if (!(error instanceof SandboxError) || error.status < 422) throw error;
        throw error.withTranscript(transcriptText(sandbox.world(params.world).transcript));
      });
      reply.header('cache-control', 'no-store');
      if (answer instanceof TextAnswer) return reply.type(answer.contentType).send(answer.text);
      return answer === undefined ? reply.code(204).send() : reply.send(answer);
    },
  });
}

/** Puts an action of a person, and its refusal, into the transcript. */
async function recorded(
  sandbox: Sandbox,
  row: Route,
  request: RouteRequest<never, never>,
): Promise<object | undefined> {
  if (!row.action) return row.run(sandbox, request);
  const world = sandbox.world(request.params.world);
  const { transcript } = world;
  const { name } = world.person(request.params.person ?? '');
  const text = `${name} ${row.action(request.body)}`;
  transcript.add({ kind: 'person', text, data: request.body });
  try {
    return await row.run(sandbox, request);
  } catch (error) {
    transcript.add({ kind: 'refused', text: `${text}: ${error instanceof Error ? error.message : error}` });
    throw error;
  }
}

function acceptJsonAndYaml(http: FastifyInstance): void {
  http.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: MAX_BODY } as const;
  http.addContentTypeParser('application/json', options, async (_request: FastifyRequest, text: string) => {
    if (text === '') return {};
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new SandboxError(400, 'INVALID_JSON', `The body is not valid JSON: ${(error as Error).message}`);
    }
  });
  const yaml = /^(application|text)\/(x-)?yaml/;
  http.addContentTypeParser(yaml, options, async (_request: FastifyRequest, text: string) => {
    try {
      return (parseYaml(text) as unknown) ?? {};
    } catch (error) {
      if (!(error instanceof YAMLParseError)) throw error;
      throw new SandboxError(400, 'INVALID_YAML', `The body is not valid YAML: ${error.message}`);
    }
  });
}

function refuse({ app }: Sandbox, error: FastifyError, { id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof SandboxError) {
    const { status, code, message, transcript } = error;
    return reply.code(status).send({ code, message, ...(transcript !== undefined && { transcript }) });
  }
  const refusal = refusalIn(error);
  if (refusal) {
    const { code, kind, fields } = refusal;
    return reply
      .code(STATUS_OF_KIND[kind])
      .send({ code, message: messageOf(refusal), ...(fields.length > 0 && { fields }) });
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return reply.code(error.statusCode).send({ code: 'INVALID_REQUEST', message: error.message });
  }
  app.log.error({ err: error, requestId: id }, 'Request to the control API failed');
  return reply.code(500).send({ code: 'INTERNAL_ERROR', message: `Internal error (request ${id}).` });
}

function messageOf({ code, message, fields }: DomainError): string {
  if (code !== 'INVALID_INPUT') return message;
  return fields.map((field) => `${field.path || 'body'}: ${field.message}`).join(' ');
}
