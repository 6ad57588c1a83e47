import fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { GRAPHQL_PER_CALLER } from '../../src/domain/limits.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import { Prisma } from '../../src/infra/database/index.js';
import { OBJECTS_PER_TURN, OPERATION_COST, operationLimits } from '../../src/schema/budget.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { PLAIN_MESSAGE } from '../harness/guild-home.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import { createBots, putMembers } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { readingsOf, rowsReadBy } from '../harness/statements.js';
import { createTeam, renameTeam } from '../harness/teams.js';
import { userOf } from '../harness/world.js';

const CHANNELS = 500;

let server: TestServer;
let ada: Person;
let guild: { id: string; channelIds: string[] };
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await putGuild(CHANNELS);
});

/** Allowance for rows about the caller and their permissions, and for the row that shows that a list goes on. */
const SOME_ROWS = 1_200;

/** Creates a server of ada's that no cache holds yet. */
async function putGuild(channels: number): Promise<{ id: string; channelIds: string[] }> {
  const { app } = server;
  const { writer: db } = app.db;
  const id = app.nextId();
  const userId = BigInt(ada.id);
  await db.guild.create({ data: { id, name: 'large', ownerId: userId } });
  await db.role.create({ data: { id, guildId: id, name: '@everyone', permissions: DEFAULT_EVERYONE_PERMISSIONS } });
  await putMembers(app, [id], [await userOf(app, ada)]);
  const data = Array.from({ length: channels }, (_, n) => ({
    id: app.nextId(),
    guildId: id,
    name: `channel ${n}`,
    position: n,
  }));
  await db.channel.createMany({ data });
  return { id: String(id), channelIds: data.map((channel) => String(channel.id)) };
}

async function addMessages(channelId: string, count: number, facts: { content?: string; referenceId?: bigint } = {}) {
  const {
    mentionedUsers: _users,
    attachments: _files,
    reactions: _reactions,
    interaction: _none,
    interactionUsers: _nobody,
    ...plain
  } = PLAIN_MESSAGE;
  const data = Array.from({ length: count }, () => ({
    ...plain,
    ...facts,
    id: server.app.nextId(),
    channelId: BigInt(channelId),
    authorId: BigInt(ada.id),
  }));
  await server.app.db.writer.message.createMany({ data });
  return data.map(({ id }) => id);
}

async function copyMessages(channelId: string): Promise<void> {
  const columns = Object.keys(Prisma.MessageScalarFieldEnum);
  const later = (name: string) => `"message"."${name}" + "channel"."position" * 4294967296`;
  const values: Record<string, string> = {
    id: later('id'),
    referenceId: later('referenceId'),
    channelId: '"channel"."id"',
  };
  await server.app.db.writer.$executeRawUnsafe(
    `INSERT INTO "Message" (${columns.map((name) => `"${name}"`)})
     SELECT ${columns.map((name) => values[name] ?? `"message"."${name}"`)}
     FROM "Message" AS "message"
     JOIN "Channel" AS "first" ON "first"."id" = "message"."channelId"
     JOIN "Channel" AS "channel" ON "channel"."guildId" = "first"."guildId" AND "channel"."id" <> "first"."id"
     WHERE "first"."id" = ${BigInt(channelId)}`,
  );
}

/** Records the points that GraphQL operations pay from now on, in the order of payment. */
function notePoints(): number[] {
  const { limits } = server.app;
  const { take } = limits;
  const points: number[] = [];
  limits.take = (limit, key, count = 1) => {
    if (limit.name === GRAPHQL_PER_CALLER.name) points.push(count);
    return take.call(limits, limit, key, count);
  };
  return points;
}

const sumOf = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);

function stoppedAt(what: string) {
  return {
    status: 200,
    data: null,
    errors: [{ message: expect.stringContaining(what), extensions: { code: 'LIMIT_EXCEEDED' } }],
  };
}

describe('an operation', () => {
  const nested = (levels: number): string => (levels === 0 ? 'id' : `channels { guild { ${nested(levels - 1)} } }`);

  it.each([2, 3])('is stopped if it nests a server of many channels in itself %i times', async (levels) => {
    const { rows, result } = await readingsOf(() => ada.ask(`{ guild(id: "${guild.id}") { ${nested(levels)} } }`));
    expect(result).toEqual(stoppedAt('10000 objects'));
    expect(rows).toBeLessThan(levels * 2 * CHANNELS + SOME_ROWS);
  });

  it('is stopped if it requests many long lists with aliases', async () => {
    const aliases = Array.from({ length: 90 }, (_, n) => `a${n}: channels { id name }`);
    const rows = await rowsReadBy(async () => {
      expect(await ada.ask(`{ guild(id: "${guild.id}") { ${aliases.join(' ')} } }`)).toEqual(stoppedAt('10000'));
    });
    expect(rows).toBeLessThan(operationLimits.rows + SOME_ROWS);
  });

  it('is answered if it stays within the limits', async () => {
    const { id } = await putGuild(98);
    const { guild: shown } = await ada.graphql(`{ guild(id: "${id}") { channels { guild { channels { id } } } } }`);
    const lengths = shown.channels.map((channel: Loose) => channel.guild.channels.length);
    expect(lengths).toEqual(Array.from({ length: 98 }, () => 98));
  });

  it('reads no more rows than the limit for long lists of many servers', { tags: ['slow'] }, async () => {
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) ids.push((await putGuild(CHANNELS)).id);
    const roots = ids.map((id, n) => `g${n}: guild(id: "${id}") { name }`);
    await ada.graphql(`{ ${roots.join(' ')} }`);
    const rows = await rowsReadBy(async () => {
      expect(await ada.ask('{ guilds { channels { id } } }')).toEqual(stoppedAt('10000 rows'));
    });
    expect(rows).toBeLessThan(operationLimits.rows + SOME_ROWS);
  });

  it("reads no more rows than the limit for many copies of a server's invites", async () => {
    const { id, channelIds } = await putGuild(1);
    const createdAt = new Date(server.app.clock.now());
    await server.app.db.writer.invite.createMany({
      data: Array.from({ length: 1_000 }, (_, n) => ({
        code: `invite-${id}-${n}`,
        guildId: BigInt(id),
        channelId: BigInt(channelIds[0] as string),
        inviterId: BigInt(ada.id),
        createdAt,
      })),
    });
    const aliases = Array.from({ length: 30 }, (_, n) => `a${n}: invites { code }`);
    const rows = await rowsReadBy(async () => {
      expect(await ada.ask(`{ guild(id: "${id}") { ${aliases.join(' ')} } }`)).toEqual(stoppedAt('10000'));
    });
    expect(rows).toBeLessThan(operationLimits.rows + SOME_ROWS);
  });

  it('pays for the search for message pages in several channels', async () => {
    const { id } = await putGuild(2);
    const aliases = Array.from(
      { length: 60 },
      (_, n) => `a${n}: channels { messages(first: ${n + 1}) { edges { cursor } } }`,
    );
    const points = notePoints();
    expect((await ada.ask(`{ guild(id: "${id}") { ${aliases.join(' ')} } }`)).errors).toEqual([]);
    const stepsOfEach = 4;
    expect(sumOf(points)).toBeGreaterThan(aliases.length * (stepsOfEach * 30 + 4) - OBJECTS_PER_TURN);
  });

  it('stops its later mutations if the results of earlier ones exceed the limits', async () => {
    const create = (name: string) =>
      `${name}: createRole(input: { guildId: "${guild.id}", name: "${name}" }) { role { id } }`;
    const show = `startTyping(input: { channelId: "${guild.channelIds[0]}" }) { channel { guild { ${nested(2)} } } }`;
    expect(await ada.ask(`mutation { ${create('before')} ${show} ${create('afterwards')} }`)).toEqual(
      stoppedAt('10000'),
    );
    const { guild: seen } = await ada.graphql(`{ guild(id: "${guild.id}") { roles { name } } }`);
    expect(seen.roles.map(({ name }: { name: string }) => name)).toEqual(['@everyone', 'before']);
  });

  it('is stopped in the same way if it uses fragments and directives', async () => {
    const query = `query ($yes: Boolean!) { guild(id: "${guild.id}") { ...Deep @include(if: $yes) } }
      fragment Deep on Guild { channels { guild { ...Inner @skip(if: false) } } }
      fragment Inner on Guild { channels { ... on Channel { guild { channels { id } } } } }`;
    expect(await ada.ask(query, { yes: true })).toEqual(stoppedAt('10000'));
  });
});

describe('messages', () => {
  let busy: { id: string; channelIds: string[] };
  beforeAll(async () => {
    busy = await putGuild(118);
    const [channelId = ''] = busy.channelIds;
    const [first] = await addMessages(channelId, 1);
    await addMessages(channelId, 101, { referenceId: first as bigint });
    await copyMessages(channelId);
  });

  const messages = (last: number, fields: string) => `messages(last: ${last}) { edges { node { ${fields} } } }`;

  it('of too many channels are not read', async () => {
    const rows = await rowsReadBy(async () => {
      const query = `{ guild(id: "${busy.id}") { channels { ${messages(100, 'id')} } } }`;
      expect(await ada.ask(query)).toEqual(stoppedAt('10000 rows'));
    });
    expect(rows).toBeLessThan(operationLimits.rows + SOME_ROWS);
  });

  it('and all objects that belong to them are read up to the limit', async () => {
    const fields = `id content author { id username } channel { id name } referencedMessage { id author { id } }`;
    const rows = await rowsReadBy(async () => {
      const aliases = [1, 2, 3, 4, 5, 6, 7].map((n) => `a${n}: channels { ${messages(8 + n, fields)} }`);
      expect(await ada.ask(`{ guild(id: "${busy.id}") { ${aliases.join(' ')} } }`)).toEqual(stoppedAt('10000'));
    });
    expect(rows).toBeLessThan(4 * operationLimits.rows);
  });

  it('are returned up to the limit of bytes', async () => {
    const [channelId = ''] = (await putGuild(1)).channelIds;
    await addMessages(channelId, 100, { content: 'é'.repeat(2_000) });
    const aliases = (count: number) => Array.from({ length: count }, (_, n) => `a${n}: content`).join(' ');
    const ask = (count: number) => ada.ask(`{ channel(id: "${channelId}") { ${messages(100, aliases(count))} } }`);
    expect((await ask(20)).errors).toEqual([]);
    expect(await ask(21)).toEqual(stoppedAt('8388608 bytes'));
  });

  it('are returned with their reactions, however many there are', async () => {
    const data = busy.channelIds.slice(0, 17).map(BigInt);
    const rows = await server.app.db.reader.message.findMany({
      where: { channelId: { in: data } },
      select: { id: true },
    });
    const createdAt = new Date(server.app.clock.now());
    await server.app.db.writer.reaction.createMany({
      data: rows.map(({ id }) => ({ messageId: id, userId: BigInt(ada.id), emoji: '👍', createdAt })),
    });
    const { guild: seen } = await ada.graphql(
      `{ guild(id: "${busy.id}") { channels { ${messages(60, 'reactions')} } } }`,
    );
    const reactions = seen.channels.flatMap(({ messages: page }: Loose) =>
      page.edges.flatMap(({ node }: Loose) => node.reactions),
    );
    expect(reactions).toHaveLength(17 * 60);
    expect(reactions[0]).toMatchObject({ count: 1, me: true });
  });
});

describe('the lookups of one turn', () => {
  it('all succeed, even if there are more than 1,000', { tags: ['slow'] }, async () => {
    const lena = await signUp(server, 'lena');
    for (let n = 0; n < 25; n += 1) await createApplication(lena, `bot ${n}`);
    const aliases = Array.from({ length: 41 }, (_, n) => `a${n}: auditLog(first: 1) { edges { node { action } } }`);
    const { applications } = await lena.graphql(`{ applications { ${aliases.join(' ')} } }`);
    const logs = applications.flatMap((logsOfOne: object) => Object.values(logsOfOne));
    expect(logs).toHaveLength(1_025);
    expect(new Set(logs.map(({ edges }: Loose) => edges.length))).toEqual(new Set([1]));
  });
});

describe('each event of a subscription', () => {
  it('has its own limits, and the stream continues after an event that exceeds them', async () => {
    const tess = await signUp(server, 'tess');
    const team = await createTeam(tess, 'Tess and co');
    await createBots(server.app, 60, { ownerTeamId: BigInt(team.id) });
    const client = socketClient(server, { token: tess.token });
    const inOneAnother = 'applications { ownerTeam { applications { id } } }';
    const within = await subscribe(
      client,
      `subscription { teamChanged(teamId: "${team.id}") { name ${inOneAnother} } }`,
    );
    const beyond = await subscribe(
      client,
      `subscription { teamChanged(teamId: "${team.id}") {
        a: ${inOneAnother} b: ${inOneAnother} c: ${inOneAnother} name } }`,
    );
    for (const name of ['one', 'two', 'three', 'four']) {
      await renameTeam(tess, team, name);
      expect((await within.next()).data).toMatchObject({ teamChanged: { name } });
      expect(await beyond.next()).toMatchObject({ data: null, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] });
    }
    await client.dispose();
  });
});

describe('the events of a subscription', () => {
  it('are paid for together, however small each one is', async () => {
    const uma = await signUp(server, 'uma');
    const { id } = await createTeam(uma, 'Uma');
    const client = socketClient(server, { token: uma.token });
    const points = notePoints();
    const changes = await subscribe(client, `subscription { teamChanged(teamId: "${id}") { name } }`);
    expect(points).toEqual([OPERATION_COST]);
    for (let n = 0; n < 100; n += 1) {
      server.app.publish({ type: 'TEAM_UPDATED', teamId: BigInt(id) });
      expect((await changes.next()).data).toEqual({ teamChanged: { name: 'Uma' } });
    }
    expect(sumOf(points)).toBeGreaterThan(100 * 30 - OBJECTS_PER_TURN);
    // One event per second on each of a hundred subscriptions must stay within the limit of one user.
    expect(sumOf(points)).toBeLessThan(GRAPHQL_PER_CALLER.points / 10);
    await client.dispose();
  });
});

describe('a random query', () => {
  it('is answered, or is refused once with a code, and reads no more than the limits', { tags: ['slow'] }, async () => {
    const page = fc.constantFrom('', '(first: 1)', '(last: 100)', '(first: 50)');
    const { channelLike, guildLike } = fc.letrec<{
      channelLike: string;
      guildLike: string;
    }>((tie) => ({
      channelLike: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('id', 'id name type'),
        fc
          .tuple(tie('guildLike'), page)
          .map(([inner, args]) => `id guild { ${inner} } messages${args} { edges { cursor } }`),
      ),
      guildLike: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('id', 'roles { id name }', 'members { edges { node { user { id } roles { id } } } }'),
        fc
          .tuple(tie('channelLike'), tie('channelLike'))
          .map(([one, other]) => `a: channels { ${one} } ... on Guild { b: channels { ${other} } owner { id } }`),
      ),
    }));
    expect(channelLike).toBeDefined();
    await fc.assert(
      fc.asyncProperty(guildLike, async (fields) => {
        const rows = await rowsReadBy(async () => {
          const { status, errors } = await ada.ask(`{ guild(id: "${guild.id}") { ${fields} } }`);
          expect(status).toBe(200);
          expect(errors.length).toBeLessThanOrEqual(1);
          for (const error of errors) expect(['LIMIT_EXCEEDED', 'BAD_USER_INPUT']).toContain(error.extensions.code);
        });
        expect(rows).toBeLessThan(3 * operationLimits.rows);
      }),
      { numRuns: 20 },
    );
  });
});
