import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import type { PrivilegedIntent } from '../../src/domain/applications/index.js';
import { sendMessage as sendMessageAs } from '../../src/domain/messages/index.js';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { callOf, toSend, userOf } from '../harness/world.js';

const PRIVILEGED = Intent.GuildMembers | Intent.GuildPresences | Intent.MessageContent;

let server: TestServer;
let ada: Person;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
});

async function session(
  bot: MadeApplication,
  intents: number,
  version = 10,
): Promise<{ client: GatewayClient; id: string }> {
  const client = await GatewayClient.open(server.origin, `?v=${version}&encoding=json`);
  const { d } = await client.ready(bot.botToken, { intents });
  return { client, id: d.session_id };
}

const switchOn = (bot: MadeApplication, ...privilegedIntents: string[]) => update(ada, bot.id, { privilegedIntents });

it.each([
  ['GUILD_MEMBERS', Intent.GuildMembers],
  ['PRESENCES', Intent.GuildPresences],
  ['MESSAGE_CONTENT', Intent.MessageContent],
])('G-15 switching off %s closes the sessions with it with 4014, and no others', async (name, bit) => {
  const bot = await createApplication(ada);
  const asked = await session(bot, Intent.Guilds | bit);
  const others = await session(bot, ALL_INTENTS & ~bit);
  await switchOn(bot, ...['GUILD_MEMBERS', 'PRESENCES', 'MESSAGE_CONTENT'].filter((other) => other !== name));
  expect((await asked.client.closed).code).toBe(4014);
  expect(await others.client.settled()).toEqual([]);

  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: bot.botToken, session_id: asked.id, seq: 1 });
  expect((await again.op(9)).d).toBe(false);
  again.identify(bot.botToken, { intents: bit });
  expect((await again.closed).code).toBe(4014);
  await others.client.close();
});

it('G-15 sessions stay if a setting other than an intent changes, or an intent is switched on', async () => {
  const bot = await createApplication(ada);
  await switchOn(bot, 'MESSAGE_CONTENT');
  const { client } = await session(bot, Intent.Guilds | Intent.MessageContent);
  await update(ada, bot.id, { description: 'another' });
  await switchOn(bot, 'MESSAGE_CONTENT', 'PRESENCES');
  expect(await client.settled()).toEqual([]);
  await client.close();
});

it('G-15 a waiting session ends, so that no RESUME restores it', async () => {
  const bot = await createApplication(ada);
  const { client, id } = await session(bot, Intent.Guilds | PRIVILEGED);
  client.socket.terminate();
  await client.closed;
  await switchOn(bot);
  const again = await GatewayClient.open(server.origin);
  again.send(6, { token: bot.botToken, session_id: id, seq: client.sequence });
  expect((await again.op(9)).d).toBe(false);
  await again.close();
});

it('G-15 no content is sent from the change on, even before anything was read', async () => {
  const bot = await createApplication(ada);
  const guild = await createGuild(ada);
  await install(ada, bot, guild);
  const { client } = await session(bot, ALL_INTENTS);
  const call = callOf(server.app, await userOf(server.app, ada));
  const body = toSend({ content: 'before' });
  const message = await sendMessageAs(call, { channelId: BigInt(guild.textChannelId), body });
  expect((await client.event('MESSAGE_CREATE')).d.content).toBe('before');
  // Published by hand, so that no other event comes first.
  const intents: PrivilegedIntent[] = ['GUILD_MEMBERS', 'PRESENCES'];
  server.app.publish({ type: 'APPLICATION_UPDATED', applicationId: BigInt(bot.id), intents });
  const after = { ...message, id: server.app.nextId(), content: 'after' };
  server.app.publish({ type: 'MESSAGE_CREATE', message: after, member: null });
  expect((await client.closed).code).toBe(4014);
  const heard = client.frames.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content);
  expect(heard).toEqual(['before']);
});

describe('G-15 at version 9 a session without the content intent', () => {
  const WITHOUT_CONTENT = Intent.Guilds | Intent.GuildMessages;

  /** A bot on a server of its own, and the message that its session gets when ada posts there. */
  async function reader(version: number) {
    const bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild);
    const { client, id } = await session(bot, WITHOUT_CONTENT, version);
    const post = () => sendMessage(ada, guild.textChannelId, 'secret');
    const heard = async () => {
      await post();
      return (await client.event('MESSAGE_CREATE')).d.content;
    };
    return { bot, client, id, post, heard };
  }

  it('G-15 reads content while the switch of the application is on, and goes on without it once it is off', async () => {
    const { bot, client, heard } = await reader(9);
    expect(client.frames.find(({ t }) => t === 'READY')?.d.v).toBe(9);
    expect(await heard()).toBe('secret');
    await switchOn(bot, 'GUILD_MEMBERS');
    expect(await heard()).toBe('');
    await switchOn(bot, 'MESSAGE_CONTENT');
    expect(await heard()).toBe('secret');
    await client.close();
  });

  it('G-15 is resumed with the current state of the switch', async () => {
    const { bot, client, id, heard, post } = await reader(9);
    expect(await heard()).toBe('secret');
    client.socket.terminate();
    await client.closed;
    await switchOn(bot);
    const again = await GatewayClient.open(server.origin, '?v=9');
    again.send(6, { token: bot.botToken, session_id: id, seq: client.sequence });
    await again.event('RESUMED');
    await post();
    expect((await again.event('MESSAGE_CREATE')).d.content).toBe('');
    await again.close();
  });

  it('G-15 does not read it at version 10', async () => {
    const { client, heard } = await reader(10);
    expect(client.frames.find(({ t }) => t === 'READY')?.d.v).toBe(10);
    expect(await heard()).toBe('');
    await client.close();
  });
});
