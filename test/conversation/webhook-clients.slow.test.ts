import { Agent } from 'node:https';
import { connect } from 'node:net';
import {
  AttachmentBuilder,
  Client,
  DiscordAPIError,
  EmbedBuilder,
  Events,
  GatewayIntentBits,
  type TextChannel,
  type Webhook,
  WebhookClient,
} from 'discord.js';
import { type APIMessage, Routes } from 'discord-api-types/v10';
import { Client as Eris } from 'eris';
import { Client as Oceanic } from 'oceanic.js';
import { Message as SimpleMessage, Webhook as SimpleWebhook } from 'simple-discord-webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { noDiscordPy, noRequests, PYTHON } from '../harness/discord-py.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type MadeWebhook,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { type ChannelEvents, subscribe } from '../harness/subscriptions.js';
import { type RunningProgram, startProgram } from './programs.js';

/** Unmodified webhook clients. Only the URL is configured. */
let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let events: ChannelEvents;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada, 'Harbour');
  application = await createApplication(ada, 'Build bot');
  await install(ada, application, guild, { permissions: String(ALL_PERMISSIONS) });
  events = await subscribe(server, ada, guild.textChannelId);
});
afterAll(async () => {
  await events?.close();
  await server.stop();
});

const newWebhook = () => makeWebhook(server, ada, application, guild.textChannelId);

async function sees(type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE' | 'MESSAGE_DELETE'): Promise<Loose> {
  return (await events.next((event) => event.type === type)).data;
}

async function refusalOf<Refusal>(request: Promise<unknown>): Promise<Refusal> {
  return request.then(
    () => {
      throw new Error('that was not refused');
    },
    (refusal) => refusal,
  );
}

const WRONG_TOKEN = `WH.${'a'.repeat(8)}.${'b'.repeat(56)}`;

const file = (name: string, content: string) => new AttachmentBuilder(Buffer.from(content), { name });

async function textOf({ url }: { url: string }): Promise<string> {
  return (await fetch(url)).text();
}

describe("discord.js' WebhookClient", () => {
  let webhook: MadeWebhook;
  let client: WebhookClient;
  beforeEach(async () => {
    webhook = await newWebhook();
    client = clientWith(webhook.token);
  });

  /** It parses URLs of the reference platform only, and accepts id and token of other webhooks. */
  const clientWith = (token: string) =>
    new WebhookClient({ id: webhook.id, token }, { rest: { api: `${server.origin}/api` } });

  it('W-2: sends text, which appears as the bot', async () => {
    const sent = await client.send({
      content: 'build 7 is green',
      username: 'Somebody',
      avatarURL: 'https://a.example',
    });
    const author = { id: application.id, username: 'Build bot', bot: true };
    expect(sent).toMatchObject({ content: 'build 7 is green', webhook_id: webhook.id, author });
    expect(await sees('MESSAGE_CREATE')).toMatchObject({ id: sent.id, webhook_id: webhook.id, author });
  });

  it('sends an embed with a file', async () => {
    const embed = new EmbedBuilder()
      .setTitle('Build 7')
      .setColor('Green')
      .setFields({ name: 'Tests', value: '412', inline: true })
      .setImage('attachment://chart.png')
      .setTimestamp(1_000_000_000_000);
    const { embeds, attachments } = await client.send({
      embeds: [embed],
      files: [file('chart.png', 'no picture'), file('log.txt', 'all green').setDescription('What it said')],
    });
    const timestamp = expect.stringMatching(/^2001-09-09T01:46:40/);
    expect(embeds).toMatchObject([{ title: 'Build 7', fields: [{ value: '412', inline: true }], timestamp }]);
    expect(embeds[0]?.image?.url).toMatch(/\/cdn\/attachments\/.*\/chart\.png/);
    const log = attachments.find(({ filename }) => filename === 'log.txt');
    expect(log).toMatchObject({ description: 'What it said' });
    expect(log && (await textOf(log))).toBe('all green');
  });

  it('edits, reads and deletes its messages', async () => {
    const { id } = await client.send({ content: 'building', files: [file('a.txt', 'one'), file('b.txt', 'two')] });
    const [kept] = (await client.fetchMessage(id)).attachments;
    expect(kept).toMatchObject({ filename: 'a.txt' });
    const edited = await client.editMessage(id, {
      content: 'built',
      attachments: kept ? [kept as Loose] : [],
      files: [file('c.txt', 'three')],
    });
    expect(edited).toMatchObject({ id, content: 'built' });
    expect(await Promise.all(edited.attachments.map(textOf))).toEqual(['one', 'three']);
    await client.deleteMessage(id);
    expect((await refusalOf<DiscordAPIError>(client.fetchMessage(id))).code).toBe(10008);
  });

  it('replies, by its REST client', async () => {
    const asked = await sendMessage(ada, guild.textChannelId, 'is it green?');
    const sent = (await client.rest.post(Routes.webhook(webhook.id, webhook.token), {
      auth: false,
      body: { content: 'it is', message_reference: { message_id: asked } },
    })) as APIMessage;
    expect(sent).toMatchObject({ type: 19, referenced_message: { id: asked, content: '' } });
  });

  it('renames and deletes the webhook, and gets an error for a deleted one', async () => {
    await client.edit({ name: 'Deploys', avatar: null });
    const renamed = await client.rest.get(Routes.webhook(webhook.id, webhook.token), { auth: false });
    expect(renamed).toMatchObject({ id: webhook.id, name: 'Deploys' });
    await client.delete('no longer needed');
    const refusal = await refusalOf<DiscordAPIError>(client.send('hello?'));
    expect(refusal).toBeInstanceOf(DiscordAPIError);
    expect(refusal).toMatchObject({ status: 404, code: 10015 });
  });

  it('gets an error for a wrong token', async () => {
    const refusal = await refusalOf<DiscordAPIError>(clientWith(WRONG_TOKEN).send('hello?'));
    expect(refusal).toBeInstanceOf(DiscordAPIError);
    expect(refusal).toMatchObject({ status: 401, code: 50027, message: 'Invalid Webhook Token' });
  });
});

describe("discord.js' Client", () => {
  let client: Client<true>;
  let channel: TextChannel;

  beforeAll(async () => {
    const made = new Client({
      intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.GuildWebhooks],
      rest: { api: `${server.origin}/api` },
    });
    client = await new Promise<Client<true>>((resolve, reject) => {
      made.once(Events.ClientReady, resolve);
      made.login(application.botToken).catch(reject);
    });
    channel = (await client.channels.fetch(guild.textChannelId)) as TextChannel;
  });
  afterAll(() => client?.destroy());

  function hears(count: number): Promise<string[]> {
    const ids: string[] = [];
    return new Promise((resolve) => {
      const listener = ({ id }: { id: string }) => {
        if (ids.push(id) < count) return;
        client.off(Events.WebhooksUpdate, listener);
        resolve(ids);
      };
      client.on(Events.WebhooksUpdate, listener);
    });
  }

  async function madeByBot(): Promise<Webhook> {
    const [webhook] = await Promise.all([channel.createWebhook({ name: 'Builds', reason: 'for builds' }), hears(1)]);
    return webhook;
  }

  it('W-18: makes, lists, renames, moves and deletes webhooks, and gets the events', async () => {
    const webhook = await madeByBot();
    expect(webhook).toMatchObject({ name: 'Builds', channelId: channel.id, applicationId: application.id });
    expect(webhook.owner).toMatchObject({ id: application.id });
    const listed = (await channel.guild.fetchWebhooks()).get(webhook.id);
    expect(listed).toMatchObject({ name: 'Builds', token: null });
    expect((await channel.fetchWebhooks()).has(webhook.id)).toBe(true);

    const other = await channel.guild.channels.create({ name: 'deploys' });
    const [moved] = await Promise.all([webhook.edit({ name: 'Deploys', channel: other }), hears(2)]);
    expect(moved).toMatchObject({ name: 'Deploys', channelId: other.id });
    expect(await webhook.send('there')).toMatchObject({ channelId: other.id, content: 'there' });
    const [ids] = await Promise.all([hears(1), webhook.delete()]);
    expect(ids).toEqual([other.id]);
    expect((await other.fetchWebhooks()).size).toBe(0);
  });

  it('caches the messages of a webhook, and fetches the webhook by a message', async () => {
    const webhook = await madeByBot();
    const [sent, heard] = await Promise.all([
      webhook.send('hello'),
      new Promise<Loose>((resolve) => client.once(Events.MessageCreate, resolve)),
    ]);
    expect(heard).toMatchObject({ id: sent.id, webhookId: webhook.id, applicationId: application.id });
    expect(await heard.fetchWebhook()).toMatchObject({ id: webhook.id, name: 'Builds' });
    expect(await webhook.editMessage(sent, 'hello again')).toMatchObject({ id: sent.id, content: 'hello again' });
    await webhook.deleteMessage(sent);
  });

  it('fetches a webhook by its id and token, and stays logged in if the token is wrong', async () => {
    const { id, token } = await madeByBot();
    const fetched = await client.fetchWebhook(id, token ?? '');
    expect(await fetched.send('fetched')).toMatchObject({ content: 'fetched', webhookId: id });
    const refusal = await refusalOf<DiscordAPIError>(client.fetchWebhook(id, WRONG_TOKEN));
    expect(refusal).toMatchObject({ status: 401, code: 50027 });
    expect(await client.fetchWebhook(id)).toMatchObject({ id, name: 'Builds' });
  });
});

describe('simple-discord-webhooks', () => {
  it('posts, reads, edits and deletes messages, and renames and deletes the webhook', async () => {
    const one = await newWebhook();
    const webhook = new SimpleWebhook(new URL(one.url), 'Somebody', 'https://a.example/face.png');
    expect(await webhook.get()).toMatchObject({ id: one.id, name: 'Builds', token: one.token });
    const sent = await webhook.send('building', [{ title: 'Build 7' }]);
    expect(sent).toBeInstanceOf(SimpleMessage);
    expect(sent).toMatchObject({ content: 'building', author: { username: 'Build bot' }, webhook_id: one.id });
    expect(await sent.edit('built')).toMatchObject({ id: sent.id, content: 'built', embeds: [] });
    expect(await webhook.fetchMessage(sent.id)).toMatchObject({ id: sent.id, content: 'built' });
    expect(await webhook.resolveMessageID(sent.id).delete()).toBe(true);
    expect(await refusalOf(webhook.fetchMessage(sent.id))).toMatchObject({ code: 10008 });
    await webhook.edit('Deploys');
    expect(await webhook.get()).toMatchObject({ name: 'Deploys' });
    await webhook.delete();
    expect(await refusalOf(webhook.send('hello?'))).toMatchObject({ code: 10015, message: 'Unknown Webhook' });
  });
});

describe('oceanic.js', () => {
  it('makes a webhook, posts through it and edits its message', async () => {
    const { rest } = new Oceanic({
      auth: `Bot ${application.botToken}`,
      rest: { baseURL: `${server.origin}/api/v10` },
    });
    const { webhooks } = rest;
    const made = await webhooks.create(guild.textChannelId, { name: 'Builds', reason: 'for builds' });
    const { id, token = '' } = made;
    expect(await webhooks.getForGuild(guild.id)).toContainEqual(expect.objectContaining({ id, name: 'Builds' }));
    const sent = await webhooks.execute(id, token ?? '', {
      wait: true,
      content: 'building',
      embeds: [{ title: 'Build 7' }],
      files: [{ name: 'log.txt', contents: Buffer.from('all green') }],
    });
    expect(sent).toMatchObject({ content: 'building', webhookID: id, applicationID: application.id });
    const edited = await webhooks.editMessage(id, token ?? '', sent.id, { content: 'built', attachments: [] });
    expect(edited).toMatchObject({ id: sent.id, content: 'built' });
    expect(edited.attachments.size).toBe(0);
    expect(await webhooks.getMessage(id, token ?? '', sent.id)).toMatchObject({ content: 'built' });
    await webhooks.deleteMessage(id, token ?? '', sent.id);
    expect(await webhooks.get(id, token ?? '')).toMatchObject({ id, name: 'Builds' });
    expect(await webhooks.editToken(id, token ?? '', { name: 'Deploys' })).toMatchObject({ id, name: 'Deploys' });
    await webhooks.deleteToken(id, token ?? '');
    expect(await refusalOf(webhooks.get(id))).toMatchObject({ code: 10015 });
  });
});

describe('eris', () => {
  it('makes a webhook, posts through it and edits its message', async () => {
    const client = erisAt(server.origin);
    const made = await client.createChannelWebhook(guild.textChannelId, { name: 'Builds' }, 'for builds');
    const { id, token = '' } = made;
    const file = { name: 'log.txt', file: Buffer.from('all green') };
    const sent = await client.executeWebhook(id, token, {
      wait: true,
      content: 'building',
      username: 'Somebody',
      embeds: [{ title: 'Build 7' }],
      file,
    });
    expect(sent).toMatchObject({ content: 'building', author: { username: 'Build bot' }, webhookID: id });
    expect(sent.attachments).toMatchObject([{ filename: 'log.txt' }]);
    const edited = await client.editWebhookMessage(id, token, sent.id, { content: 'built' });
    expect(edited).toMatchObject({ id: sent.id, content: 'built' });
    await client.deleteWebhookMessage(id, token, sent.id);
    expect(await client.getWebhook(id, token)).toMatchObject({ id, name: 'Builds' });
    expect(await client.editWebhook(id, { name: 'Deploys' }, token)).toMatchObject({ id, name: 'Deploys' });
    expect(await client.getGuildWebhooks(guild.id)).toContainEqual(expect.objectContaining({ id, name: 'Deploys' }));
    await client.deleteWebhook(id, token);
    expect(await refusalOf(client.getWebhook(id, token))).toMatchObject({ code: 10015 });
  });

  /** Eris speaks https only. This agent connects without TLS. */
  function erisAt(origin: string): Eris {
    const { hostname, port } = new URL(origin);
    const agent = new Agent();
    agent.createConnection = () => connect(Number(port), hostname);
    return new Eris(`Bot ${application.botToken}`, { intents: [], rest: { domain: hostname, agent } });
  }
});

describe('discord.py', () => {
  let running: RunningProgram | undefined;
  afterEach(() => running?.stop());

  const runs = async (script: string, more: Record<string, string> = {}) => {
    const { id, token } = await newWebhook();
    const env = { API_URL: `${server.origin}/api`, WEBHOOK_ID: id, WEBHOOK_TOKEN: token, ...more };
    running = await startProgram({ program: PYTHON, script, env, ready: 'posted' });
    expect(await ask(server, 'GET', `/webhooks/${id}/${token}`)).toMatchObject({ status: 404, body: { code: 10015 } });
  };

  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'without a bot: Webhook'), () => runs('bots/webhooks/discord_py.py'));
  it.skipIf(noRequests)(needing(noRequests, 'without a bot: SyncWebhook'), () =>
    runs('bots/webhooks/discord_py_sync.py'),
  );
  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'with a bot'), () =>
    runs('bots/webhooks/discord_py_bot.py', { BOT_TOKEN: application.botToken, CHANNEL_ID: guild.textChannelId }),
  );
});
