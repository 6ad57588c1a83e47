import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import { HONOURED_SCOPES } from '../domain/installations/index.js';
import { REST_PATH } from '../http/rest-paths.js';

/** RFC 8414. */
export function mountMetadata(http: FastifyInstance, { addresses }: AppContext): void {
  http.get('/.well-known/oauth-authorization-server', (_request, reply) =>
    reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(metadata(addresses.publicUrl)))),
  );
}

function metadata(issuer: string) {
  const clientAuthentication = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}${REST_PATH}/oauth2/token`,
    revocation_endpoint: `${issuer}${REST_PATH}/oauth2/token/revoke`,
    scopes_supported: HONOURED_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
