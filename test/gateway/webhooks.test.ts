import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterEach, beforeEach, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { createWebhook, deleteWebhook, updateWebhook } from '../../src/domain/webhooks/index.js';
import { it } from '../harness/fixtures.js';
import { ALL_INTENTS, GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { openScene, type RestBot, type Scene } from '../harness/rest.js';
import { denyInChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { openWebhook } from '../harness/webhooks.js';
import { callOf, createChannel } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
const open: GatewayClient[] = [];
it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.ViewChannel | Permission.ManageGuild);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect({ bot }: RestBot, intents = ALL_INTENTS): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  open.push(client);
  await client.ready(bot.token, { intents });
  return client;
}

async function toldTo(client: GatewayClient): Promise<string[]> {
  const frames = (await client.settled()).filter(({ t }) => t === 'WEBHOOKS_UPDATE');
  for (const { d } of frames) expect(d).toEqual({ guild_id: scene.guildId, channel_id: expect.any(String) });
  return frames.map(({ d }) => d.channel_id);
}

const newChannel = async (name: string) => String((await createChannel(server.app, scene.guild.id, name)).id);

it('W-W3: any create, update and delete fires WEBHOOKS_UPDATE; a move does for both channels', async () => {
  const client = await connect(scene.bot, Intent.Guilds | Intent.GuildWebhooks);
  const otherBot = await connect(scene.other, Intent.Guilds | Intent.GuildWebhooks);
  const there = await newChannel('there');
  const here = scene.channelId;
  const { body: made } = await scene.bot.post(`/channels/${here}/webhooks`, { name: 'Herald' });
  const path = `/webhooks/${made.id}`;
  expect(await toldTo(client), 'create').toEqual([here]);
  await scene.bot.patch(path, { name: 'Crier' });
  expect(await toldTo(client), 'rename').toEqual([here]);
  await scene.bot.patch(path, { name: 'Crier', channel_id: here });
  expect(await toldTo(client), 'no change').toEqual([]);
  await scene.bot.patch(path, { channel_id: there });
  expect(await toldTo(client), 'move').toEqual([here, there]);
  const byToken = `${server.origin}/api/webhooks/${made.id}/${made.token}`;
  await scene.bot.patch(byToken, { name: 'Herald' });
  expect(await toldTo(client), 'rename by token').toEqual([there]);
  await scene.bot.delete(byToken);
  expect(await toldTo(client), 'delete by token').toEqual([there]);
  const { body: other } = await scene.bot.post(`/channels/${here}/webhooks`, { name: 'Herald' });
  await scene.bot.delete(`/webhooks/${other.id}`);
  await scene.bot.delete(`/webhooks/${other.id}`);
  expect(await toldTo(client), 'create and delete').toEqual([here, here]);
  await scene.stranger.post(`/channels/${here}/webhooks`, { name: 'Herald' });
  await scene.bot.post(`/channels/${here}/webhooks`, { name: '' });
  expect(await toldTo(client), 'refused').toEqual([]);
  expect(await toldTo(otherBot), "another application's bot").toEqual([]);
});

it("WEBHOOKS_UPDATE goes to sessions with the intent GUILD_WEBHOOKS, of the webhook's bot if it sees the channel", async () => {
  const [blind, seeing] = [
    await connect(scene.bot, ALL_INTENTS & ~Intent.GuildWebhooks),
    await connect(scene.bot, Intent.Guilds | Intent.GuildWebhooks),
  ];
  const hidden = await newChannel('hidden');
  await denyInChannel(server, { id: scene.guildId }, hidden, Permission.ViewChannel);
  const owner = callOf(server.app, scene.guild.owner);
  const of = { applicationId: scene.bot.bot.id, name: 'Herald' };
  const { webhook } = await createWebhook(owner, { ...of, channelId: BigInt(hidden) });
  expect(await toldTo(seeing), 'create where nobody looks').toEqual([]);
  await updateWebhook(owner, webhook.id, { channelId: scene.guild.channel.id });
  expect(await toldTo(seeing), 'move to where they look').toEqual([scene.channelId]);
  await deleteWebhook(owner, webhook.id);
  expect(await toldTo(seeing), 'delete').toEqual([scene.channelId]);
  expect(await toldTo(blind), 'without the intent').toEqual([]);
});

it('a message of a webhook, its edit and its deletion are the usual events of the channel, with its webhook_id', async () => {
  const client = await connect(scene.other);
  const hook = await openWebhook(scene);
  const eventsOf = async (): Promise<[string | null, Loose][]> =>
    (await client.settled()).filter(({ t }) => t?.startsWith('MESSAGE_')).map(({ t, d }) => [t, d]);
  const { body: made } = await hook.post({ content: `hello <@${scene.other.id}>`, embeds: [{ title: 'A title' }] });
  const shown = { id: made.id, channel_id: scene.channelId, guild_id: scene.guildId };
  const ofWebhook = { webhook_id: hook.id, application_id: scene.bot.id, author: { id: scene.bot.id, bot: true } };
  expect(await eventsOf()).toMatchObject([['MESSAGE_CREATE', { ...shown, ...ofWebhook, content: made.content }]]);
  const { body: edited } = await hook.patch(`/messages/${made.id}`, { content: 'edited' });
  const change = { ...shown, ...ofWebhook, content: 'edited', edited_timestamp: edited.edited_timestamp };
  expect(await eventsOf()).toMatchObject([['MESSAGE_UPDATE', change]]);
  await hook.delete(`/messages/${made.id}`);
  expect(await eventsOf()).toEqual([['MESSAGE_DELETE', shown]]);
});
