import type { Application, Reader } from '../../infra/database/index.js';
import { hashSecret, secretMatches } from '../../infra/secrets.js';
import { DomainError } from '../errors.js';

/** What a client shows of itself at the token endpoint. */
export interface ClientCredentials {
  clientId: bigint;
  /** Undefined for a client that shows none. */
  clientSecret: string | undefined;
}

/** A client that was recognised, and whether by its secret. */
export interface Client {
  application: Application;
  byType: 'confidential' | 'public';
}

/** Compared against when there is no such client, so that the answer takes the same time. */
const NOBODYS_HASH = hashSecret('');

/**
 * Recognises a client (RFC 6749, section 2.3): by its secret, or a public one without.
 * @throws INVALID_CLIENT, for an unknown client and for a wrong secret alike
 */
export async function authenticateClient(read: Reader, credentials: ClientCredentials): Promise<Client> {
  const application = await read.application.findUnique({ where: { id: credentials.clientId, deletedAt: null } });
  const { clientSecret } = credentials;
  if (clientSecret === undefined) {
    if (application?.publicClient) return { application, byType: 'public' };
    throw invalidClient();
  }
  const matches = secretMatches(clientSecret, application?.clientSecretHash ?? NOBODYS_HASH);
  if (!application?.clientSecretHash || !matches) throw invalidClient();
  return { application, byType: 'confidential' };
}

function invalidClient(): DomainError {
  return new DomainError('INVALID_CLIENT', 'The client is unknown, or its credentials are wrong or missing.');
}
