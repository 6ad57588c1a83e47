import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { beforeAll, describe, expect } from 'vitest';
import { joinedPagesOfGuildIds } from '../../src/domain/guilds/memberships.js';
import { loadMembers } from '../../src/domain/members/load.js';
import { searchMembers } from '../../src/domain/members/search.js';
import { it } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { addCrowd, createPerson, nameMember, putInGuilds } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { readingsOf } from '../harness/statements.js';
import { turnsDuring } from '../harness/turns.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const missing = process.env.TEST_DATABASE_URL ? 'needs SQLite, whose reads keep the turn' : null;

const CROWD = 5_000;
const GUILDS = 300;

let server: TestServer;
let bot: TestBot;
let crowd: TestGuild;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  bot = await createBot(server.app);
  crowd = await createGuild(server.app);
  await addMember(server.app, crowd.id, bot.user);
  await addCrowd(server.app, crowd.id, CROWD);
  const last = await createPerson(server.app, 'zz_top');
  await addMember(server.app, crowd.id, last);
  await nameMember(server.app, crowd.id, last, '100% Émile');
});

const search = (prefix: string, take = 100) => searchMembers(server.app.db.reader, crowd.id, prefix, take);
const namesOf = async (prefix: string) => (await search(prefix)).map(({ user }) => user.username);

describe('G-40 a search for members', () => {
  it.each(['%', '_', '%%', '_z', 'crowd_', '\\', '%rowd', "'", '"', '\0', 'crowd\0'])(
    'G-40 treats %j as text that no name begins with, and reads no member row',
    async (prefix) => {
      const { rows, result } = await readingsOf(() => search(prefix));
      expect(result).toEqual([]);
      expect(rows).toBe(0);
    },
  );

  it.each(['zz_', 'ZZ_T', '100%', '100% é', '100% É', '100% émile', '100% ÉMILE'])(
    'G-40 finds a member named %j in any case',
    async (prefix) => {
      expect(await namesOf(prefix)).toEqual(['zz_top']);
    },
  );

  it('G-40 stops at the limit, in the order of names', async () => {
    const { rows, result } = await readingsOf(() => namesOf('CROWD'));
    const names = Array.from({ length: CROWD }, (_, index) => `crowd${index}`).sort();
    expect(result).toEqual(names.slice(0, 100));
    // Each member has its user, and its id a second time.
    expect(rows).toBe(3 * 100);
    expect((await search('crowd', 3)).map(({ user }) => user.username)).toEqual(['crowd0', 'crowd1', 'crowd10']);
    expect(await namesOf('crowd499')).toEqual(['crowd499', ...Array.from({ length: 10 }, (_, at) => `crowd499${at}`)]);
  });
});

it.skipIf(missing)(needing(missing, 'G-49 yields to others between pages of members'), async () => {
  const { reader } = server.app.db;
  const turns = await turnsDuring(() => loadMembers(reader, crowd.id, {}, CROWD));
  expect(turns).toBeGreaterThanOrEqual(CROWD / 400);
});

describe('the GUILD_CREATEs of a bot with many guilds', () => {
  let popular: TestBot;
  let ids: bigint[];

  beforeAll(async () => {
    popular = await createBot(server.app);
    ids = Array.from({ length: GUILDS }, (_, index) => (BigInt(index) << 22n) + (1n << 50n));
    await putInGuilds(server.app, ids, crowd.owner, popular.user);
  });

  it.skipIf(missing)(needing(missing, 'G-49 yields to others between the guilds it is shown'), async () => {
    const client = await GatewayClient.open(server.origin);
    // Data of the socket arrives in turns of its own. The count starts once all guilds are dispatched.
    const turns = await turnsDuring(() => client.ready(popular.token, { intents: Intent.Guilds }));
    expect(turns).toBeGreaterThanOrEqual(GUILDS);
    const shown = client.frames.filter(({ t }) => t === 'GUILD_CREATE').map(({ d }) => d.id);
    expect(shown).toEqual(ids.map(String));
    await client.close();
  });

  it.skipIf(missing)(needing(missing, 'G-49 reads its memberships in pages and yields between them'), async () => {
    const many = await createBot(server.app);
    const more = Array.from({ length: 2_100 }, (_, index) => (BigInt(index) << 22n) + (1n << 51n));
    await putInGuilds(server.app, more, crowd.owner, many.user);
    const pages: bigint[][] = [];
    const turns = await turnsDuring(async () => {
      for await (const page of joinedPagesOfGuildIds(server.app.db.reader)(many.id)) pages.push(page);
    });
    expect(pages.map((page) => page.length)).toEqual([1_000, 1_000, 100]);
    expect(pages.flat()).toEqual(more);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
