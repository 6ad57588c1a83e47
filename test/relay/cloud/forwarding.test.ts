import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateApplication } from '../../../src/domain/applications/index.js';
import { installApplication, uninstallApplication } from '../../../src/domain/installations/index.js';
import { ManualClock } from '../../harness/clock.js';
import {
  type Announced,
  announce,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../../harness/hand-box.js';
import { PIXEL } from '../../harness/images.js';
import { formOf, RestBot } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { callOf, createBot } from '../../harness/world.js';

describe("a bot's requests to a server on a box (service description, sections 4 and 7)", () => {
  let server: TestServer;
  let clock: ManualClock;
  let bot: RestBot;
  let box: HandBox;
  let guild: Announced;
  beforeAll(async () => {
    clock = new ManualClock();
    server = await startServer({ clock });
    bot = new RestBot(server, await createBot(server.app));
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    box = await connectNewBox(server);
    guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(server, bot.bot, guild.id);
  });
  afterEach(() => box.relay.cut());

  const pathOf = () => `/guilds/${guild.id}`;

  it('are answered by the box, whose response reaches the bot unchanged', async () => {
    const asked = bot.ask('PATCH', `${pathOf()}?a=1&a=2`, {
      json: { name: 'Lair' },
      headers: { 'x-audit-log-reason': 'because' },
    });
    const refusal = { message: 'Missing Permissions', code: 50013 };
    const request = await box.relay.answer(refusal, 403);
    expect(request).toMatchObject({
      op: 'request',
      method: 'PATCH',
      path: pathOf(),
      query: { a: ['1', '2'] },
      headers: { 'content-type': 'application/json', 'x-audit-log-reason': 'because' },
      bot: { user: { id: bot.id }, application_id: bot.id, message_content: true },
      guild_id: guild.id,
      budget_ms: 12_000,
      text: '{"name":"Lair"}',
    });
    expect(await asked).toMatchObject({ status: 403, body: refusal });
  });

  it.each<[string, (id: number) => string | Buffer | object]>([
    ['an answer whose status is text', (id) => ({ op: 'response', id, status: '200', headers: {}, body: 0 })],
    ['an answer to something else', (id) => ({ op: 'response', id: id + 1, status: 200, headers: {}, body: 0 })],
    ['half of JSON', () => '{"op":"response"'],
    ['JSON that is no message', () => '[]'],
    ['a message of more than 1 MiB', (id) => `{"op":"response","id":${id},"x":"${'x'.repeat(1024 * 1024)}"}`],
    ['a piece without a stream', () => Buffer.alloc(3)],
    ['a piece that was not announced', (id) => Buffer.from([0, 0, 0, id, 0x7b])],
  ])('are 502 at once if the box sends %s (R-43)', async (_what, said) => {
    const asked = bot.get(`${pathOf()}/roles`);
    const { id } = await box.relay.next('request');
    box.relay.send(said(id));
    const answer = await asked;
    expect([answer.status, answer.headers.get('x-causeway-reason')]).toEqual([502, 'box-malformed']);
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
  });

  it('are 502 at once if the box sends an invalid WebSocket frame (R-43)', async () => {
    const asked = bot.get(`${pathOf()}/roles`);
    await box.relay.next('request');
    const socket: Socket = Reflect.get(box.relay.socket, '_socket');
    const opcodeThree = Buffer.from([0x83, 0x80, 0, 0, 0, 0]);
    socket.write(opcodeThree);
    const answer = await asked;
    expect([answer.status, answer.headers.get('x-causeway-reason')]).toEqual([502, 'box-malformed']);
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
  });

  it('show the bot at once as it looks now, in the request to the box and in its response', async () => {
    const owner = callOf(server.app, bot.bot.owner);
    for (const username of ['Before', 'After']) {
      await updateApplication(owner, { applicationId: bot.bot.id, name: username, icon: PIXEL });
      const { avatarHash: avatar } = await server.app.db.reader.user.findUniqueOrThrow({ where: { id: bot.bot.id } });
      const asked = bot.get(`${pathOf()}/bans/${bot.id}`);
      const user = { id: bot.id, username: 'Long ago', avatar: null, bot: true };
      const request = await box.relay.answer({ reason: null, user });
      expect(request.bot.user).toMatchObject({ username, avatar });
      expect((await asked).body.user).toMatchObject({ username, avatar });
    }
  });

  it('are routed by the channel, too', async () => {
    const [channel] = guild.channels;
    const asked = bot.delete(`/channels/${channel}/messages/${box.nextId()}`);
    expect(await box.relay.answer()).toMatchObject({ method: 'DELETE', guild_id: guild.id, body: 0 });
    expect(await asked).toMatchObject({ status: 204 });
  });

  it('are 404 if no box has announced the server', async () => {
    expect(await bot.get(`/guilds/${box.nextId()}`)).toMatchObject({ status: 404 });
  });

  it('are 403 with code 50001 if the bot is not installed, and send nothing to the box, files included', async () => {
    const stranger = new RestBot(server, await createBot(server.app));
    const refused = { status: 403, body: { message: 'Missing Access', code: 50001 } };
    const form = formOf({ content: 'x' }, { name: 'files[0]', content: 'x'.repeat(100_000), filename: 'a' });
    const messages = `/channels/${guild.channels[0]}/messages`;
    expect(await stranger.get(`${pathOf()}/roles`)).toMatchObject(refused);
    expect(await stranger.post(messages, { content: 'x' })).toMatchObject(refused);
    expect(await stranger.ask('POST', messages, { form })).toMatchObject(refused);
    const asked = bot.get(`${pathOf()}/roles`);
    expect(await box.relay.answer([])).toMatchObject({ method: 'GET', bot: { user: { id: bot.id } } });
    expect(await asked).toMatchObject({ status: 200 });
    await box.relay.close();
    expect(await stranger.get(`${pathOf()}/roles`)).toMatchObject(refused);
  });

  it('reach the box as soon as the bot is installed and as long as it stays', async () => {
    const newcomer = await createBot(server.app);
    const asBot = new RestBot(server, newcomer);
    expect(await asBot.get(`${pathOf()}/roles`)).toMatchObject({ status: 403 });
    const wish = { applicationId: newcomer.id, guildId: BigInt(guild.id), scopes: ['bot' as const] };
    const installing = installApplication(callOf(server.app, box.owner), wish);
    expect(await box.relay.answer({})).toMatchObject({ name: 'install_bot' });
    const installation = await installing;
    const asked = asBot.get(`${pathOf()}/roles`);
    await box.relay.answer([]);
    expect(await asked).toMatchObject({ status: 200 });
    await uninstallApplication(callOf(server.app, box.owner), installation.id);
    expect(await asBot.get(`${pathOf()}/roles`)).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  it('are 503 while the box is away', async () => {
    await box.relay.close();
    expect(await bot.get(pathOf())).toMatchObject({ status: 503 });
  });

  it('are 504 if the box does not answer within 12 s', async () => {
    const asked = bot.get(pathOf());
    await box.relay.next('request');
    clock.advance(12_000);
    expect(await asked).toMatchObject({ status: 504 });
  });

  it('are 504 if the connection is lost before the answer', async () => {
    const asked = bot.get(pathOf());
    await box.relay.next('request');
    box.relay.cut();
    expect(await asked).toMatchObject({ status: 504 });
  });

  it.each([
    ['no JSON', 200, '{'],
    ['a status that no answer has', 401, '{}'],
    ['too deep to be written again', 400, `{"errors":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['what another has', 200, '{"id":"1234567890123456789","owner_id":"1234567890123456789"}'],
  ])('are 502 if the answer is %s', async (_what, status, body) => {
    const asked = bot.get(pathOf());
    const { id } = await box.relay.next('request');
    box.relay.send({ op: 'response', id, status, headers: {}, body: body.length });
    box.relay.sendBody(id, body);
    expect(await asked).toMatchObject({ status: 502 });
  });

  it('R-25 have the same key if they are repeated after a timeout', async () => {
    const type = () => bot.post(`/channels/${guild.channels[0]}/typing`, {});
    const asked = type();
    const { key } = await box.relay.next('request');
    clock.advance(12_000);
    expect(await asked).toMatchObject({ status: 504 });
    const again = type();
    expect((await box.relay.answer()).key).toBe(key);
    expect(await again).toMatchObject({ status: 204 });
  });

  it.each([
    ['is no JSON', '{'],
    ['names what another has', '{"id":"1234567890123456789","owner_id":"1234567890123456789"}'],
  ])(
    'R-25 have the same key if they are repeated after an answer that %s, so that the box does not run them again',
    async (_what, body) => {
      const type = () => bot.post(`/channels/${guild.channels[0]}/typing`, {});
      const asked = type();
      const { id, key } = await box.relay.next('request');
      box.relay.send({ op: 'response', id, status: 200, headers: {}, body: body.length });
      box.relay.sendBody(id, body);
      expect(await asked).toMatchObject({ status: 502 });
      const again = type();
      expect((await box.relay.answer()).key).toBe(key);
      expect(await again).toMatchObject({ status: 204 });
    },
  );

  it.each([
    [0, 1],
    [0.01, 1],
    [-1, 0],
    [1e12, 0],
  ])('R-21 with a working time of %i ms take %i measure(s), and the answer counts', async (took_ms, more) => {
    const count = async () => {
      const { values } = await server.app.metrics.relayAddedSeconds.get();
      return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0;
    };
    const before = await count();
    const asked = bot.get(`${pathOf()}/roles`);
    const { id } = await box.relay.next('request');
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2, took_ms });
    box.relay.sendBody(id, '[]');
    expect(await asked).toMatchObject({ status: 200 });
    expect((await count()) - before).toBe(more);
  });
});
