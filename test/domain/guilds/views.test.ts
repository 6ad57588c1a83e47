import { expect } from 'vitest';
import type { EventBus } from '../../../src/domain/bus-message.js';
import {
  DatabaseGuildStore,
  type GuildStore,
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

/** A store on a bus that delivers nothing from other processes until `hear` is called. */
function deafHome(): { store: GuildStore; hear(): void } {
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
    store: new DatabaseGuildStore(app.db.reader, bus, clock),
    hear() {
      isComplete = true;
      hear();
    },
  };
}

it('a guild is read before its subscription is ready, and again afterwards', async () => {
  const { app } = server;
  const { store, hear } = deafHome();
  const guild = await createGuild(app);
  const person = await createPerson(app);
  expect(await store.member(guild.id, person.id)).toBeNull();
  expect((await store.view(guild.id))?.rolePermissions.get(guild.id)).not.toBe(8n);
  await addMember(app, guild.id, person);
  await nameMember(app, guild.id, person, 'heron');
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 8n } });
  hear();
  await Promise.resolve();
  expect((await store.member(guild.id, person.id))?.nick).toBe('heron');
  expect((await store.view(guild.id))?.rolePermissions.get(guild.id)).toBe(8n);
  expect(await statementsOf(() => permissionsInGuild(store, guild.id, person.id, clock.now()))).toEqual([]);
});

it.each(['hears', 'is deaf'])('an unpublished change is seen after half a minute if the store %s', async (_name) => {
  const { app } = server;
  const { store, hear } = deafHome();
  if (_name === 'hears') hear();
  const guild = await createGuild(app);
  const permissions = () => permissionsInChannel(store, guild.id, guild.channel.id, guild.owner.id, clock.now());
  await permissions();
  expect(await permissions()).not.toBeNull();
  await app.db.writer.member.deleteMany({ where: { guildId: guild.id } });
  clock.advance(29_999);
  expect(await permissions()).not.toBeNull();
  clock.advance(1);
  expect(await permissions()).toBeNull();
});

it('the store subscribes to permission changes only, not to messages of a guild', async () => {
  const { app } = server;
  const topics: (string | boolean | undefined)[] = [];
  const bus: Pick<EventBus, 'subscribe'> = {
    subscribe(topic, handler, options) {
      topics.push(topic, options?.accessOnly);
      return app.bus.subscribe(topic, handler, options);
    },
  };
  const store = new DatabaseGuildStore(app.db.reader, bus, clock);
  const guild = await createGuild(app);
  expect(await permissionsInChannel(store, guild.id, guild.channel.id, guild.owner.id, clock.now())).not.toBeNull();
  expect(await store.guildOfChannel(guild.channel.id)).toBe(guild.id);
  expect(topics).toEqual([`guild:${guild.id}`, true]);
});

it('the guild of a channel is cached for half a minute, and then read again', async () => {
  const { app } = server;
  const { store } = deafHome();
  const guild = await createGuild(app);
  expect(await store.guildOfChannel(guild.channel.id)).toBe(guild.id);
  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  clock.advance(30_000);
  expect(await store.guildOfChannel(guild.channel.id)).toBe(guild.id);
  clock.advance(1);
  expect(await store.guildOfChannel(guild.channel.id)).toBeUndefined();
});

it('the guild of a channel is read again after an event of that guild', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const store = new DatabaseGuildStore(app.db.reader, app.bus, clock);
  await store.view(guild.id);
  expect(await store.guildOfChannel(guild.channel.id)).toBe(guild.id);
  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect(await store.guildOfChannel(guild.channel.id)).toBeUndefined();
});

it('a channel is cached until its guild changes, and is returned for no other guild', async () => {
  const { app } = server;
  const [guild, other] = [await createGuild(app), await createGuild(app)];
  const store = new DatabaseGuildStore(app.db.reader, app.bus, clock);
  const { id, name } = guild.channel;
  expect(await store.channel(guild.id, id)).toMatchObject({ id, name });
  expect(await statementsOf(() => store.channel(guild.id, id))).toEqual([]);
  expect(await store.channel(other.id, id)).toBeNull();
  await app.db.writer.channel.update({ where: { id }, data: { name: 'renamed' } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect(await store.channel(guild.id, id)).toMatchObject({ name: 'renamed' });
});

it('everything is read again if the clock is set back', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  let now = clock.now();
  const store = new DatabaseGuildStore(app.db.reader, app.bus, {
    now: () => now,
    after: (ms, task) => clock.after(ms, task),
  });
  expect(await store.view(guild.id)).not.toBeNull();
  await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 4n } });
  now -= 3_600_000;
  expect((await store.view(guild.id))?.rolePermissions.get(guild.id)).toBe(4n);
});

it('other channels are not read again after a change of roles or of one channel', async () => {
  const { app } = server;
  const guild = await createGuild(app);
  const quiet = await createChannel(app, guild.id, 'quiet');
  const store = new DatabaseGuildStore(app.db.reader, app.bus, clock);
  const before = await store.view(guild.id);
  const rows = [quiet, guild.channel].map(({ id }) => ({ channelId: id, targetId: guild.id, targetType: 0 }));
  await app.db.writer.channelOverwrite.createMany({ data: rows });

  const role = await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions: 8n } });
  app.publish({ type: 'GUILD_ROLE_UPDATE', role });
  const after = await store.view(guild.id);
  expect(after?.rolePermissions.get(guild.id)).toBe(8n);
  expect(after?.channels).toEqual(before?.channels);

  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  const channels = (await store.view(guild.id))?.channels;
  expect(channels?.get(guild.channel.id)?.overwrites).toHaveLength(1);
  expect(channels?.get(quiet.id)?.overwrites).toHaveLength(0);
  // A view is immutable.
  expect(after?.channels.get(guild.channel.id)?.overwrites).toHaveLength(0);

  await app.db.writer.channel.delete({ where: { id: guild.channel.id } });
  app.publish({ type: 'CHANNEL_CREATE', channel: guild.channel });
  expect((await store.view(guild.id))?.channels.has(guild.channel.id)).toBe(false);
  expect(await statementsOf(() => store.view(guild.id))).toEqual([]);
});
