import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from '../harness/gateway-client.js';
import { holdCallers } from '../harness/held-callers.js';
import { readableLog } from '../harness/log.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { formOf } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient, subscribe } from '../harness/sockets.js';

type Line = Record<string, unknown> & { msg: string };

const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line) as Line);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the log at level debug', () => {
  const { log, lines } = readableLog('debug');
  let server: TestServer;
  let ada: Person;
  let bot: MadeApplication;
  let guild: MadeGuild;

  beforeAll(async () => {
    server = await startServer({ log });
    ada = await signUp(server, 'ada');
    bot = await createApplication(ada);
    guild = await createGuild(ada);
    await install(ada, bot, guild, { permissions: '8' });
  });
  afterAll(() => server.stop());

  async function lineOf(path: string, init: RequestInit = {}): Promise<Line> {
    const answer = await fetch(server.origin + path, { redirect: 'manual', ...init });
    await answer.arrayBuffer();
    const id = answer.headers.get('x-request-id');
    expect(id).toMatch(UUID);
    const find = () => parsed(lines).find((line) => line.requestId === id && line.msg === 'Request completed');
    await expect.poll(find).toBeDefined();
    return find() as Line;
  }

  it('has a line for every request, with its route, duration and caller', async () => {
    const headers = { authorization: `Bot ${bot.botToken}` };
    expect(await lineOf(`/api/v10/channels/${guild.textChannelId}`, { headers })).toMatchObject({
      level: 20,
      method: 'GET',
      face: 'rest',
      route: '/channels/:channelId',
      status: 200,
      ms: expect.any(Number),
      who: bot.id,
    });
    const query = { method: 'POST', body: '{"query":"{ me { id } }"}' };
    const session = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
    const graphql = await lineOf('/graphql', { ...query, headers: session });
    expect(graphql).toMatchObject({ face: 'graphql', route: '/graphql', status: 200, who: ada.id });
    expect(await lineOf('/nowhere')).toMatchObject({ face: 'none', route: 'none', status: 404 });
    expect(await lineOf('/nowhere')).not.toHaveProperty('who');
  });

  it('contains no secret of an address, a header or a body', async () => {
    const secret = 'opensesame';
    for (const path of [
      `/invite/${secret}`,
      `/api/v10/invites/${secret}`,
      `/api/v10/webhooks/1/${secret}`,
      `/api/v10/interactions/1/${secret}/callback`,
      `/auth/verify-email?token=${secret}`,
      `/oauth2/authorize?client_id=${secret}`,
      `/cdn/attachments/1/2/${secret}?hm=${secret}`,
      `/${secret}`,
    ]) {
      await lineOf(path, { headers: { authorization: `Bot ${secret}`, cookie: secret } });
    }
    expect(lines.join('\n')).not.toContain(secret);
    for (const known of [bot.botToken, ada.token, ada.email]) expect(lines.join('\n')).not.toContain(known);
  });

  it('ignores a request id that the client chose', async () => {
    const line = await lineOf('/', { headers: { 'x-request-id': 'chosen' } });
    expect(line.requestId).not.toBe('chosen');
  });

  it('records the start and end of gateway sessions and subscriptions', async () => {
    const client = await GatewayClient.open(server.origin);
    const { d } = await client.ready(bot.botToken);
    await client.close();
    const named = { applicationId: bot.id, sessionId: d.session_id };
    const about = (msg: string) => parsed(lines).filter((line) => line.msg === msg);
    expect(about('Gateway session admitted or refused')).toEqual([
      expect.objectContaining({ outcome: 'identified', ...named }),
    ]);
    await expect
      .poll(() => about('Gateway connection closed'))
      .toEqual([expect.objectContaining({ code: 1000, ...named })]);

    const socket = socketClient(server, { token: ada.token });
    const query = 'subscription ($id: ID!) { guildChanged(guildId: $id) { name } }';
    await subscribe(socket, query, { id: guild.id });
    await expect.poll(() => about('Subscription started')).toEqual([expect.objectContaining({ who: ada.id })]);
    await socket.dispose();
    await expect.poll(() => about('Subscription ended')).toEqual([expect.objectContaining({ who: ada.id })]);
  });

  describe('a request whose client disconnects', () => {
    function watchLines(): () => Line[] {
      const from = lines.length;
      return () => parsed(lines.slice(from)).filter(({ method }) => method !== undefined);
    }

    /** Expects one line for the abandoned request, and no other before that of a later request. */
    async function expectLine(added: () => Line[], told: object): Promise<void> {
      const line = { level: 20, status: 499, ms: expect.any(Number), requestId: expect.stringMatching(UUID), ...told };
      await expect.poll(added).toEqual([expect.objectContaining(line)]);
      await lineOf('/');
      expect(added()).toHaveLength(2);
    }

    it.each([
      ['/auth/sign-in/email', 'application/json', 'accounts'],
      ['/oauth2/authorize', 'application/x-www-form-urlencoded', 'oauth'],
      ['/graphql', 'application/json', 'graphql'],
    ])('is logged as one line while it sends (%s)', async (path, type, face) => {
      const added = watchLines();
      const connection = await RawConnection.begin(server, { path, type, authorization: `Bearer ${ada.token}` });
      connection.socket.destroy();
      await expectLine(added, { method: 'POST', face, route: path });
    });

    it('is logged once if it is not answered yet, and not again for the response', async () => {
      const unknown = await createApplication(ada);
      const callers = holdCallers(server);
      const added = watchLines();
      const leaving = new AbortController();
      const headers = { authorization: `Bot ${unknown.botToken}` };
      const left = fetch(`${server.origin}/api/v10/users/@me`, { headers, signal: leaving.signal });
      await expect.poll(() => callers.count).toBe(1);
      leaving.abort();
      await expect(left).rejects.toThrow();
      await expectLine(added, { method: 'GET', face: 'rest', route: '/users/@me' });
      callers.letGo();
      await lineOf('/api/v10/users/@me', { headers });
      expect(added()).toHaveLength(3);
    });

    it('is logged as one line during a download', async () => {
      const content = new Uint8Array(10_000_000);
      const body = formOf(undefined, { name: 'files[0]', content, filename: 'long.bin' });
      const headers = { authorization: `Bot ${bot.botToken}` };
      const messages = `${server.origin}/api/v10/channels/${guild.textChannelId}/messages`;
      const message = await (await fetch(messages, { method: 'POST', headers, body })).json();
      const added = watchLines();
      const answer = await fetch(message.attachments[0].url);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
      await expectLine(added, { requestId: answer.headers.get('x-request-id'), face: 'cdn' });
    });

    it('is logged as one line at the end of an event stream', async () => {
      const query = `subscription { guildChanged(guildId: "${guild.id}") { name } }`;
      const headers = { authorization: `Bearer ${ada.token}`, accept: 'text/event-stream' };
      const added = watchLines();
      const answer = await fetch(`${server.origin}/graphql?query=${encodeURIComponent(query)}`, { headers });
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
      await answer.body?.cancel();
      await expectLine(added, { requestId: answer.headers.get('x-request-id'), face: 'graphql', who: ada.id });
    });

    describe('while an earlier one of its connection is pending', () => {
      const about = (msg: string) => parsed(lines).filter((line) => line.msg === msg).length;

      async function askForStreams(count: number): Promise<RawConnection> {
        const connection = await RawConnection.open(server);
        const query = `subscription { guildChanged(guildId: "${guild.id}") { name } }`;
        const stream = [
          `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1`,
          'Host: localhost',
          'Accept: text/event-stream',
          `Authorization: Bearer ${ada.token}`,
          '',
        ];
        connection.write(...Array.from({ length: count }, () => stream).flat(), '');
        return connection;
      }

      async function expectLines(added: () => Line[]): Promise<void> {
        await lineOf('/');
        const line = expect.objectContaining({ face: 'graphql', status: 499, who: ada.id });
        expect(added()).toEqual([line, line, line, expect.objectContaining({ route: '/' })]);
      }

      it('is logged once, as is the earlier one, and its subscriptions end', async () => {
        const [began, ended] = [about('Subscription started'), about('Subscription ended')];
        const added = watchLines();
        const connection = await askForStreams(3);
        await expect.poll(() => about('Subscription started')).toBe(began + 3);
        connection.socket.destroy();
        await expect.poll(() => about('Subscription ended')).toBe(ended + 3);
        await expectLines(added);
      });

      it.each([1, 3])('leaves no subscription open if its caller is not authenticated yet (%i)', async (count) => {
        const callers = holdCallers(server);
        const open = about('Subscription started') - about('Subscription ended');
        const connection = await askForStreams(count);
        await expect.poll(() => callers.count).toBeGreaterThan(0);
        const added = watchLines();
        connection.socket.destroy();
        await expect.poll(() => added().length).toBe(count);
        callers.letGo();
        // A later request is authenticated after the abandoned ones.
        const began = about('Subscription started');
        const later = await askForStreams(1);
        await expect.poll(() => about('Subscription started')).toBeGreaterThan(began);
        await expect.poll(() => about('Subscription started') - about('Subscription ended')).toBe(open + 1);
        later.socket.destroy();
        await expect.poll(() => about('Subscription started') - about('Subscription ended')).toBe(open);
      });
    });
  });
});

it('at level info a sign-up is one line with only the id of the user, and requests are not logged', async () => {
  const { log, lines } = readableLog('info');
  const server = await startServer({ log });
  const ofStart = lines.length;
  const ada = await signUp(server, 'ada');
  expect(parsed(lines.slice(ofStart))).toEqual([
    expect.objectContaining({ level: 30, userId: ada.id, requestId: expect.any(String), msg: 'User signed up' }),
  ]);
  expect(lines.join()).not.toMatch(new RegExp(`${ada.email}|"ada"|${ada.token}`));
  await server.stop();
});
