import type { Prisma } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import { reminderKeys } from '../built-in-commands/reminders/add.js';
import { ReminderPayload } from '../built-in-commands/reminders/payload.js';
import {
  arrayEntry,
  byId,
  type ExportEntry,
  type ExportSource,
  linesEntry,
  pagesOf,
  ROWS_PER_PAGE,
} from './entries.js';
import { mapped } from './places.js';

interface Reacted {
  messageId: bigint;
  emoji: string;
}

export function reactionsEntry({ read, userId }: ExportSource): ExportEntry {
  const after = ({ messageId, emoji }: Reacted): Prisma.ReactionWhereInput => ({
    OR: [{ messageId: { gt: messageId } }, { messageId, emoji: { gt: emoji } }],
  });
  const pages = pagesOf((last: Reacted | undefined) =>
    read.reaction.findMany({
      where: { userId, ...(last && after(last)) },
      orderBy: [{ messageId: 'asc' }, { emoji: 'asc' }],
      take: ROWS_PER_PAGE,
      select: { messageId: true, emoji: true, createdAt: true },
    }),
  );
  return linesEntry('reactions.jsonl', pages);
}

/** Entries of all audit logs in which the person is actor or target. */
export function auditLogEntry(source: ExportSource): ExportEntry {
  return linesEntry('audit-log.jsonl', auditLog(source));
}

interface LogRow {
  id: bigint;
  action: string;
  actorId: bigint | null;
  targetId: bigint | null;
  changes: Prisma.JsonValue;
  reason: string | null;
}

async function* auditLog({ read, userId }: ExportSource) {
  // No index leads to the entries of a person, so each query reads a bounded part of the table.
  const ranges = pagesOf((last: { id: bigint } | undefined) =>
    read.auditEntry.findMany({ ...byId(last), select: { id: true } }),
  );
  const mine = { OR: [{ actorId: userId }, { targetId: userId }] };
  for await (const range of ranges) {
    const id = { gte: range[0]?.id, lte: range.at(-1)?.id };
    const rows = await read.auditEntry.findMany({ where: { id, ...mine }, orderBy: { id: 'asc' } });
    if (rows.length > 0) {
      yield rows.map(({ applicationId, teamId, guildId: serverId, ...row }) => ({
        ...shown(row, userId),
        applicationId,
        teamId,
        serverId,
      }));
    }
  }
  yield* mapped(
    pagesOf((last: { id: bigint } | undefined) => {
      const { where, ...page } = byId(last);
      return read.instanceAuditEntry.findMany({ where: { ...mine, ...where }, ...page });
    }),
    (row) => shown(row, userId),
  );
}

/** Without the names and reasons of others. */
function shown({ id, action, actorId, targetId, changes, reason }: LogRow, userId: bigint) {
  const isActor = actorId === userId;
  return {
    id,
    action,
    createdAt: new Date(snowflakeTime(id)),
    isActor,
    targetId,
    changes,
    reason: isActor ? reason : null,
  };
}

export async function* reminders({ read, userId }: ExportSource) {
  const jobs = await read.job.findMany({
    where: { key: { in: reminderKeys(userId) }, dueAt: { not: null } },
    orderBy: { id: 'asc' },
    select: { payload: true, dueAt: true },
  });
  yield jobs.map(({ payload, dueAt }) => {
    const { about, askedAt, channelId, guildId } = ReminderPayload.parse(payload);
    return { about, channelId, serverId: guildId, createdAt: new Date(askedAt), dueAt };
  });
}

export function remindersEntry(source: ExportSource): ExportEntry {
  return arrayEntry('reminders.json', reminders(source));
}
