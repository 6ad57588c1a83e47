import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import {
  announceGuild,
  botsOfGuild,
  deleteBox,
  forgetChannel,
  guildsOfBox,
  keepGuilds,
  noteChannel,
  noteGuild,
  withdrawGuild,
} from '../../../src/domain/boxes/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { limits } from '../../../src/domain/limits.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { putWebhook } from '../../harness/rows.js';
import { callOf, createBot, createGuild } from '../../harness/world.js';
import { announcedGuild, type EnrolledBox, enrolledBox, guildOn } from './scene.js';

let app: AppContext;
let nobody: CallContext;
let box: EnrolledBox;
let other: EnrolledBox;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  nobody = app.callOfNobody();
  [box, other] = [await enrolledBox(app), await enrolledBox(app)];
});

const ROUTES = { type: 'BOX_ROUTES_UPDATED' };
const updated = () => ({ type: 'BOX_UPDATED', boxId: box.id });

async function channelsOf(guildId: bigint): Promise<bigint[]> {
  const channels = await app.db.reader.boxChannel.findMany({ where: { guildId }, orderBy: { id: 'asc' } });
  return channels.map(({ id }) => id);
}

const eventsOf = async (work: (call: CallContext) => Promise<unknown>) => (await toldBy(nobody, work)).events;

const ids = (count: number) => Array.from({ length: count }, () => box.nextId());

/** Installs an application to a guild on a box, without publishing events. */
async function putInstallation(guildId: bigint, scopes = ['bot']) {
  const bot = await createBot(app);
  const id = app.nextId();
  const data = { id, applicationId: bot.id, context: 'SERVER', guildId, installerId: bot.owner.id, scopes } as const;
  await app.db.writer.installation.create({ data: { ...data, scopes: [...scopes] } });
  return bot;
}

describe('R-32: a guild that a box announces', () => {
  test('is stored with its channels, and a new announcement replaces it', async () => {
    const guild = guildOn(box, { channelIds: ids(3) });
    expect(await eventsOf((call) => announceGuild(call, box.id, guild))).toEqual([updated(), updated(), ROUTES]);
    const { channelIds, ...facts } = guild;
    expect(await guildsOfBox(app.db.reader, box.id)).toEqual([{ ...facts, boxId: box.id }]);
    expect(await channelsOf(guild.id)).toEqual(channelIds);
    expect(await app.boxRoutes.ofGuild(guild.id)).toEqual({ boxId: box.id, guildId: guild.id });

    const next = { ...guild, name: 'Lodge', ownerId: box.nextId(), channelIds: [...channelIds.slice(1), box.nextId()] };
    expect(await eventsOf((call) => announceGuild(call, box.id, next))).toEqual([updated(), updated(), ROUTES]);
    expect(await guildsOfBox(app.db.reader, box.id)).toMatchObject([{ name: 'Lodge', ownerId: next.ownerId }]);
    expect(await channelsOf(guild.id)).toEqual(next.channelIds);
  });

  test('changes nothing and publishes nothing if it is unchanged', async () => {
    const guild = await announcedGuild(app, box, { channelIds: ids(2) });
    const again = { ...guild, channelIds: guild.channelIds.toReversed() };
    expect(await eventsOf((call) => announceGuild(call, box.id, again))).toEqual([]);
  });

  test('is stored with any name, without characters that a database cannot store', async () => {
    const guild = await announcedGuild(app, box, { name: 'a\u0000b\uD800' });
    expect(await guildsOfBox(app.db.reader, box.id)).toMatchObject([{ id: guild.id, name: 'ab\uFFFD' }]);
  });

  test('has at most 500 channels, and a box at most 1,000 guilds', async () => {
    const guild = guildOn(box, { channelIds: ids(limits.channelsPerGuild) });
    expect(await outcome(announceGuild(nobody, box.id, { ...guild, channelIds: ids(501) }))).toBe('LIMIT_EXCEEDED');
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('ok');
    const late = { guildId: guild.id, channelId: box.nextId() };
    expect(await outcome(noteChannel(nobody, box.id, late))).toBe('LIMIT_EXCEEDED');
    const data = ids(limits.guildsPerBox - 1).map((id) => ({ id, boxId: box.id, name: 'many', ownerId: id }));
    await app.db.writer.boxGuild.createMany({ data });
    expect(await outcome(announceGuild(nobody, box.id, guildOn(box)))).toBe('LIMIT_EXCEEDED');
    expect(await outcome(announceGuild(nobody, box.id, { ...guild, name: 'Lodge' }))).toBe('ok');
  });

  test('of a deleted box is refused', async () => {
    const guild = guildOn(box);
    await deleteBox(callOf(app, box.owner), box.id);
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('UNKNOWN_BOX');
  });
});

describe('R-33: an announcement is refused as a whole if it names', () => {
  test.each([
    ['a guild of another id space', () => guildOn(box, { id: other.nextId() })],
    ['a guild with an id of the cloud', () => guildOn(box, { id: app.nextId() })],
    ['a channel of another id space', () => guildOn(box, { channelIds: [box.nextId(), other.nextId()] })],
    ['an owner of another id space', () => guildOn(box, { ownerId: other.nextId() })],
  ])('%s', async (_what, make) => {
    const guild = make();
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('CONFLICT');
    expect(await guildsOfBox(app.db.reader, box.id)).toEqual([]);
    expect(await channelsOf(guild.id)).toEqual([]);
  });

  test("another guild's channel", async () => {
    const guild = await announcedGuild(app, box);
    expect(await outcome(announceGuild(nobody, box.id, guildOn(box, { channelIds: guild.channelIds })))).toBe(
      'CONFLICT',
    );
    expect(await guildsOfBox(app.db.reader, box.id)).toHaveLength(1);
  });

  test('a guild or channel that exists in the cloud', async () => {
    const cloud = await createGuild(app);
    const [guildId, channelId] = ids(2);
    const guild = guildOn(box, { id: guildId ?? 0n, channelIds: [channelId ?? 0n] });
    await app.db.writer.channel.create({ data: { id: channelId ?? 0n, guildId: cloud.id, name: 'x' } });
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('CONFLICT');
    await app.db.writer.channel.deleteMany({ where: { id: channelId ?? 0n } });
    await app.db.writer.guild.create({ data: { id: guildId ?? 0n, name: 'x', ownerId: cloud.owner.id } });
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('CONFLICT');
    expect(await outcome(noteChannel(nobody, box.id, { guildId: guild.id, channelId: app.nextId() }))).toBe('CONFLICT');
  });

  test("another box's guild", async () => {
    const guild = await announcedGuild(app, box);
    await app.db.writer.boxGuild.update({ where: { id: guild.id }, data: { boxId: other.id } });
    expect(await outcome(announceGuild(nobody, box.id, guild))).toBe('CONFLICT');
    await withdrawGuild(nobody, box.id, guild.id);
    await noteGuild(nobody, box.id, { id: guild.id, name: 'Mine', iconHash: null });
    await forgetChannel(nobody, box.id, { guildId: guild.id, channelId: guild.channelIds[0] ?? 0n });
    expect(await guildsOfBox(app.db.reader, other.id)).toMatchObject([{ id: guild.id, name: 'Home' }]);
    expect(await channelsOf(guild.id)).toEqual(guild.channelIds);
    const late = { guildId: guild.id, channelId: box.nextId() };
    expect(await outcome(noteChannel(nobody, box.id, late))).toBe('UNKNOWN_GUILD');
  });
});

describe('dispatches update the index of an announced guild', () => {
  test('with its name and icon', async () => {
    const { id } = await announcedGuild(app, box);
    const facts = { id, name: 'Lodge', iconHash: 'icon' };
    expect(await eventsOf((call) => noteGuild(call, box.id, facts))).toEqual([updated()]);
    expect(await eventsOf((call) => noteGuild(call, box.id, facts))).toEqual([]);
    expect(await guildsOfBox(app.db.reader, box.id)).toMatchObject([facts]);
  });

  test('with a created and a deleted channel', async () => {
    const { id: guildId, channelIds } = await announcedGuild(app, box);
    const key = { guildId, channelId: box.nextId() };
    expect(await eventsOf((call) => noteChannel(call, box.id, key))).toEqual([ROUTES, updated()]);
    expect(await eventsOf((call) => noteChannel(call, box.id, key))).toEqual([]);
    expect(await channelsOf(guildId)).toEqual([...channelIds, key.channelId]);
    expect(await eventsOf((call) => forgetChannel(call, box.id, key))).toEqual([ROUTES, updated()]);
    expect(await eventsOf((call) => forgetChannel(call, box.id, key))).toEqual([]);
    expect(await channelsOf(guildId)).toEqual(channelIds);
  });

  test('and publish an event to applications whose webhooks lost their channel', async () => {
    const { id: guildId, channelIds } = await announcedGuild(app, box);
    const bot = await putInstallation(guildId);
    const [channelId = 0n] = channelIds;
    await putWebhook(app, { bot, guild: await createGuild(app) }, { guildId, channelId });
    expect(await eventsOf((call) => forgetChannel(call, box.id, { guildId, channelId }))).toContainEqual({
      type: 'APPLICATION_WEBHOOKS_UPDATED',
      applicationId: bot.id,
    });
  });
});

describe('a guild that is gone', () => {
  test('is withdrawn with its channels, installations and webhooks, and events are published to its bots', async () => {
    const guild = await announcedGuild(app, box, { channelIds: ids(2) });
    const bot = await putInstallation(guild.id);
    const [channelId = 0n] = guild.channelIds;
    const { webhook } = await putWebhook(app, { bot, guild: await createGuild(app) }, { guildId: guild.id, channelId });
    const told = await toldBy(nobody, (call) => withdrawGuild(call, box.id, guild.id));
    expect(told.locking).toEqual([true]);
    expect(told.entries.map(({ action }) => action)).toEqual(['APPLICATION_WEBHOOK_DELETE', 'INSTALLATION_DELETE']);
    expect(told.events).toEqual([
      ROUTES,
      { type: 'WEBHOOKS_UPDATE', applicationId: bot.id, guildId: guild.id, channelId },
      { type: 'APPLICATION_WEBHOOKS_UPDATED', applicationId: bot.id },
      { type: 'COMMAND_ACCESS_UPDATED', applicationId: bot.id },
      { type: 'GUILD_DELETE', guildId: guild.id, unavailable: false },
      { type: 'GUILD_LEFT', guildId: guild.id, userId: bot.id },
      updated(),
    ]);
    expect(await app.db.reader.job.count({ where: { kind: 'settle-box-bot' } })).toBe(0);
    expect(await app.db.reader.installation.count({ where: { guildId: guild.id } })).toBe(0);
    expect(await app.db.reader.webhook.findUnique({ where: { id: webhook.id } })).toMatchObject({ tokenHash: '' });
    expect(await channelsOf(guild.id)).toEqual([]);
    expect(await app.boxRoutes.ofGuild(guild.id)).toBeNull();
    expect(await eventsOf((call) => withdrawGuild(call, box.id, guild.id))).toEqual([]);
  });

  test('has no route when GUILD_DELETE is published, also if it had webhooks', async () => {
    const { id: guildId, channelIds } = await announcedGuild(app, box);
    const bot = await putInstallation(guildId);
    await putWebhook(app, { bot, guild: await createGuild(app) }, { guildId, channelId: channelIds[0] ?? 0n });
    expect(await app.boxRoutes.ofGuild(guildId)).toMatchObject({ boxId: box.id });
    const routes: Promise<unknown>[] = [];
    const hearing = app.bus.subscribe(topics.guild(guildId), ({ type }) => {
      if (type === 'GUILD_DELETE') routes.push(app.boxRoutes.ofGuild(guildId));
    });
    await withdrawGuild(nobody, box.id, guildId);
    hearing.close();
    expect(await Promise.all(routes)).toEqual([null]);
  });

  test('is withdrawn if its box no longer lists it, in a transaction of its own, and those of other boxes stay', async () => {
    const guilds = await Promise.all(Array.from({ length: 25 }, () => announcedGuild(app, box)));
    const [kept] = guilds;
    const stranger = await announcedGuild(app, other);
    const told = await toldBy(nobody, (call) => keepGuilds(call, box.id, [kept?.id ?? 0n, stranger.id]));
    expect(told.locking).toHaveLength(24);
    expect((await guildsOfBox(app.db.reader, box.id)).map(({ id }) => id)).toEqual([kept?.id]);
    expect(await guildsOfBox(app.db.reader, other.id)).toHaveLength(1);
    await keepGuilds(nobody, box.id, []);
    expect(await guildsOfBox(app.db.reader, box.id)).toEqual([]);
  });

  test('stays for 7 days if its box has a new key', async () => {
    const guild = await announcedGuild(app, box);
    const since = (days: number) => new Date(app.clock.now() - days * 86_400_000);
    const rekeyed = (rekeyedAt: Date | null) =>
      app.db.writer.box.update({ where: { id: box.id }, data: { rekeyedAt } });
    await rekeyed(since(6.99));
    await keepGuilds(nobody, box.id, []);
    expect((await guildsOfBox(app.db.reader, box.id)).map(({ id }) => id)).toEqual([guild.id]);
    await rekeyed(since(7));
    await keepGuilds(nobody, box.id, []);
    expect(await guildsOfBox(app.db.reader, box.id)).toEqual([]);
    await rekeyed(null);
  });

  test('is withdrawn with its box', async () => {
    const guild = await announcedGuild(app, box);
    await app.db.writer.box.update({ where: { id: box.id }, data: { rekeyedAt: new Date(app.clock.now()) } });
    await putInstallation(guild.id);
    const { events } = await toldBy(callOf(app, box.owner), (call) => deleteBox(call, box.id));
    expect(events).toContainEqual({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: false });
    expect(await app.db.reader.installation.count({ where: { guildId: guild.id } })).toBe(0);
  });

  test('and announced at once exists either as a whole or not at all', async () => {
    for (let round = 0; round < 4; round += 1) {
      const guild = await announcedGuild(app, box, { channelIds: ids(3) });
      const next = { ...guild, channelIds: ids(3) };
      await Promise.all([announceGuild(nobody, box.id, next), withdrawGuild(nobody, box.id, guild.id)]);
      const isThere = (await guildsOfBox(app.db.reader, box.id)).some(({ id }) => id === guild.id);
      expect(await channelsOf(guild.id)).toEqual(isThere ? next.channelIds : []);
    }
  });
});

test('the bots of a guild are the installations with the bot scope', async () => {
  const { id } = await announcedGuild(app, box);
  const [first, second] = [await putInstallation(id), await putInstallation(id, ['bot', 'applications.commands'])];
  await putInstallation(id, ['applications.commands']);
  expect(await botsOfGuild(app.db.reader, id)).toEqual([first.id, second.id]);
});
