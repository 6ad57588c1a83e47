import type { Application, Reader } from '../../infra/database/index.js';
import { joinLookups } from '../../infra/joined-lookups.js';
import { hashSecret, secretMatches } from '../../infra/secrets.js';
import type { SecretUses } from '../applications/secret-uses.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { requireStillThere } from '../installations/access.js';

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

/** Finds an application that is not deleted, or null. */
export type FindClient = (id: bigint) => Promise<Application | null>;

/** Looks clients up together, so that made-up ones cost little however many come. */
export function createFindClient(read: Reader): FindClient {
  return joinLookups(async (ids: bigint[]) => {
    const applications = await read.application.findMany({ where: { id: { in: ids }, deletedAt: null } });
    return new Map(applications.map((application) => [application.id, application]));
  });
}

/** Compared against when there is no such client, so that the answer takes the same time. */
const NOBODYS_HASH = hashSecret('');

/**
 * Recognises a client (RFC 6749, section 2.3): by its secret, whose use is noted, or a public one without.
 * @throws INVALID_CLIENT, for an unknown client and for a wrong secret alike
 */
export async function authenticateClient(
  find: FindClient,
  uses: Pick<SecretUses, 'note'>,
  credentials: ClientCredentials,
): Promise<Client> {
  const application = await find(credentials.clientId);
  const { clientSecret } = credentials;
  if (clientSecret === undefined) {
    if (application?.publicClient) return { application, byType: 'public' };
    throw invalidClient();
  }
  const matches = secretMatches(clientSecret, application?.clientSecretHash ?? NOBODYS_HASH);
  if (!application?.clientSecretHash || !matches) throw invalidClient();
  uses.note('clientSecret', application.id, application.clientSecretHash);
  return { application, byType: 'confidential' };
}

/** Runs a transaction that gives a client something. @throws INVALID_CLIENT for a client that was deleted meanwhile */
export function writeForClient<T>(
  call: CallContext,
  { application }: Client,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const checked = async (write: Write) => {
    await requireStillThere(write.db, application.id, invalidClient);
    return work(write);
  };
  return call.write(checked, { serializable: true });
}

function invalidClient(): DomainError {
  return new DomainError('INVALID_CLIENT');
}
