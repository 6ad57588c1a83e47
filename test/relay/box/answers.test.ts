import { expect } from 'vitest';
import { idSpaceOf } from '../../../src/infra/ids/ids.js';
import { answerCall } from '../../../src/relay/box/answers.js';
import { CloudBotDirectory } from '../../../src/relay/cloud/cloud-bot-directory.js';
import { namesOnlyItsOwn } from '../../../src/relay/cloud/own-names.js';
import { asBox } from '../../harness/as-box.js';
import { it } from '../../harness/fixtures.js';
import { RestBot } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { createBot, createBotInGuild, say } from '../../harness/world.js';

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

it('R-27: an unknown name and an unknown guild get no answer, and invalid input gets a refusal', async () => {
  const { guilds } = server.app;
  expect(await answerCall(guilds, 'constructor', { guild_id: '1' })).toBeUndefined();
  expect(await answerCall(guilds, 'guild', { guild_id: '1' })).toBeNull();
  expect(await answerCall(guilds, 'member', { guild_id: '1', user_id: '2' })).toBeNull();
  expect(await answerCall(guilds, 'members', { guild_id: '1', limit: 10 })).toEqual([]);
  await expect(answerCall(guilds, 'guild', { guild_id: 1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(answerCall(guilds, 'members', { guild_id: '1', limit: 1_001 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

it('R-35: answers of a box name only objects of the box', async () => {
  const { app } = server;
  const idSpace = 6_000;
  const asBefore = asBox(app, idSpace);
  const { bot, guild } = await createBotInGuild(app);
  const rest = new RestBot(server, bot);
  const channel = `/channels/${guild.channel.id}`;
  const there = `/guilds/${guild.id}`;
  const first = await say(app, guild, guild.owner, 'hello');
  await rest.put(`${channel}/messages/${first.id}/reactions/${encodeURIComponent('👍')}/@me`);
  const reply = { content: 'yes', message_reference: { message_id: String(first.id) }, embeds: [{ title: '1' }] };
  const answers = [await rest.post(`${channel}/messages`, reply)];
  const paths = [
    there,
    `${there}/channels`,
    `${there}/roles`,
    `${there}/members/${bot.id}`,
    `${there}/members?limit=10`,
    `${there}/emojis`,
    `${there}/preview`,
    channel,
    `${channel}/messages`,
    `${channel}/messages/${first.id}/reactions/${encodeURIComponent('👍')}`,
    `${channel}/messages/pins`,
  ];
  for (const path of paths) answers.push(await rest.get(path));
  asBefore();
  const of = { idSpace, guildIds: new Set([guild.id]), bots: { userOf: () => null, webhookOf: () => null } };
  for (const { status, body } of answers) {
    expect([200, 403]).toContain(status);
    expect(await namesOnlyItsOwn(body, of)).toBeNull();
  }
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(9);
  expect(idSpaceOf(guild.id)).toBe(idSpace);
});

it('only bots of the cloud are known, also those of a deleted application', async () => {
  const { app } = server;
  const bot = await createBot(app);
  const known = new CloudBotDirectory(app.db.reader, app.clock, app.applications);
  await app.db.writer.application.update({ where: { id: bot.id }, data: { deletedAt: new Date() } });
  expect([await known.has(bot.id), await known.has(bot.owner.id), await known.has(bot.id)]).toEqual([
    true,
    false,
    true,
  ]);
});
