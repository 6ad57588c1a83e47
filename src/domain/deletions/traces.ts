import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { Prisma } from '../../infra/database/index.js';
import { isReadable } from '../audit-log/actions.js';
import type { CallContext } from '../call.js';
import { PLATFORM_ID } from '../platform/platform.js';
import { Names } from './names.js';

/** Rows that are examined at once. They take a few milliseconds. */
const PAGE = 200;

export interface Traced {
  userId: bigint;
  names: readonly string[];
  email: string;
}

/**
 * Removes the person's names from rows that stay: audit logs, bans, interactions of others, and messages of the
 * platform. Idempotent.
 * @throws `signal.reason` when aborted
 */
export async function removeTraces(call: CallContext, traced: Traced, signal: AbortSignal): Promise<void> {
  const about = new Names([...traced.names, traced.email]);
  // Other people wrote the other entries, and a name may be an ordinary word.
  const elsewhere = new Names([traced.email]);
  const of = { call, userId: traced.userId, signal };
  await removeFromLogs(of, about, elsewhere);
  await removeFromBans(of, about);
  await removeFromInteractions(of, about);
  await removeFromSteps(of, about);
  await removeFromPlatform(of, about, traced.names);
}

interface Of {
  call: CallContext;
  userId: bigint;
  signal: AbortSignal;
}

/** Yields before each page. @param load returns rows above the id, ascending */
async function eachPage<Row extends { id: bigint }>(
  { signal }: Of,
  load: (after: bigint) => Promise<Row[]>,
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  for (let after = 0n; ; ) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const rows = await load(after);
    for (const row of rows) await work(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

const page = (after: bigint) => ({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: PAGE }) as const;

interface Entry {
  id: bigint;
  action: string;
  actorId: bigint | null;
  targetId: bigint | null;
  changes: Prisma.JsonValue;
  reason: string | null;
}

async function removeFromLogs(of: Of, about: Names, elsewhere: Names): Promise<void> {
  const { call, userId } = of;
  const cleaned = ({ action, actorId, targetId, changes, reason }: Entry) => {
    const names = actorId === userId || targetId === userId ? about : elsewhere;
    const named = targetId === userId ? withoutNick(changes) : changes;
    const replaced = names.replaceInJson(named);
    // A person can be called like a constant, such as the role ADMIN.
    const after = {
      changes: isReadable(action, replaced) ? replaced : named,
      reason: reason && names.replaceIn(reason),
    };
    return after.changes === changes && after.reason === reason
      ? null
      : { changes: after.changes ?? Prisma.JsonNull, reason: after.reason };
  };
  await eachPage(
    of,
    (after) => call.read.auditEntry.findMany(page(after)),
    async (entry) => {
      const data = cleaned(entry);
      if (data) await call.writeOne((db) => db.auditEntry.updateMany({ where: { id: entry.id }, data }));
    },
  );
  await eachPage(
    of,
    (after) => call.read.instanceAuditEntry.findMany(page(after)),
    async (entry) => {
      const data = cleaned(entry);
      if (data) await call.writeOne((db) => db.instanceAuditEntry.updateMany({ where: { id: entry.id }, data }));
    },
  );
}

/** Nicknames of the past are known only to the log. */
function withoutNick(changes: Prisma.JsonValue): Prisma.JsonValue {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) return changes;
  const { nick } = changes;
  if (nick === undefined || nick === null) return changes;
  if (typeof nick === 'string') return { ...changes, nick: null };
  const isCleaned = JSON.stringify(nick) === JSON.stringify(NO_NICK);
  return isCleaned ? changes : { ...changes, nick: NO_NICK };
}

const NO_NICK = { old: null, new: null };

async function removeFromBans({ call, userId }: Of, about: Names): Promise<void> {
  const bans = await call.read.ban.findMany({ where: { userId, reason: { not: null } } });
  for (const { guildId, reason } of bans) {
    const replaced = reason && about.replaceIn(reason);
    if (replaced === reason) continue;
    await call.writeOne((db) => db.ban.updateMany({ where: { guildId, userId }, data: { reason: replaced } }));
  }
}

/** Only those that contain the person's id, which is in every user object. */
async function removeFromInteractions(of: Of, about: Names): Promise<void> {
  const { call, userId } = of;
  await eachPage(
    of,
    (after) => call.read.interaction.findMany({ ...page(after), select: { id: true, data: true } }),
    async ({ id, data }) => {
      if (!JSON.stringify(data).includes(String(userId))) return;
      const replaced = about.replaceInJson(data);
      if (replaced === data || replaced === null) return;
      await call.writeOne((db) => db.interaction.updateMany({ where: { id }, data: { data: replaced } }));
    },
  );
}

async function removeFromSteps(of: Of, about: Names): Promise<void> {
  const { call, userId } = of;
  const names = (text: string | null) => text?.includes(String(userId)) === true;
  const cleaned = (text: string | null) => (text !== null && names(text) ? about.replaceIn(text) : text);
  await eachPage(
    of,
    (after) =>
      call.read.interactionStep.findMany({ ...page(after), select: { id: true, request: true, response: true } }),
    async ({ id, request, response }) => {
      if (!names(request) && !names(response)) return;
      const data = { request: cleaned(request), response: cleaned(response) };
      await call.writeOne((db) => db.interactionStep.updateMany({ where: { id }, data }));
    },
  );
}

/** Greetings have the name without an id; other messages of the platform name a person only with it. */
async function removeFromPlatform(of: Of, about: Names, names: readonly string[]): Promise<void> {
  const { call, userId } = of;
  const select = { id: true, content: true, embeds: true, interaction: true } as const;
  const greeted = names.map((name) => `**${name.slice(0, 100)}**`);
  await eachPage(
    of,
    (after) =>
      call.read.message.findMany({ ...page(after), where: { authorId: PLATFORM_ID, id: { gt: after } }, select }),
    async ({ id, content, embeds, interaction }) => {
      const isAbout = JSON.stringify([content, embeds, interaction]).includes(String(userId));
      if (!isAbout && !greeted.some((name) => content.includes(name))) return;
      const data = { content: about.replaceIn(content), embeds: about.replaceInJson(embeds) ?? [] };
      if (data.content === content && data.embeds === embeds) return;
      await call.writeOne((db) => db.message.updateMany({ where: { id }, data }));
    },
  );
}
