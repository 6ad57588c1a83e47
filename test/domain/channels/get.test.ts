import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createChannel, getChannel } from '../../../src/domain/channels/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestGuild, toSend } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
});

test('a channel has its overwrites and its newest message', async () => {
  const owner = callOf(app, guild.owner);
  const bits = { allow: 0n, deny: Permission.SendMessages };
  await app.db.writer.channelOverwrite.create({
    data: { channelId: guild.channel.id, targetId: guild.id, targetType: 0, ...bits },
  });
  expect(await getChannel(owner, guild.channel.id)).toMatchObject({
    channel: {
      id: guild.channel.id,
      guildId: guild.id,
      name: 'general',
      overwrites: [{ targetId: guild.id, ...bits }],
    },
    lastMessageId: null,
  });
  const say = async (channelId: bigint) => (await sendMessage(owner, { channelId, body: toSend({ content: 'x' }) })).id;
  await say(guild.channel.id);
  const newest = await say(guild.channel.id);
  const { id: aside } = await createChannel(owner, guild.id, { name: 'aside' });
  await say(aside);
  expect((await getChannel(owner, guild.channel.id)).lastMessageId).toBe(newest);
});

test('a channel is returned only to users who can view it', async () => {
  const { id } = await createChannel(callOf(app, guild.owner), guild.id, { name: 'hidden' });
  const [ada, bot] = [await createPerson(app), (await createBot(app)).user];
  await expect(getChannel(callOf(app, ada), id)).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
  for (const user of [ada, bot]) {
    await addMember(app, guild.id, user);
    expect((await getChannel(callOf(app, user), id)).channel.id).toBe(id);
  }
  const { id: gone } = await createChannel(callOf(app, guild.owner), guild.id, { name: 'gone' });
  await app.db.writer.channelOverwrite.create({
    data: { channelId: gone, targetId: guild.id, targetType: 0, deny: Permission.ViewChannel },
  });
  await expect(getChannel(callOf(app, ada), gone)).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
  await expect(getChannel(callOf(app, bot), gone)).rejects.toMatchObject({ code: 'MISSING_ACCESS' });
});

test('a channel that is deleted in the meantime is unknown', async () => {
  const owner = callOf(app, guild.owner);
  const { id } = await createChannel(owner, guild.id, { name: 'short-lived' });
  await getChannel(owner, id);
  await app.db.writer.channel.delete({ where: { id } });
  await expect(getChannel(owner, id)).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
});
