import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayClient } from '../harness/gateway-client.js';
import { createApplication, install, type MadeApplication, type MadeGuild, sendMessage } from '../harness/people.js';
import { type SelfHosted, startSelfHosted } from '../harness/self-hosted.js';

let all: SelfHosted;
let guild: MadeGuild;
let bot: MadeApplication;

beforeAll(async () => {
  all = await startSelfHosted();
  guild = await all.makeGuild();
  bot = await createApplication(all.owner, 'Lamplighter');
  await install(all.owner, bot, guild, { permissions: '8' });
});
afterAll(() => all.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${all.cloud.origin}/api/v10${path}`, {
    ...init,
    headers: { authorization: `Bot ${bot.botToken}`, 'content-type': 'application/json' },
  });

it('a bot of the cloud posts to a server on a box and gets its events', async () => {
  const client = await GatewayClient.open(all.cloud.origin);
  client.identify(bot.botToken);
  expect((await client.event('GUILD_CREATE')).d).toMatchObject({ id: guild.id, name: guild.name, unavailable: false });
  const posted = await ask(`/channels/${guild.textChannelId}/messages`, {
    method: 'POST',
    body: JSON.stringify({ content: 'hello' }),
  });
  expect(posted.status).toBe(200);
  const message = await posted.json();
  expect(message).toMatchObject({ content: 'hello', author: { id: bot.id, bot: true } });
  expect((await client.event('MESSAGE_CREATE')).d).toMatchObject({ id: message.id, guild_id: guild.id });
  await sendMessage(all.keeper, guild.textChannelId, 'and hello to you');
  expect((await client.event('MESSAGE_CREATE')).d.content).toBe('and hello to you');
  await client.close();
});

it("the box's own users see all of their server in the portal of the box", async () => {
  await sendMessage(all.keeper, guild.textChannelId, 'at home');
  const query = `query ($guild: ID!, $channel: ID!) {
    guild(id: $guild) {
      name tier viewerPermissions owner { id } roles { name } invites { code } webhooks { id } bans(first: 1) { edges { cursor } }
      members(first: 5) { edges { node { user { id } roles { name } } } }
      channels { id name guild { id } viewerPermissions messages(last: 1) { edges { node { content } } } }
    }
    channel(id: $channel) { id name guild { id } }
  }`;
  const { guild: shown, channel } = await all.keeper.graphql(query, { guild: guild.id, channel: guild.textChannelId });
  expect(shown).toMatchObject({ name: guild.name, tier: 'SELF_HOSTED', owner: { id: all.keeper.id } });
  const members = shown.members.edges.map(({ node }: { node: { user: { id: string } } }) => node.user.id);
  expect(members).toContain(all.keeper.id);
  const text = shown.channels.find(({ id }: { id: string }) => id === guild.textChannelId);
  expect(text).toMatchObject({ guild: { id: guild.id }, messages: { edges: [{ node: { content: 'at home' } }] } });
  expect(channel).toMatchObject({ id: guild.textChannelId, guild: { id: guild.id } });
});
