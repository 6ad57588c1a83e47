import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { announceGuild, connectBox, deleteBox, disconnectBox, noteGuild } from '../../src/domain/boxes/index.js';
import type { GuildStore } from '../../src/domain/guilds/index.js';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { isMadeByBox } from '../../src/infra/ids/ids.js';
import { type EnrolledBox, enrolledBox } from '../domain/boxes/scene.js';
import { asBox } from '../harness/as-box.js';
import type { Loose } from '../harness/graphql.js';
import { addGuild, type MemoryGuild, MemoryHome, nobodysRow } from '../harness/guild-home.js';
import { createGuild, type Person, signUp } from '../harness/people.js';
import { putWebhook } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { readingsOf } from '../harness/statements.js';
import { callOf, createBot, userOf } from '../harness/world.js';

const BOX = 'id name status lastSeenAt protocolVersion guilds { id name tier }';

const home = new MemoryHome();

/** Reads guilds of boxes from `home`, and all others from the database. */
function besideBoxes(database: GuildStore): GuildStore {
  return new Proxy(database, {
    get:
      (target, name) =>
      (id: unknown, ...rest: unknown[]) => {
        const asked = typeof id === 'bigint' && isMadeByBox(id) ? home : target;
        return Reflect.get(asked, name).call(asked, id, ...rest);
      },
  });
}

let server: TestServer;
let ada: Person;
let bob: Person;
let box: EnrolledBox;
let guild: MemoryGuild;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startServer({ guilds: besideBoxes });
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});
afterAll(() => server.stop());
beforeEach(async () => {
  const { app } = server;
  box = await enrolledBox(app, await userOf(app, ada));
  const made = { ...app, nextId: box.nextId };
  guild = addGuild(made, home, 'Home', nobodysRow(made, 'zoe'));
  const { id, owner, channel } = guild;
  const announced = { id, name: 'Home', iconHash: 'icon', ownerId: owner.id, channelIds: [channel.id] };
  await announceGuild(app.callOfNobody(), box.id, announced);
});
afterEach(async () => {
  home.unreachable.clear();
  for (const close of closing.splice(0)) await close();
  await deleteBox(callOf(server.app, box.owner), box.id).catch(() => {});
});

const connect = () => connectBox(server.app.callOfNobody(), box.id, { protocolVersion: 1 });

const codesOf = async (person: Person, query: string, variables: object = {}) =>
  (await person.ask(query, variables)).errors.map(({ extensions }) => extensions?.code);

describe('a box', () => {
  it('has an enrolment token that is shown once and never stored', async () => {
    const { createBox } = await bob.graphql(
      `mutation { createBox(input: { name: " Cellar " }) { enrolmentToken box { ${BOX} } } }`,
    );
    const { box: made, enrolmentToken } = createBox;
    expect(made).toEqual({
      id: made.id,
      name: 'Cellar',
      status: 'NEVER_CONNECTED',
      lastSeenAt: null,
      protocolVersion: null,
      guilds: [],
    });
    const kept = await server.app.db.reader.box.findUniqueOrThrow({ where: { id: BigInt(made.id) } });
    expect(Object.values(kept)).not.toContain(enrolmentToken);
    const input = { boxId: made.id };
    const { newEnrolmentToken: again } = await bob.graphql(
      'mutation ($input: BoxIdInput!) { newEnrolmentToken(input: $input) { enrolmentToken box { id } } }',
      { input },
    );
    expect(again.box).toEqual({ id: made.id });
    expect(again.enrolmentToken).not.toBe(enrolmentToken);
    await bob.graphql('mutation ($input: BoxIdInput!) { deleteBox(input: $input) { id } }', { input });
    expect((await bob.graphql('{ boxes { id } portalHome { boxes { id } } }')).boxes).toEqual([]);
  });

  it('is connected while a live process holds its connection', async () => {
    const look = async () =>
      (await ada.graphql(`query ($id: ID!) { box(id: $id) { ${BOX} } }`, { id: String(box.id) })).box;
    expect(await look()).toMatchObject({ status: 'NEVER_CONNECTED', guilds: [{ name: 'Home', tier: 'SELF_HOSTED' }] });
    await connect();
    const before = server.app.clock.now();
    const connected = await look();
    expect(connected).toMatchObject({ status: 'CONNECTED', protocolVersion: '1' });
    expect(Date.parse(connected.lastSeenAt)).toBeGreaterThanOrEqual(before);
    await disconnectBox(server.app.callOfNobody(), { boxId: box.id, generation: 1 });
    const away = await look();
    expect(away.status).toBe('DISCONNECTED');
    expect((await look()).lastSeenAt).toBe(away.lastSeenAt);
    await connect();
    await server.app.db.writer.box.update({
      where: { id: box.id },
      data: { holderId: 'a process that is over' },
    });
    expect((await look()).status).toBe('DISCONNECTED');
  });

  it('is listed page by page to its owner, and is not found for others', async () => {
    const other = await enrolledBox(server.app, box.owner);
    const list = async (args: string) => {
      const { boxes, portalHome } = await ada.graphql(
        `{ boxes${args} { id } portalHome { boxes${args} { id name guilds { name } } } }`,
      );
      const ids = boxes.map(({ id }: { id: string }) => id);
      expect(portalHome.boxes.map(({ id }: { id: string }) => id)).toEqual(ids);
      return ids;
    };
    expect(await list('')).toEqual([String(box.id), String(other.id)]);
    expect(await list('(first: 1)')).toEqual([String(box.id)]);
    expect(await list(`(after: "${box.id}")`)).toEqual([String(other.id)]);
    await deleteBox(callOf(server.app, box.owner), other.id);
    const input = { boxId: String(box.id) };
    expect(await codesOf(bob, 'query ($id: ID!) { box(id: $id) { id } }', { id: String(box.id) })).toEqual([
      'NOT_FOUND',
    ]);
    for (const name of ['newEnrolmentToken(input: $input) { enrolmentToken }', 'deleteBox(input: $input) { id }']) {
      expect(await codesOf(bob, `mutation ($input: BoxIdInput!) { ${name} }`, { input })).toEqual(['NOT_FOUND']);
    }
  });

  it('shows its request statistics with the same number of statements for 20 boxes as for one', async () => {
    const eve = await signUp(server, 'eve');
    const user = await userOf(server.app, eve);
    const boxes = [await enrolledBox(server.app, user)];
    const { boxMeasures } = server.app;
    const query =
      '{ boxes { id statistics { requests addedP50Ms failures { status count } hours { requests failed } } } }';
    const look = () => readingsOf(() => eve.graphql(query));
    await look();
    const { statements: few } = await look();
    for (let n = 1; n < 20; n += 1) boxes.push(await enrolledBox(server.app, user));
    for (const [index, { id }] of boxes.entries()) {
      for (let n = 0; n < index; n += 1) boxMeasures.note(id, 'answered', 4);
      boxMeasures.note(id, '413', null);
    }
    await boxMeasures.store();
    const { statements: many, result } = await look();
    expect(many).toHaveLength(few.length);
    const shown = result.boxes.map(({ statistics: { requests, addedP50Ms, failures } }: Loose) => [
      requests,
      addedP50Ms,
      failures.filter(({ count }: Loose) => count > 0),
    ]);
    expect(shown).toEqual(boxes.map((_, index) => [index + 1, index > 0 ? 5 : null, [{ status: 413, count: 1 }]]));
  });

  it.each([
    ['', 'BAD_USER_INPUT'],
    ['x'.repeat(101), 'BAD_USER_INPUT'],
  ])('cannot be named %j', async (name, code) => {
    const input = { boxId: String(box.id), name };
    expect(
      await codesOf(ada, 'mutation ($input: RenameBoxInput!) { renameBox(input: $input) { box { id } } }', { input }),
    ).toEqual([code]);
    expect(
      await codesOf(ada, 'mutation ($input: CreateBoxInput!) { createBox(input: $input) { enrolmentToken } }', {
        input: { name },
      }),
    ).toEqual([code]);
  });
});

describe('boxChanged', () => {
  it('sends the box after each change, and ends when the box is deleted', async () => {
    const client = socketClient(server, { token: ada.token });
    closing.push(() => client.dispose());
    const stream = await subscribe(client, `subscription ($id: ID!) { boxChanged(boxId: $id) { ${BOX} } }`, {
      id: String(box.id),
    });
    const until = async (isSo: (value: { name: string; status: string; guilds: { name: string }[] }) => boolean) => {
      for (;;) {
        const { data, errors } = await stream.next();
        if (errors) throw new Error(`refused: ${JSON.stringify(errors)}`);
        if (isSo(data.boxChanged)) return;
      }
    };
    await connect();
    await until(({ status }) => status === 'CONNECTED');
    await disconnectBox(server.app.callOfNobody(), { boxId: box.id, generation: 1 });
    await until(({ status }) => status === 'DISCONNECTED');
    const input = { boxId: String(box.id), name: 'Cellar' };
    await ada.graphql('mutation ($input: RenameBoxInput!) { renameBox(input: $input) { box { name } } }', { input });
    await until(({ name }) => name === 'Cellar');
    await noteGuild(server.app.callOfNobody(), box.id, { id: guild.id, name: 'Lodge', iconHash: null });
    await until(({ guilds }) => guilds[0]?.name === 'Lodge');
    await deleteBox(callOf(server.app, box.owner), box.id);
    // The deletion removes the box's servers first, so more values may come before the error.
    await expect(until(() => false)).rejects.toThrow('NOT_FOUND');
    await stream.ended;
  });

  it('is refused to a user who does not own the box', async () => {
    const client = socketClient(server, { token: bob.token });
    closing.push(() => client.dispose());
    const stream = await subscribe(client, 'subscription ($id: ID!) { boxChanged(boxId: $id) { id } }', {
      id: String(box.id),
    });
    expect((await stream.next()).errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
  });
});

const GUILD = `id name iconUrl tier description afkTimeout preferredLocale viewerPermissions
  owner { id username } roles { id name }
  channels { id name viewerPermissions overwrites guild { id name } parent { id } pins { items { pinnedAt } }
    messages(last: 5) { edges { node { id } } } }
  members { edges { node { user { username } roles { name } } } pageInfo { hasNextPage } }
  installations { application { id } } webhooks { name guild { id } channel { name } }
  bans { edges { node { reason } } } invites { code } voiceStates { channelId } emojis { id }
  auditLog { edges { node { action } } } inactiveMemberCount parity { area method path outcome note }`;

const QUERY = `query ($id: ID!) { guild(id: $id) { ${GUILD} } }`;

describe('a server on a box', () => {
  it('is shown to the owner of the box with the data from the box', async () => {
    const bot = await createBot(server.app);
    const place = { guildId: guild.id, channelId: guild.channel.id };
    await putWebhook(server.app, { bot, guild }, place);
    guild.snapshot.guild = { ...guild.snapshot.guild, description: 'Where we are', afkTimeout: 60 };
    const { guild: shown } = await ada.graphql(QUERY, { id: String(guild.id) });
    const all = String(ALL_PERMISSIONS);
    expect(shown).toMatchObject({
      id: String(guild.id),
      name: 'Home',
      iconUrl: null,
      tier: 'SELF_HOSTED',
      description: 'Where we are',
      afkTimeout: 60,
      viewerPermissions: all,
      owner: { id: String(guild.owner.id), username: 'owner of Home' },
      roles: [{ name: '@everyone' }],
      channels: [
        {
          id: String(guild.channel.id),
          name: 'general',
          viewerPermissions: all,
          overwrites: [],
          guild: { id: String(guild.id), name: 'Home' },
          parent: null,
          pins: { items: [] },
          messages: { edges: [] },
        },
      ],
      members: { edges: [{ node: { user: { username: 'zoe' } } }, { node: { user: { username: 'owner of Home' } } }] },
      webhooks: [{ name: 'hook', guild: { id: String(guild.id) }, channel: { name: 'general' } }],
      bans: { edges: [] },
      auditLog: { edges: [] },
    });
    expect(shown.parity).toContainEqual({
      area: 'messages',
      method: 'POST',
      path: '/channels/:channelId/messages',
      outcome: 'works',
      note: null,
    });
  });

  it('lists its members page by page, and finds members by search', async () => {
    const page = `query ($id: ID!, $after: String) { guild(id: $id) { members(first: 1, after: $after) {
      edges { cursor node { user { username } } } pageInfo { hasNextPage } } } }`;
    const first = (await ada.graphql(page, { id: String(guild.id) })).guild.members;
    expect(first).toMatchObject({
      edges: [{ node: { user: { username: 'zoe' } } }],
      pageInfo: { hasNextPage: true },
    });
    const second = (await ada.graphql(page, { id: String(guild.id), after: first.edges[0].cursor })).guild.members;
    expect(second).toMatchObject({
      edges: [{ node: { user: { username: 'owner of Home' } } }],
      pageInfo: { hasNextPage: false },
    });
    const search = `query ($id: ID!) { guild(id: $id) { members(search: "Z") { edges { node { user { username } roles { id } } } } } }`;
    expect((await ada.graphql(search, { id: String(guild.id) })).guild.members.edges).toEqual([
      { node: { user: { username: 'zoe' }, roles: [] } },
    ]);
    const backwards = 'query ($id: ID!) { guild(id: $id) { members(last: 1) { edges { cursor } } } }';
    expect(await codesOf(ada, backwards, { id: String(guild.id) })).toEqual(['BAD_USER_INPUT']);
  });

  it('is shown with empty lists while it cannot be reached', async () => {
    home.unreachable.add(guild.id);
    const { guild: shown } = await ada.graphql(QUERY, { id: String(guild.id) });
    expect(shown).toMatchObject({
      name: 'Home',
      tier: 'SELF_HOSTED',
      description: null,
      owner: null,
      roles: [],
      channels: [],
      members: { edges: [] },
    });
  });

  it.each([
    ['updateGuild', (id: string) => `updateGuild(input: { guildId: "${id}", name: "Mine" }) { guild { id } }`],
    ['deleteGuild', (id: string) => `deleteGuild(input: { guildId: "${id}" }) { id }`],
  ])('is not found for other cloud users who try %s, whether or not the box can be reached', async (_name, change) => {
    for (const isThere of [true, false]) {
      if (!isThere) home.unreachable.add(guild.id);
      expect(await codesOf(bob, `mutation { ${change(String(guild.id))} }`)).toEqual(['NOT_FOUND']);
    }
  });

  it('refuses an installation with a message and a code if it cannot be reached', async () => {
    const bot = await createBot(server.app, { owner: await userOf(server.app, ada) });
    const query = `mutation { installApplication(input: {
      applicationId: "${bot.id}", guildId: "${guild.id}", scopes: ["bot"] }) { installation { id } } }`;
    const { errors } = await ada.ask(query);
    expect(errors).toMatchObject([
      {
        message: 'This server cannot be reached at the moment. Try again in a few seconds.',
        extensions: { code: 'RATE_LIMITED', reason: 'box-unreachable', retryAfter: 5 },
      },
    ]);
  });

  it('is not found for other users, and is null on the webhooks of their applications', async () => {
    expect(await codesOf(bob, 'query ($id: ID!) { guild(id: $id) { id } }', { id: String(guild.id) })).toEqual([
      'NOT_FOUND',
    ]);
    const bot = await createBot(server.app, { owner: await userOf(server.app, bob) });
    await putWebhook(server.app, { bot, guild }, { guildId: guild.id, channelId: guild.channel.id });
    const webhooks = 'query ($id: ID!) { application(id: $id) { webhooks { name guild { id } channel { id } } } }';
    expect((await bob.graphql(webhooks, { id: String(bot.id) })).application.webhooks).toEqual([
      { name: 'hook', guild: null, channel: null },
    ]);
  });

  it('has no commands: requests to register, list or permit them return NOT_FOUND, also to its owner', async () => {
    const bot = await createBot(server.app, { owner: await userOf(server.app, ada) });
    const scopes = ['bot', 'applications.commands'];
    const installation = { id: server.app.nextId(), context: 'SERVER', installerId: bot.owner.id } as const;
    await server.app.db.writer.installation.create({
      data: { ...installation, applicationId: bot.id, guildId: guild.id, scopes },
    });
    const there = `applicationId: "${bot.id}", guildId: "${guild.id}"`;
    const command = '{ name: "ping", description: "x" }';
    for (const asked of [
      `mutation { createCommand(input: { ${there}, command: ${command} }) { command { id } } }`,
      `mutation { overwriteCommands(input: { ${there}, commands: [${command}] }) { applied } }`,
      `mutation { overwriteCommands(input: { ${there}, commands: [${command}], dryRun: true }) { applied } }`,
      `mutation { setCommandPermissions(input: { ${there}, permissions: [] }) { permissions } }`,
      `{ commandPermissions(${there}) }`,
      `{ application(id: "${bot.id}") { commands(guildId: "${guild.id}") { id } } }`,
    ]) {
      expect([asked, await codesOf(ada, asked)]).toEqual([asked, ['NOT_FOUND']]);
    }
    expect(await server.app.db.reader.applicationCommand.count({ where: { applicationId: bot.id } })).toBe(0);
    const everywhere = `mutation { createCommand(input: { applicationId: "${bot.id}", command: ${command} }) { command { name } } }`;
    expect((await ada.graphql(everywhere)).createCommand.command).toEqual({ name: 'ping' });
  });

  it('is sent to its subscribers again when it changes', async () => {
    const client = socketClient(server, { token: ada.token });
    closing.push(() => client.dispose());
    const stream = await subscribe(client, 'subscription ($id: ID!) { guildChanged(guildId: $id) { name } }', {
      id: String(guild.id),
    });
    await noteGuild(server.app.callOfNobody(), box.id, { id: guild.id, name: 'Lodge', iconHash: null });
    server.app.publish({ type: 'GUILD_UPDATE', guild: { ...guild.snapshot.guild, name: 'Lodge' } });
    expect((await stream.next()).data).toEqual({ guildChanged: { name: 'Lodge' } });
  });

  it('differs from a cloud server, whose tier is CLOUD and whose parity list is empty', async () => {
    const cloud = await createGuild(ada);
    const query = 'query ($id: ID!) { guild(id: $id) { tier parity { path } owner { id } } }';
    expect((await ada.graphql(query, { id: cloud.id })).guild).toEqual({
      tier: 'CLOUD',
      parity: [],
      owner: { id: ada.id },
    });
  });
});

describe('an instance that runs as a box', () => {
  let own: TestServer;
  let undo: () => void;
  beforeAll(async () => {
    own = await startServer();
    undo = asBox(own.app, 5_000);
  });
  afterAll(() => {
    undo();
    return own.stop();
  });

  it('shows its servers to their members with the same tier and parity as the cloud', async () => {
    const zoe = await signUp(own, 'zoe');
    const { id } = await createGuild(zoe);
    expect(isMadeByBox(BigInt(id))).toBe(true);
    const shown = await zoe.graphql('query ($id: ID!) { guild(id: $id) { tier parity { path } owner { id } } }', {
      id,
    });
    expect(shown.guild).toMatchObject({ tier: 'SELF_HOSTED', owner: { id: zoe.id } });
    expect(shown.guild.parity).toHaveLength(own.app.parity.length);
  });
});
