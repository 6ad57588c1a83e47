import { Prisma, type Reader } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

/** Permissions that are deleted with a command. */
export interface LostGrants {
  grantsLost: number;
  /** Guilds of which the calling person is a member. */
  grantsLostIn: bigint[];
  /** Number of other guilds. */
  grantsLostElsewhere: number;
}

export const NOTHING_LOST: LostGrants = { grantsLost: 0, grantsLostIn: [], grantsLostElsewhere: 0 };

export type GrantReader = Pick<Reader, '$queryRaw'>;

/** Commands without permissions are absent. */
export async function lostGrants(
  call: CallContext,
  read: GrantReader,
  commandIds: readonly bigint[],
): Promise<Map<bigint, LostGrants>> {
  if (commandIds.length === 0) return new Map();
  const counts = await countGrants(read, commandIds);
  const seen = counts.length === 0 ? [] : await seenGuilds(call, read, commandIds);
  return new Map(
    counts.map(({ commandId, grants, guilds }) => {
      const grantsLostIn = seen.flatMap((one) => (one.commandId === commandId ? [BigInt(one.guildId)] : []));
      return [
        BigInt(commandId),
        { grantsLost: Number(grants), grantsLostIn, grantsLostElsewhere: Number(guilds) - grantsLostIn.length },
      ];
    }),
  );
}

/** Casts to text, because computed columns have no declared type. */
function countGrants(
  read: GrantReader,
  commandIds: readonly bigint[],
): Promise<{ commandId: string; grants: string; guilds: string }[]> {
  return read.$queryRaw`
    SELECT CAST("commandId" AS TEXT) AS "commandId", CAST(COUNT(*) AS TEXT) AS "grants",
      CAST(COUNT(DISTINCT "guildId") AS TEXT) AS "guilds"
    FROM "CommandPermission" WHERE "commandId" IN (${Prisma.join([...commandIds])}) GROUP BY "commandId"`;
}

async function seenGuilds(
  { actor }: CallContext,
  read: GrantReader,
  commandIds: readonly bigint[],
): Promise<{ commandId: string; guildId: string }[]> {
  if (actor.kind !== 'person') return [];
  return read.$queryRaw`
    SELECT CAST(p."commandId" AS TEXT) AS "commandId", CAST(p."guildId" AS TEXT) AS "guildId"
    FROM "CommandPermission" p
      JOIN "Guild" g ON g."id" = p."guildId" AND g."deletedAt" IS NULL
      JOIN "Member" m ON m."guildId" = p."guildId" AND m."userId" = ${actor.user.id}
    WHERE p."commandId" IN (${Prisma.join([...commandIds])})
    GROUP BY p."commandId", p."guildId" ORDER BY p."guildId"`;
}
