import { z } from 'zod';
import { chunksOf } from '../../infra/concurrency/event-loop.js';
import { Prisma, type Reader } from '../../infra/database/index.js';
import { readChanges, targetOf } from './actions.js';
import type { GuildLogEntry } from './guild-log.js';
import type { InstanceLogEntry } from './instance-list.js';
import type { PortalLogEntry } from './list.js';

export type LogEntry = PortalLogEntry | GuildLogEntry | InstanceLogEntry;

/** `ofInstalled`: a command or application that is installed in one of the guilds. */
type Kind = ReturnType<typeof targetOf> | 'ofInstalled';

type NamesOf = (ids: Prisma.Sql, guildIds: Prisma.Sql) => Prisma.Sql;

const named =
  (table: Prisma.ModelName, condition = ''): NamesOf =>
  (ids) =>
    Prisma.sql`SELECT "id", "name" FROM ${Prisma.raw(`"${table}"`)} WHERE "id" IN (${ids}) ${Prisma.raw(condition)}`;

const NOT_DELETED = 'AND "deletedAt" IS NULL';

const ofUsers: NamesOf = (ids) => Prisma.sql`
  SELECT "id", COALESCE("globalName", "username") AS "name" FROM "User" WHERE "id" IN (${ids}) AND "deletedAt" IS NULL`;

const NAMES: Record<Kind, NamesOf> = {
  application: named('Application', NOT_DELETED),
  team: named('Team'),
  user: ofUsers,
  installation: (ids) => Prisma.sql`
    SELECT i."id", a."name" FROM "Installation" AS i JOIN "Application" AS a ON a."id" = i."applicationId"
    WHERE i."id" IN (${ids})`,
  guild: named('Guild', NOT_DELETED),
  channel: named('Channel', 'AND "guildId" IS NOT NULL'),
  role: named('Role'),
  emoji: named('Emoji'),
  command: named('ApplicationCommand'),
  ofInstalled: (ids, guildIds) => Prisma.sql`
    SELECT a."id", a."name" FROM "Application" AS a JOIN "Installation" AS i ON i."applicationId" = a."id"
    WHERE a."id" IN (${ids}) AND i."guildId" IN (${guildIds})
    UNION ALL
    SELECT c."id", c."name" FROM "ApplicationCommand" AS c JOIN "Installation" AS i ON i."applicationId" = c."applicationId"
    WHERE c."id" IN (${ids}) AND i."guildId" IN (${guildIds})`,
  webhook: named('Webhook', NOT_DELETED),
  box: named('Box'),
  limitSubject: ofUsers,
  invitation: (ids) => Prisma.sql`SELECT "id", "note" AS "name" FROM "SignUpInvitation" WHERE "id" IN (${ids})`,
};

/** Each has at most four parameters; SQLite takes 999. */
const ENTRIES_PER_STATEMENT = 200;

/**
 * The current name, else that in the entry; an invite's code. Targets without a name are absent. The caller must be
 * allowed to view the logs.
 */
export async function nameTargets(read: Reader, entries: readonly LogEntry[]): Promise<Map<LogEntry, string>> {
  const names = new Map<LogEntry, string>();
  for (const piece of chunksOf(entries, ENTRIES_PER_STATEMENT)) {
    const present = await presentNames(read, piece);
    for (const entry of piece) {
      const name = codeOfInvite(entry) ?? present.get(keyOf(entry)) ?? nameSaidBy(entry);
      if (name !== null) names.set(entry, name);
    }
  }
  return names;
}

function kindOf({ action }: LogEntry): Kind {
  return action === 'COMMAND_PERMISSIONS_UPDATE' ? 'ofInstalled' : targetOf(action);
}

const keyOf = (entry: LogEntry) => `${kindOf(entry)} ${entry.targetId}`;

async function presentNames(read: Reader, entries: readonly LogEntry[]): Promise<Map<string, string>> {
  const idsByKind = new Map<Kind, Set<bigint>>();
  for (const entry of entries) {
    if (entry.targetId === null || codeOfInvite(entry) !== null) continue;
    idsByKind.set(kindOf(entry), (idsByKind.get(kindOf(entry)) ?? new Set()).add(entry.targetId));
  }
  if (idsByKind.size === 0) return new Map();
  const guildIds = new Set(entries.flatMap(({ guildId }) => guildId ?? []));
  const parts = [...idsByKind].map(([kind, ids]) => ofKind(kind, ids, guildIds));
  const rows = await read.$queryRaw<{ key: string; name: string }[]>`${Prisma.join(parts, ' UNION ALL ')}`;
  return new Map(rows.map(({ key, name }) => [key, name]));
}

function ofKind(kind: Kind, ids: ReadonlySet<bigint>, guildIds: ReadonlySet<bigint>): Prisma.Sql {
  const found = NAMES[kind](Prisma.join([...ids]), guildIds.size === 0 ? Prisma.sql`NULL` : Prisma.join([...guildIds]));
  const key = Prisma.raw(`'${kind} ' || CAST("id" AS TEXT)`);
  return Prisma.sql`SELECT ${key} AS "key", "name" FROM (${found}) AS found`;
}

function codeOfInvite({ action, changes }: LogEntry): string | null {
  return action === 'INVITE_CREATE' || action === 'INVITE_DELETE' ? readChanges(action, changes).code : null;
}

/** A name in an entry is its target's. */
const Named = z.object({ name: z.union([z.string(), z.object({ new: z.string() }).transform((name) => name.new)]) });

function nameSaidBy({ changes }: LogEntry): string | null {
  return Named.safeParse(changes).data?.name ?? null;
}
