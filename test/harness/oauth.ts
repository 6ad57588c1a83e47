import { createHash, randomBytes } from 'node:crypto';
import { callContext } from '../../src/context.js';
import { authorize, parseAuthorizationQuery, readAuthorizationRequest } from '../../src/domain/oauth/index.js';
import type { MadeApplication, Person } from './people.js';
import type { TestServer } from './server.js';

export const REDIRECT_URI = 'https://client.example/callback';

export interface CodeOptions {
  scope?: string;
  redirectUri?: string | null;
  codeChallenge?: string;
  guildId?: string;
}

/** A code that `person` granted to `application`, without the consent screen. */
export async function grantCode(
  server: TestServer,
  person: Pick<Person, 'id'>,
  application: Pick<MadeApplication, 'id'>,
  options: CodeOptions = {},
): Promise<string> {
  const user = await server.app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(person.id) } });
  const row = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
  const scope = options.scope ?? 'identify';
  const request = readAuthorizationRequest(
    row,
    parseAuthorizationQuery({
      client_id: application.id,
      response_type: 'code',
      scope,
      ...(options.redirectUri === null ? {} : { redirect_uri: options.redirectUri ?? REDIRECT_URI }),
      ...(options.codeChallenge ? { code_challenge: options.codeChallenge, code_challenge_method: 'S256' } : {}),
    }),
  );
  const call = callContext(server.app, { kind: 'person', user });
  const outcome = await authorize(call, request, {
    target: 'SERVER',
    guildId: options.guildId ? BigInt(options.guildId) : null,
    scopes: scope.split(' '),
    permissions: 0n,
  });
  if (outcome.code === null) throw new Error('there is no code for a request without a redirect URI');
  return outcome.code;
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into answers of any shape
  body: any;
}

export async function postForm(
  server: Pick<TestServer, 'origin'>,
  form: Record<string, string> | URLSearchParams,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<TokenAnswer> {
  const answer = await fetch(`${server.origin}/api/v10/oauth2/token${options.path ?? ''}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    ...(options.headers ? { headers: options.headers } : {}),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** The application's credentials as form fields. */
export function inForm(application: MadeApplication): { client_id: string; client_secret: string } {
  return { client_id: application.id, client_secret: application.clientSecret };
}

/** The application's credentials as HTTP Basic. */
export function basic(id: string, secret: string): { authorization: string } {
  const encoded = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` };
}

export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export async function askWithToken(
  server: Pick<TestServer, 'origin'>,
  path: string,
  token: string,
): Promise<TokenAnswer> {
  const answer = await fetch(`${server.origin}/api/v10${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}
