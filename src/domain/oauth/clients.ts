import { joinLookups } from '../../infra/caching/joined-lookups.js';
import { hashSecret, secretMatches } from '../../infra/crypto/secrets.js';
import type { Application, Reader } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { SecretUses } from '../applications/secret-uses.js';
import { ACTIVE } from '../applications/views.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { requireStillThere } from '../installations/access.js';

export interface ClientCredentials {
  clientId: bigint;
  clientSecret: string | undefined;
}

export interface Client {
  application: Application;
  byType: 'confidential' | 'public';
}

export type FindClient = (id: bigint) => Promise<Application | null>;

/** Batches lookups, so that many unknown ids are cheap. */
export function createFindClient(read: Reader): FindClient {
  return joinLookups(async (ids: bigint[]) => {
    const applications = await read.application.findMany({ where: { id: { in: ids }, ...ACTIVE } });
    return new Map(applications.map((application) => [application.id, application]));
  });
}

/** Compared for unknown clients, so that responses take the same time. */
const NOBODYS_HASH = hashSecret('');

/**
 * A public client need not send a secret (RFC 6749, section 2.3).
 * @throws INVALID_CLIENT for an unknown client or a wrong secret
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

/** @throws INVALID_CLIENT if the client is deleted or suspended concurrently */
export function writeForClient<T>(
  call: CallContext,
  { application }: Client,
  work: (write: Write) => Promise<T>,
): Promise<T> {
  const checked = async (write: Write) => {
    await requireStillThere(write.db, application.id, invalidClient);
    return work(write);
  };
  return call.write(checked, { streams: [topics.application(application.id)] });
}

function invalidClient(): DomainError {
  return new DomainError('INVALID_CLIENT');
}
