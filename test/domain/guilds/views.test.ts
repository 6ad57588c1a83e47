import { expect } from 'vitest';
import type { EventBus } from '../../../src/domain/bus-message.js';
import {
  DatabaseHome,
  type GuildHome,
  permissionsInChannel,
  permissionsInGuild,
} from '../../../src/domain/guilds/index.js';
import { ManualClock } from '../../harness/clock.js';
import { it } from '../../harness/fixtures.js';
import { createPerson, nameMember } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, createChannel, createGuild } from '../../harness/world.js';

let server: TestServer;
const clock = new ManualClock();
it.beforeAll(({ server: shared }) => {
  server = shared;
});

/** A home over a bus on which nothing of other processes is heard until `hear` is called, if ever. */
function deafHome(): { home: GuildHome; hear(): void } {
  const { app } = server;
  let hear: () => void = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  let isComplete = false;
  const bus: EventBus = {
    ...app.bus,
    subscribe: (topic, handler) => ({
      close: app.bus.subscribe(topic, handler).close,
      ready: heard,
      get isComplete() {
        return isComplete;
      },
    }),
  };
  return {
    home: new DatabaseHome(app.db.reader, bus, clock),
    hear() {
      isComplete = true;
      hear();
    },
  };
}

it('reads a guild without waiting until its changes are heard, and again once they are', async () => {
  const { app } = server;
  const { home, hear } = deafHome();
  const guild = await createGuild(app);
  const person = await createPerson(app);
  expect(await home.member(guild.id, person.id)).toBeNull();
  expect((await home.view(guild.id))?.rolePermissions.get(guild.id)).not.toBe(8n);
  await addMember(app, guild.id, person);
  await nameMember(app, guild.id, person, 'heron');
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 8n } });
  hear();
  await Promise.resolve();
  expect((await home.member(guild.id, person.id))?.nick).toBe('heron');
  expect((await home.view(guild.id))?.rolePermissions.get(guild.id)).toBe(8n);
  expect(await statementsOf(() => permissionsInGuild(home, guild.id, person.id, clock.now()))).toEqual([]);
});

it.each(['hears', 'is deaf'])('sees what nobody told of after half a minute, whether it %s', async (_name) => {
  const { app } = server;
  const { home, hear } = deafHome();
  if (_name === 'hears') hear();
  const guild = await createGuild(app);
  const permissions = () => permissionsInChannel(home, guild.id, guild.channel.id, guild.owner.id, clock.now());
  await permissions();
  expect(await permissions()).not.toBeNull();
  await app.db.writer.member.deleteMany({ where: { guildId: guild.id } });
  clock.advance(29_999);
  expect(await permissions()).not.toBeNull();
  clock.advance(1);
  expect(await permissions()).toBeNull();
});

it('hears nothing of what decides no access: a process that only remembers a guild is not told of its messages', async () => {
  const { app } = server;
  const topics: string[] = [];
  const bus: EventBus = {
    ...app.bus,
    subscribe(topic, handler) {
      topics.push(topic);
      return app.bus.subscribe(topic, handler);
    },
  };
  const home = new DatabaseHome(app.db.reader, bus, clock);
  const guild = await createGuild(app);
  expect(await permissionsInChannel(home, guild.id, guild.channel.id, guild.owner.id, clock.now())).not.toBeNull();
  expect(await home.guildOfChannel(guild.channel.id)).toBe(guild.id);
  expect(topics).toEqual([`facts:${guild.id}`]);
});

it('knows for half a minute which guild a channel is of, and reads it again then', async () => {
  const { app } = server;
  const { home } = deafHome();
  const guild = await createGuild(app);
  expect(await home.guildOfChannel(guild.channel.id)).toBe(guild.id);
  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  clock.advance(30_000);
  expect(await home.guildOfChannel(guild.channel.id)).toBe(guild.id);
  clock.advance(1);
  expect(await home.guildOfChannel(guild.channel.id)).toBeUndefined();
});

it('reads anew of which guild a channel is when its guild is told to have changed there', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const home = new DatabaseHome(app.db.reader, app.bus, clock);
  await home.view(guild.id);
  expect(await home.guildOfChannel(guild.channel.id)).toBe(guild.id);
  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect(await home.guildOfChannel(guild.channel.id)).toBeUndefined();
});

it('remembers a channel as a whole until its guild changes, and shows it as no other guild’s', async () => {
  const { app } = server;
  const [guild, other] = [await createGuild(app), await createGuild(app)];
  const home = new DatabaseHome(app.db.reader, app.bus, clock);
  const { id, name } = guild.channel;
  expect(await home.channel(guild.id, id)).toMatchObject({ id, name });
  expect(await statementsOf(() => home.channel(guild.id, id))).toEqual([]);
  expect(await home.channel(other.id, id)).toBeNull();
  await app.db.writer.channel.update({ where: { id }, data: { name: 'renamed' } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect(await home.channel(guild.id, id)).toMatchObject({ name: 'renamed' });
});

it('reads everything anew when the clock is set back', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  let now = clock.now();
  const home = new DatabaseHome(app.db.reader, app.bus, { now: () => now, after: (ms, task) => clock.after(ms, task) });
  expect(await home.view(guild.id)).not.toBeNull();
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 4n } });
  now -= 3_600_000;
  expect((await home.view(guild.id))?.rolePermissions.get(guild.id)).toBe(4n);
});

it('reads after a change of roles or of one channel no other channels', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const quiet = await createChannel(app, guild.id, 'quiet');
  const home = new DatabaseHome(app.db.reader, app.bus, clock);
  const before = await home.view(guild.id);
  const rows = [quiet, guild.channel].map(({ id }) => ({ channelId: id, targetId: guild.id, targetType: 0 }));
  await app.db.writer.channelOverwrite.createMany({ data: rows });

  const role = await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 8n } });
  app.publish({ type: 'GUILD_ROLE_UPDATE', role });
  const after = await home.view(guild.id);
  expect(after?.rolePermissions.get(guild.id)).toBe(8n);
  expect(after?.channels).toEqual(before?.channels);

  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  const channels = (await home.view(guild.id))?.channels;
  expect(channels?.get(guild.channel.id)?.overwrites).toHaveLength(1);
  expect(channels?.get(quiet.id)?.overwrites).toHaveLength(0);
  // A view is not changed once it was made.
  expect(after?.channels.get(guild.channel.id)?.overwrites).toHaveLength(0);

  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect((await home.view(guild.id))?.channels.has(guild.channel.id)).toBe(false);
  expect(await statementsOf(() => home.view(guild.id))).toEqual([]);
});
