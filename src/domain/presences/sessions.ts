import { hashSecret } from '../../infra/crypto/secrets.js';
import type { Presence, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { SessionSummary } from './store.js';

export interface OpenSession extends SessionSummary {
  /** A digest, since a client can resume with the id itself. */
  id: string;
  /** Also the bot's user id. */
  applicationId: bigint;
}

/** The session columns are null for users' connections and in rows of older versions. */
const COLUMNS = {
  sessionId: true,
  userId: true,
  shardId: true,
  shardCount: true,
  intents: true,
  connectedAt: true,
} satisfies Prisma.PresenceSelect;

/** Ordered by shard, then oldest first. */
export async function listSessions(
  { read, live }: CallContext,
  applicationIds: bigint[],
  take: number,
): Promise<OpenSession[]> {
  const rows = await read.presence.findMany({
    where: { userId: { in: applicationIds }, connectedAt: { not: null }, process: { until: { gt: live.now() } } },
    select: COLUMNS,
    orderBy: [{ shardId: 'asc' }, { connectedAt: 'asc' }, { sessionId: 'asc' }],
    take,
  });
  return rows.flatMap(sessionIn);
}

function sessionIn(row: Pick<Presence, keyof typeof COLUMNS>): OpenSession[] {
  const { sessionId, userId: applicationId, shardId, shardCount, intents, connectedAt } = row;
  if (shardId === null || shardCount === null || intents === null || connectedAt === null) return [];
  return [{ id: hashSecret(sessionId), applicationId, shardId, shardCount, intents, connectedAt }];
}

export async function findOnline({ read, live }: CallContext, botIds: bigint[]): Promise<bigint[]> {
  const where = { userId: { in: botIds }, process: { until: { gt: live.now() } } };
  const groups = await read.presence.groupBy({ by: ['userId'], where });
  return groups.map(({ userId }) => userId);
}
