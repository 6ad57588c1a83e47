import { Agent } from 'node:https';
import { connect } from 'node:net';
import { AttachmentBuilder, Client, EmbedBuilder, Events, GatewayIntentBits, Routes, WebhookClient } from 'discord.js';
import { Client as Eris } from 'eris';
import { Client as Oceanic } from 'oceanic.js';
import { Webhook as SimpleWebhook } from 'simple-discord-webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProgram, startProgram } from '../../conversation/programs.js';
import { noDiscordPy, noRequests, PYTHON } from '../../harness/discord-py.js';
import { createApplication, install, type MadeApplication, type MadeGuild } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { needing } from '../../harness/skipping.js';
import { openStage, type Stage } from './stage.js';

/** Unmodified webhook clients on a channel of a box. They differ from clients in the cloud only in the URL. */
let stage: Stage;
let guild: MadeGuild;
let bot: MadeApplication;

beforeAll(async () => {
  stage = await openStage();
  guild = await stage.makeGuild();
  bot = await createApplication(stage.owner, 'Build bot');
  await install(stage.owner, bot, guild, { permissions: '8' });
});
afterAll(() => stage.stop());

async function newWebhook(): Promise<{ id: string; token: string }> {
  const { status, body } = await ask(stage.cloud, 'POST', `/channels/${guild.textChannelId}/webhooks`, {
    json: { name: 'Builds' },
    headers: { authorization: `Bot ${bot.botToken}` },
  });
  if (status !== 200) throw new Error(`making a webhook was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function refusalOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => {
      throw new Error('that was not refused');
    },
    (refusal) => refusal,
  );
}

const storedMessage = (id: string) => stage.box.app.db.reader.message.findUnique({ where: { id: BigInt(id) } });

const WRONG_TOKEN = `WH.${'a'.repeat(8)}.${'b'.repeat(56)}`;

describe("discord.js' WebhookClient", () => {
  const clientOf = ({ id, token }: { id: string; token: string }) =>
    new WebhookClient({ id, token }, { rest: { api: `${stage.cloud.origin}/api`, retries: 0 } });

  it('sends embeds and files, reads, edits and deletes what it sent, and the box has it', async () => {
    const webhook = await newWebhook();
    const client = clientOf(webhook);
    const sent = await client.send({
      content: 'building',
      username: 'Somebody',
      embeds: [new EmbedBuilder().setTitle('Build 7').setImage('attachment://chart.png')],
      files: [
        new AttachmentBuilder(Buffer.from('no picture'), { name: 'chart.png' }),
        new AttachmentBuilder(Buffer.from('all green'), { name: 'log.txt' }),
      ],
    });
    expect(sent).toMatchObject({ webhook_id: webhook.id, author: { id: bot.id, username: 'Build bot', bot: true } });
    expect(sent.embeds[0]?.image?.url).toMatch(/chart\.png/);
    expect(await storedMessage(sent.id)).toMatchObject({ content: 'building', webhookId: BigInt(webhook.id) });
    expect(await client.fetchMessage(sent.id)).toMatchObject({ id: sent.id, content: 'building' });
    expect(await client.editMessage(sent.id, { content: 'built', attachments: [] })).toMatchObject({
      content: 'built',
      attachments: [],
    });
    await client.deleteMessage(sent.id);
    expect(await storedMessage(sent.id)).toBeNull();
    expect(await refusalOf(client.fetchMessage(sent.id))).toMatchObject({ status: 404, code: 10008 });
  });

  it('gets an error for a wrong token, and for a deleted webhook', async () => {
    const webhook = await newWebhook();
    const wrong = clientOf({ ...webhook, token: WRONG_TOKEN });
    expect(await refusalOf(wrong.send('hello?'))).toMatchObject({ status: 401, code: 50027 });
    const client = clientOf(webhook);
    await client.edit({ name: 'Deploys' });
    await client.delete('no longer needed');
    expect(await refusalOf(client.send('hello?'))).toMatchObject({ status: 404, code: 10015 });
  });

  it('gets 503 while the box is away, when its name can still be read and changed', async () => {
    const webhook = await newWebhook();
    const client = clientOf(webhook);
    await stage.cutOff();
    expect(await refusalOf(client.send('hello?'))).toMatchObject({ status: 503 });
    await client.edit({ name: 'Deploys' });
    const route = Routes.webhook(webhook.id, webhook.token);
    expect(await client.rest.get(route, { auth: false })).toMatchObject({ name: 'Deploys' });
    await stage.comeBack();
    expect(await client.send('here again')).toMatchObject({ content: 'here again' });
  });
});

describe("discord.js' Client", () => {
  it('W-18: makes, lists, moves and deletes webhooks, and gets the events of these changes and of posts', async () => {
    const { Guilds, GuildMessages, GuildWebhooks, MessageContent } = GatewayIntentBits;
    const client = new Client({
      intents: [Guilds, GuildMessages, GuildWebhooks, MessageContent],
      rest: { api: `${stage.cloud.origin}/api` },
    });
    const next = <Name extends Events.WebhooksUpdate | Events.MessageCreate>(name: Name) =>
      new Promise<{ id: string }>((resolve) => client.once(name, resolve));
    const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
    await client.login(bot.botToken);
    await ready;
    const known = client.guilds.cache.get(guild.id);
    const channel = known?.channels.cache.get(guild.textChannelId);
    if (!known || !channel?.isSendable() || !('createWebhook' in channel)) throw new Error('the channel is not cached');
    const [webhook, { id }] = await Promise.all([
      channel.createWebhook({ name: 'Builds', reason: 'for builds' }),
      next(Events.WebhooksUpdate),
    ]);
    expect(id).toBe(channel.id);
    expect((await known.fetchWebhooks()).get(webhook.id)).toMatchObject({ name: 'Builds' });
    const [sent, heard] = await Promise.all([webhook.send('hello'), next(Events.MessageCreate)]);
    expect(heard).toMatchObject({ id: sent.id, webhookId: webhook.id, applicationId: bot.id, content: 'hello' });
    expect(await webhook.editMessage(sent, 'hello again')).toMatchObject({ content: 'hello again' });
    const other = await known.channels.create({ name: 'deploys' });
    await webhook.edit({ name: 'Deploys', channel: other });
    expect(await webhook.send('there')).toMatchObject({ channelId: other.id, content: 'there' });
    await webhook.delete();
    expect((await other.fetchWebhooks()).size).toBe(0);
    await client.destroy();
  });
});

describe('simple-discord-webhooks', () => {
  it('posts, edits and deletes by the URL', async () => {
    const { id, token } = await newWebhook();
    const webhook = new SimpleWebhook(new URL(`${stage.cloud.origin}/api/webhooks/${id}/${token}`));
    const sent = await webhook.send('building', [{ title: 'Build 7' }]);
    expect(sent).toMatchObject({ content: 'building', webhook_id: id });
    expect(await sent.edit('built')).toMatchObject({ id: sent.id, content: 'built', embeds: [] });
    expect(await webhook.resolveMessageID(sent.id).delete()).toBe(true);
    await webhook.delete();
    expect(await refusalOf(webhook.send('hello?'))).toMatchObject({ code: 10015 });
  });
});

describe('oceanic.js', () => {
  it('makes a webhook, posts through it and edits its message', async () => {
    const { rest } = new Oceanic({
      auth: `Bot ${bot.botToken}`,
      rest: { baseURL: `${stage.cloud.origin}/api/v10` },
    });
    const { webhooks } = rest;
    const { id, token } = await webhooks.create(guild.textChannelId, { name: 'Builds', reason: 'for builds' });
    if (!token) throw new Error('there is no token');
    expect(await webhooks.getForGuild(guild.id)).toContainEqual(expect.objectContaining({ id, name: 'Builds' }));
    const sent = await webhooks.execute(id, token, {
      wait: true,
      content: 'building',
      files: [{ name: 'log.txt', contents: Buffer.from('all green') }],
    });
    expect(sent).toMatchObject({ content: 'building', webhookID: id, applicationID: bot.id });
    await stage.cloud.app.executions.settle();
    const { lastExecutedAt } = await stage.cloud.app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(id) } });
    expect(lastExecutedAt).not.toBeNull();
    const edited = await webhooks.editMessage(id, token, sent.id, { content: 'built', attachments: [] });
    expect([edited.content, edited.attachments.size]).toEqual(['built', 0]);
    expect(await webhooks.getMessage(id, token, sent.id)).toMatchObject({ content: 'built' });
    await webhooks.deleteMessage(id, token, sent.id);
    expect(await webhooks.editToken(id, token, { name: 'Deploys' })).toMatchObject({ id, name: 'Deploys' });
    await webhooks.deleteToken(id, token);
    expect(await refusalOf(webhooks.get(id))).toMatchObject({ code: 10015 });
  });
});

describe('eris', () => {
  it('makes a webhook, posts through it and edits its message', async () => {
    // Eris speaks https only. This agent connects without TLS.
    const { hostname, port } = new URL(stage.cloud.origin);
    const agent = new Agent();
    agent.createConnection = () => connect(Number(port), hostname);
    const client = new Eris(`Bot ${bot.botToken}`, { intents: [], rest: { domain: hostname, agent } });
    const { id, token = '' } = await client.createChannelWebhook(guild.textChannelId, { name: 'Builds' }, 'for builds');
    const file = { name: 'log.txt', file: Buffer.from('all green') };
    const sent = await client.executeWebhook(id, token, { wait: true, content: 'building', file });
    expect(sent).toMatchObject({ content: 'building', webhookID: id, attachments: [{ filename: 'log.txt' }] });
    const edited = await client.editWebhookMessage(id, token, sent.id, { content: 'built' });
    expect(edited).toMatchObject({ id: sent.id, content: 'built' });
    await client.deleteWebhookMessage(id, token, sent.id);
    expect(await client.editWebhook(id, { name: 'Deploys' }, token)).toMatchObject({ id, name: 'Deploys' });
    await client.deleteWebhook(id, token);
    expect(await refusalOf(client.getWebhook(id, token))).toMatchObject({ code: 10015 });
  });
});

describe('discord.py, with the programs that post to a channel of the cloud', () => {
  let running: RunningProgram | undefined;
  afterEach(() => running?.stop());

  const runs = async (script: string, more: Record<string, string> = {}) => {
    const { id, token } = await newWebhook();
    const env = { API_URL: `${stage.cloud.origin}/api`, WEBHOOK_ID: id, WEBHOOK_TOKEN: token, ...more };
    running = await startProgram({ program: PYTHON, script, env, ready: 'posted' });
    const after = await ask(stage.cloud, 'GET', `/webhooks/${id}/${token}`);
    expect(after).toMatchObject({ status: 404, body: { code: 10015 } });
  };

  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'without a bot: Webhook'), () => runs('bots/webhooks/discord_py.py'));
  it.skipIf(noRequests)(needing(noRequests, 'without a bot: SyncWebhook'), () =>
    runs('bots/webhooks/discord_py_sync.py'),
  );
  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'with a bot'), () =>
    runs('bots/webhooks/discord_py_bot.py', { BOT_TOKEN: bot.botToken, CHANNEL_ID: guild.textChannelId }),
  );
});
