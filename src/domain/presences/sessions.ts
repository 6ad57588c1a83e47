import type { Presence, Prisma } from '../../infra/database/index.js';
import { hashSecret } from '../../infra/secrets.js';
import type { CallContext } from '../call.js';
import type { SessionFacts } from './store.js';

/** A gateway session of a bot that is on a connection, in whatever process. */
export interface OpenSession extends SessionFacts {
  /** A digest: with the id itself its client resumes. The same for as long as the session lasts. */
  id: string;
  /** The bot's, too. */
  applicationId: bigint;
}

/** The columns that hold it, and those of a person's connection or of an older version's process do not. */
const COLUMNS = {
  sessionId: true,
  userId: true,
  shardId: true,
  shardCount: true,
  intents: true,
  connectedAt: true,
} satisfies Prisma.PresenceSelect;

/** The open sessions of these applications' bots: those of the lowest shards first, and of one shard the oldest. */
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

/** Those of these bots of which a session is open, in whatever process. */
export async function findOnline({ read, live }: CallContext, botIds: bigint[]): Promise<bigint[]> {
  const where = { userId: { in: botIds }, process: { until: { gt: live.now() } } };
  const groups = await read.presence.groupBy({ by: ['userId'], where });
  return groups.map(({ userId }) => userId);
}
