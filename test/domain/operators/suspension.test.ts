import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import { it } from '../../harness/fixtures.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { askGraphql, codeOf } from '../../harness/graphql.js';
import { askWithToken, grantCode, inForm, postForm, REDIRECT_URI } from '../../harness/oauth.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import { outcome } from '../../harness/outcome.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
} from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { socketClient, subscribe } from '../../harness/sockets.js';
import { userOf } from '../../harness/world.js';

let server: TestServer;
let olga: Person;
let ada: Person;
let bot: MadeApplication;
let guild: MadeGuild;
let round = 0;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  olga = await signUp(server, 'olga');
  await makeOperator(server, olga);
});
beforeEach(async () => {
  round += 1;
  ada = await signUp(server, `ada${round}`);
  bot = await createApplication(ada, `Bot ${round}`);
  guild = await createGuild(ada);
  await install(ada, bot, guild);
  const data = { redirectUris: [REDIRECT_URI] };
  await server.app.db.writer.application.update({ where: { id: BigInt(bot.id) }, data });
});

const act = (name: keyof typeof OPERATOR_MUTATIONS, input: object) =>
  olga.graphql(OPERATOR_MUTATIONS[name], { input: { reason: 'spam', ...input } });
const suspend = (text = 'Write to help@chat.example.') => act('suspendPerson', { personId: ada.id, text });
const restore = () => act('restorePerson', { personId: ada.id });
const suspendBot = () => act('suspendApplication', { applicationId: bot.id, text: 'Too loud.' });
const restoreBot = () => act('restoreApplication', { applicationId: bot.id });

function signIn(password = ada.password): Promise<Response> {
  return fetch(`${server.origin}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ada.email, password }),
  });
}

async function tokensOf(person: Person): Promise<{ access: string; refresh: string }> {
  const code = await grantCode(server, person, bot);
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(bot) };
  const { body } = await postForm(server, form);
  return { access: body.access_token, refresh: body.refresh_token };
}

const asBot = (path: string) =>
  ask(server, 'GET', path, { headers: { authorization: `Bot ${bot.botToken}` } }).then(({ status }) => status);

describe('a suspended person', () => {
  it('loses sessions, personal tokens, grants and connections; their bots go on', async () => {
    const { createPersonalToken } = await ada.graphql(
      'mutation { createPersonalToken(input: { name: "CI" }) { token } }',
    );
    const { access, refresh } = await tokensOf(ada);
    const socket = socketClient(server, { token: ada.token });
    const changes = await subscribe(
      socket,
      'subscription ($id: ID!) { guildChanged(guildId: $id, initial: true) { name } }',
      {
        id: guild.id,
      },
    );
    await changes.next();
    const authorization = `Bearer ${createPersonalToken.token}`;
    const withPersonal = () => askGraphql(server, '{ applications { id } }', {}, { authorization });
    expect((await withPersonal()).data?.applications).toHaveLength(1);

    await suspend();
    expect((await changes.next()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    await changes.ended;
    expect(codeOf(await ada.ask('{ applications { id } }'))).toBe('UNAUTHENTICATED');
    expect(codeOf(await withPersonal())).toBe('UNAUTHENTICATED');
    expect((await askWithToken(server, '/users/@me', access)).status).toBe(401);
    const refreshed = await postForm(server, { grant_type: 'refresh_token', refresh_token: refresh, ...inForm(bot) });
    expect(refreshed.body.error).toBe('invalid_grant');
    expect(await asBot('/users/@me')).toBe(200);

    await restore();
    expect(codeOf(await ada.ask('{ applications { id } }'))).toBe('UNAUTHENTICATED');
    expect((await signIn()).status).toBe(200);
    await socket.dispose();
  });

  it('reads at sign-in why, but only with the right password, and keeps no session', async () => {
    await suspend();
    const answer = await signIn();
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('Your account is suspended. Write to help@chat.example.');
    expect(await (await signIn('wrong password')).text()).not.toContain('suspended');
    expect(await server.app.db.reader.authSession.count({ where: { userId: ada.id } })).toBe(0);
    await suspend('Now for good.');
    expect(await (await signIn()).text()).toContain('Now for good.');
    await restore();
    expect((await signIn()).status).toBe(200);
  });

  it('can have no new session or grant by a request that began before, and loses what it left', async () => {
    const call = callContext(server.app, { kind: 'person', user: await userOf(server.app, ada) });
    await suspend();
    const write = () => outcome(call.write(({ db }) => db.user.count()));
    expect([await write(), await outcome(call.writeOne((db) => db.user.count()))]).toEqual(['SUSPENDED', 'SUSPENDED']);
    const { id, userId } = await server.app.db.reader.authUser.findUniqueOrThrow({ where: { userId: BigInt(ada.id) } });
    const times = { createdAt: new Date(), updatedAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
    await server.app.db.writer.authSession.create({
      data: { id: `late${userId}`, userId: id, token: `l${id}`, ...times },
    });
    await restore();
    expect(await server.app.db.reader.authSession.count({ where: { userId: id } })).toBe(0);
    expect(await write()).toBe('ok');
  });

  it('gets nothing through within a second of the answer, with many requests under way', async () => {
    const sent: number[] = [];
    const refused: (string | undefined)[] = [];
    const send = async () => {
      for (;;) {
        const answer = await ada.ask(
          'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }',
          { input: { channelId: guild.textChannelId, content: 'spam' } },
        );
        if (answer.data) sent.push(performance.now());
        else {
          refused.push(codeOf(answer));
          return;
        }
      }
    };
    const senders = Array.from({ length: 8 }, send);
    await expect.poll(() => sent.length).toBeGreaterThan(8);
    await suspend();
    const answeredAt = performance.now();
    await Promise.all(senders);
    expect(refused).toEqual(Array(8).fill('UNAUTHENTICATED'));
    expect(Math.max(...sent) - answeredAt).toBeLessThan(1_000);
  });

  it('can be signed out, or get a link to a new password, without a suspension', async () => {
    await act('signOutPerson', { personId: ada.id });
    expect(codeOf(await ada.ask('{ applications { id } }'))).toBe('UNAUTHENTICATED');
    const { operatorCreatePasswordLink: link } = await act('passwordLink', { personId: ada.id });
    const page = await fetch(link.url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('password')]);
    const token = new URL(link.url).searchParams.get('token') ?? '';
    expect((await instanceLog(olga)).join('\n')).not.toContain(token);
  });
});

describe('a suspended application', () => {
  it('loses its tokens, gateway sessions and webhooks at once, and has them back when it is restored', async () => {
    const { access } = await tokensOf(ada);
    const webhook = await makeWebhook(server, ada, bot, guild.textChannelId);
    const execute = async () =>
      (
        await fetch(`${webhook.url}?wait=true`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ content: 'built' }),
        })
      ).status;
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.botToken);
    const answers = async () => [
      await asBot('/users/@me'),
      await execute(),
      (await askWithToken(server, '/users/@me', access)).status,
      (await postForm(server, { grant_type: 'client_credentials', scope: 'identify', ...inForm(bot) })).status,
    ];
    expect(await answers()).toEqual([200, 200, 200, 200]);

    await suspendBot();
    expect((await client.closed).code).toBe(4004);
    expect(await answers()).toEqual([401, 404, 401, 401]);
    const again = await GatewayClient.open(server.origin);
    again.identify(bot.botToken);
    expect((await again.closed).code).toBe(4004);
    const { application } = await ada.graphql(
      'query ($id: ID!) { application(id: $id) { suspendedAt suspensionText } }',
      { id: bot.id },
    );
    expect(application).toEqual({ suspendedAt: expect.any(String), suspensionText: 'Too loud.' });

    await restoreBot();
    expect(await answers()).toEqual([200, 200, 200, 200]);
    await (await GatewayClient.open(server.origin)).ready(bot.botToken);
    expect((await instanceLog(olga)).slice(0, 2)).toEqual([
      `APPLICATION_RESTORE | olga | ${bot.name} | spam`,
      `APPLICATION_SUSPEND | olga | ${bot.name} | spam`,
    ]);
  });

  it('cannot be installed, and its commands can be neither found nor run', async () => {
    const command = await ask(server, 'POST', `/applications/${bot.id}/commands`, {
      headers: { authorization: `Bot ${bot.botToken}` },
      json: { name: 'ping', description: 'Ping' },
    });
    const run = () =>
      ada.ask('mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id } } }', {
        input: { commandId: command.body.id, channelId: guild.textChannelId },
      });
    const shown = async (): Promise<string[]> => {
      const { runnableCommands } = await ada.graphql('query ($id: ID!) { runnableCommands(channelId: $id) { name } }', {
        id: guild.textChannelId,
      });
      return runnableCommands;
    };
    expect(await shown()).toHaveLength(1);
    await suspendBot();
    expect([codeOf(await run()), (await shown()).length]).toEqual(['NOT_FOUND', 0]);
    const other = await createGuild(ada, 'Other');
    await expect(install(ada, bot, other)).rejects.toThrow('Unknown Application');
    await restoreBot();
    expect(await shown()).toHaveLength(1);
  });

  it('changes nothing by a request that began before', async () => {
    const user = await server.app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(bot.id) } });
    const applicationId = BigInt(bot.id);
    const owner = await userOf(server.app, ada);
    const callers = [
      callContext(server.app, { kind: 'bot', user, applicationId, messageContentIntent: true }),
      callContext(server.app, {
        kind: 'token',
        user: owner,
        applicationId,
        scopes: ['identify'],
        expiresAt: new Date(Date.now() + 60_000),
      }),
    ];
    await suspendBot();
    for (const call of callers) expect(await outcome(call.write(({ db }) => db.user.count()))).toBe('SUSPENDED');
    await sendMessage(ada, guild.textChannelId, 'people go on');
  });
});
