import { requireUser } from '../domain/call.js';
import { accessGuild, channelsWith } from '../domain/guilds/index.js';
import { type Reader, viewerOf, visibleTo, visibleToSql } from '../domain/messages/index.js';
import { type Channel, type Database, type Message, Prisma } from '../infra/database/index.js';
import type { OperationBudget } from './budget.js';
import type { GraphqlContext } from './context.js';
import { isHere } from './guild-readers/index.js';
import { readInPieces } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { connectionOf, type Page, type PageRows, pageRows } from './page.js';

type MessagePage = ReturnType<typeof connectionOf<Message>>;

interface Asked {
  key: string;
  page: Page;
  /** Relations to read with the messages. */
  query: object;
}

/** Uses a fixed number of statements. For a page nested in a list, Prisma would read every message of all channels. */
export function messagePages(context: GraphqlContext, { key, page, query }: Asked): Loader<Channel, MessagePage> {
  const connection = (rows: PageRows<Message>) => connectionOf(page, rows, (row) => row.id);
  return context.loaders.get(`messages of ${key}`, () =>
    createLoader(async (channels: Channel[]) => {
      const readable = await readableChannels(context, channels);
      const pages = await readPages(context, [...new Set(readable.map(({ id }) => id))], page, query);
      return new Map(readable.map((channel) => [channel, connection(pages.get(channel.id) ?? NOTHING)]));
    }, connection(NOTHING)),
  );
}

const NOTHING: PageRows<Message> = { rows: [], hasMore: false };

async function readableChannels(context: GraphqlContext, channels: Channel[]): Promise<Channel[]> {
  const { call, budget } = context;
  const { user } = requireUser(call);
  const readable = new Set<bigint>();
  for (const guildId of new Set(channels.map((channel) => channel.guildId))) {
    // Messages on a box are read there.
    if (guildId === null || !isHere(context, guildId)) continue;
    const access = await budget.step(() => accessGuild(call, guildId, 'viewGuild'));
    for (const id of channelsWith(access, user.id, 'readMessageHistory')) readable.add(id);
  }
  const direct = channels.filter(({ guildId }) => guildId === null).map(({ id }) => id);
  for (const id of await directChannelsOf(context, user.id, direct)) readable.add(id);
  return channels.filter((channel) => readable.has(channel.id));
}

async function directChannelsOf({ call, budget }: GraphqlContext, userId: bigint, ids: bigint[]): Promise<bigint[]> {
  if (ids.length === 0) return [];
  const rows = await budget.read(ids.length, (take) =>
    call.read.channelRecipient.findMany({ where: { userId, channelId: { in: ids } }, take }),
  );
  return rows.map(({ channelId }) => channelId);
}

type Pages = Map<bigint, PageRows<Message>>;

async function readPages(
  { app: { db }, call, budget }: GraphqlContext,
  channelIds: bigint[],
  page: Page,
  query: object,
): Promise<Pages> {
  if (channelIds.length === 0) return new Map();
  const viewer = viewerOf(call);
  const pages = await findIds(db, budget, channelIds, { ...page, viewer });
  const ids = [...pages.values()].flatMap(({ rows }) => rows);
  const rows = await readInPieces(budget, ids, (piece) =>
    db.reader.message.findMany({ ...query, where: { id: { in: piece }, ...visibleTo(viewer) } }),
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    [...pages].map(([id, found]) => [id, { ...found, rows: found.rows.flatMap((row) => rowOf.get(row) ?? []) }]),
  );
}

interface SeenPage extends Page {
  viewer: Reader;
}

/** Uses one index scan per condition that makes a message visible. */
async function findIds(
  db: Database,
  budget: OperationBudget,
  channelIds: bigint[],
  page: SeenPage,
): Promise<Map<bigint, PageRows<bigint>>> {
  const pages = db.dialect === 'sqlite' ? sqlitePages(channelIds, page) : postgresPages(channelIds, page);
  // Each channel's query asks for one id more than its page has.
  const most = budget.rowsLeft + channelIds.length + 1;
  const found = await budget.step(() =>
    db.reader.$queryRaw<{ channelId: string; id: string }[]>(Prisma.sql`${pages} LIMIT ${most}`),
  );
  budget.requireRows(found.length - channelIds.length);
  const read = new Map<bigint, bigint[]>(channelIds.map((id) => [id, []]));
  for (const row of found) read.get(BigInt(row.channelId))?.push(BigInt(row.id));
  const sorted = ([id, ids]: [bigint, bigint[]]) => [id, pageRows(page, inDirection(page, ids))] as const;
  return new Map([...read].map(sorted));
}

function inDirection({ backwards }: Page, ids: bigint[]): bigint[] {
  const sign = backwards ? -1 : 1;
  return ids.sort((a, b) => (a < b ? -sign : a > b ? sign : 0));
}

/** SQLite has no lateral join. The cross join keeps channels in the outer loop, so that each is one index scan. */
function sqlitePages(channelIds: bigint[], page: SeenPage): Prisma.Sql {
  return Prisma.sql`
    SELECT "channel"."value" AS "channelId", CAST("message"."id" AS TEXT) AS "id"
    FROM json_each(${JSON.stringify(channelIds.map(String))}) AS "channel" CROSS JOIN "Message" AS "message"
    WHERE "message"."id" IN (${pageOf(Prisma.sql`CAST("channel"."value" AS INTEGER)`, page)})`;
}

function postgresPages(channelIds: bigint[], page: SeenPage): Prisma.Sql {
  return Prisma.sql`
    SELECT CAST("channel"."id" AS TEXT) AS "channelId", CAST("message"."id" AS TEXT) AS "id"
    FROM unnest(${channelIds.map(String)}::bigint[]) AS "channel"("id")
    CROSS JOIN LATERAL (${pageOf(Prisma.sql`"channel"."id"`, page)}) AS "message"`;
}

/** Ids are text, because a computed column has no declared type that marks a 64-bit integer. */
function pageOf(channelId: Prisma.Sql, { take, backwards, after, before, viewer }: SeenPage): Prisma.Sql {
  const afterPart = after === undefined ? Prisma.empty : Prisma.sql`AND "id" > ${after}`;
  const beforePart = before === undefined ? Prisma.empty : Prisma.sql`AND "id" < ${before}`;
  const direction = Prisma.raw(backwards ? 'DESC' : 'ASC');
  const inOrder = Prisma.sql`ORDER BY "id" ${direction} LIMIT ${take + 1}`;
  // Each scan has a limit. With a single one, PostgreSQL might sort all messages of the channel.
  const walks = visibleToSql(viewer).map(
    (isSeen) => Prisma.sql`
      SELECT "id" FROM (
        SELECT "id" FROM "Message" WHERE "channelId" = ${channelId} AND ${isSeen} ${afterPart} ${beforePart} ${inOrder}
      ) AS "walk"`,
  );
  return Prisma.sql`${Prisma.join(walks, ' UNION ALL ')} ${inOrder}`;
}
