import { once } from 'node:events';
import { request } from 'node:http';
import { beforeEach, describe, expect } from 'vitest';
import { deleteApplication, resetBotToken, transferApplication } from '../../../src/domain/applications/index.js';
import { banMember } from '../../../src/domain/bans/index.js';
import { deleteChannel } from '../../../src/domain/channels/index.js';
import { removeGuild } from '../../../src/domain/guilds/delete.js';
import { deleteGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { uninstallApplication } from '../../../src/domain/installations/index.js';
import { kickMember } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createTeam } from '../../../src/domain/teams/index.js';
import { updateWebhook } from '../../../src/domain/webhooks/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { openScene, RestBot, type Scene } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { openWebhook, type RestWebhook } from '../../harness/webhooks.js';
import { addMember, callOf, createChannel, createGuild } from '../../harness/world.js';

let server: TestServer;
let scene: Scene;
let hook: RestWebhook;
let elsewhere: RestWebhook;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.ViewChannel | Permission.ReadMessageHistory);
  hook = await openWebhook(scene);
  const other = await createGuild(server.app);
  await addMember(server.app, other.id, scene.bot.bot.user);
  elsewhere = await openWebhook(scene, { guildId: other.id, channelId: other.channel.id });
});

const owner = () => callOf(server.app, scene.guild.owner);
const rowOf = ({ id }: RestWebhook) => server.app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(id) } });
const statusOf = async (webhook: RestWebhook) => (await webhook.post({ content: 'hello' })).status;

async function installationId(): Promise<bigint> {
  const where = { applicationId: scene.bot.bot.id, guildId: scene.guild.id };
  return (await server.app.db.reader.installation.findFirstOrThrow({ where })).id;
}

const REMOVALS: [what: string, remove: () => Promise<unknown>][] = [
  ['is uninstalled', async () => uninstallApplication(owner(), await installationId())],
  ['is kicked', () => kickMember(owner(), { guildId: scene.guild.id, userId: scene.bot.bot.id })],
  ['is banned', () => banMember(owner(), { guildId: scene.guild.id, userId: scene.bot.bot.id })],
  ['leaves', () => leaveGuild(callOf(server.app, scene.bot.bot.user), scene.guild.id)],
];

describe('an application that is removed from a server', () => {
  test.each(REMOVALS)('has only its webhooks there deleted if it %s', async (_what, remove) => {
    const ofOther = await openWebhook(scene, {}, scene.other);
    const { body: posted } = await hook.post({ content: 'stays' });
    const { events, close } = hearGuild(server, scene.guild.id);
    await remove();
    close();
    const told = events.filter(({ type }) => type === 'WEBHOOKS_UPDATE').map(({ data }) => JSON.parse(data));
    expect(told).toEqual([{ guild_id: scene.guildId, channel_id: scene.channelId }]);
    expect([await statusOf(hook), await statusOf(elsewhere), await statusOf(ofOther)]).toEqual([404, 200, 200]);
    expect(await rowOf(hook)).toMatchObject({ deletedAt: expect.any(Date), tokenHash: '', name: 'hook' });
    const message = await scene.other.get(`${scene.messages}/${posted.id}`);
    expect(message).toMatchObject({ status: 200, body: { content: 'stays', webhook_id: hook.id } });
  });
});

test('deleting an application deletes all its webhooks', async () => {
  const { id, user } = scene.bot.bot;
  await deleteApplication(owner(), { applicationId: id, name: user.username });
  for (const webhook of [hook, elsewhere]) {
    expect(await webhook.get()).toMatchObject({ status: 404, body: { code: 10015 } });
    expect((await rowOf(webhook)).deletedAt).toEqual(expect.any(Date));
  }
});

test('channel deleted: the record stays, active but unusable', async () => {
  const there = await createChannel(server.app, scene.guild.id, 'there');
  const unusable = await openWebhook(scene, { channelId: there.id });
  await deleteChannel(owner(), there.id);
  expect(await unusable.post({ content: 'lost' })).toMatchObject({ status: 404, body: { code: 10003 } });
  expect(await rowOf(unusable)).toMatchObject({ deletedAt: null, channelId: there.id });
  expect((await scene.bot.get(`/webhooks/${unusable.id}`)).status).toBe(200);
  expect(await statusOf(hook)).toBe(200);
});

test('server deleted: the record stays, and counts until it is deleted', async () => {
  const ofStranger = await openWebhook(scene, {}, scene.stranger);
  const { id: guildId } = scene.guild;
  await deleteGuild(owner(), guildId);
  const { db, blobs, callOfNobody } = server.app;
  const { signal } = new AbortController();
  await removeGuild({ db, blobs, call: callOfNobody(), signal }, guildId, [scene.guild.channel.id]);
  expect([await statusOf(hook), await statusOf(ofStranger)]).toEqual([404, 404]);
  expect((await rowOf(ofStranger)).deletedAt).toBeNull();
  expect((await rowOf(hook)).deletedAt).toBeNull();
  expect((await scene.bot.delete(`/webhooks/${hook.id}`)).status).toBe(204);
  expect(await statusOf(elsewhere)).toBe(200);
});

test('transfer to a team: webhook tokens stay valid', async () => {
  const { id, user } = scene.bot.bot;
  const team = await createTeam(owner(), { name: 'Builders' });
  await transferApplication(owner(), { applicationId: id, teamId: team.id, appName: user.username });
  const { status, body } = await hook.post({ content: 'hello' });
  expect({ status, author: body.author.id }).toEqual({ status: 200, author: scene.bot.id });
});

test('a reset of the bot token keeps webhook tokens valid, and invalidates the old bot token', async () => {
  const { botToken } = await resetBotToken(owner(), scene.bot.bot.id);
  expect(await statusOf(hook)).toBe(200);
  const path = `/webhooks/${hook.id}`;
  expect((await scene.bot.get(path)).status).toBe(401);
  expect((await new RestBot(server, { ...scene.bot.bot, token: botToken }).get(path)).status).toBe(200);
});

test('an application can have webhooks in a server where it is not installed', async () => {
  expect(await statusOf(await openWebhook(scene, {}, scene.stranger))).toBe(200);
});

describe('a body that arrives long after its headers', () => {
  /** Posts in two parts, the second one after the token is validated. */
  async function begin(webhook: RestWebhook): Promise<() => Promise<number>> {
    const { bodies } = server.app;
    const { hold } = bodies;
    const body = JSON.stringify({ content: 'late' });
    const admitted = new Promise<void>((resolve) => {
      bodies.hold = (sender) => {
        bodies.hold = hold;
        resolve();
        return hold.call(bodies, sender);
      };
    });
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const url = `${server.origin}/api/webhooks/${webhook.id}/${webhook.token}`;
    const sent = request(url, { method: 'POST', headers });
    const answered = once(sent, 'response');
    sent.write(body.slice(0, 5));
    await admitted;
    return async () => {
      sent.end(body.slice(5));
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    };
  }

  const textIn = async (channelId: bigint) =>
    (await server.app.db.reader.message.findMany({ where: { channelId } })).map(({ content }) => content);

  test('is not posted if the webhook was deleted, or its application removed, in the meantime', async () => {
    const finish = await begin(hook);
    expect((await hook.delete()).status).toBe(204);
    expect(await finish()).toBe(404);
    const other = await openWebhook(scene);
    const finishOther = await begin(other);
    await kickMember(owner(), { guildId: scene.guild.id, userId: scene.bot.bot.id });
    expect(await finishOther()).toBe(404);
    expect(await textIn(scene.guild.channel.id)).not.toContain('late');
  });

  test('is posted to the channel that the webhook was moved to in the meantime', async () => {
    const there = await createChannel(server.app, scene.guild.id, 'there');
    const finish = await begin(hook);
    await updateWebhook(owner(), BigInt(hook.id), { channelId: there.id });
    expect(await finish()).toBe(200);
    expect(await textIn(there.id)).toEqual(['late']);
  });
});

test('a bot that is removed while its webhook is created has none', async () => {
  await scene.permit(Permission.ViewChannel | Permission.ManageGuild);
  const { slowHashes } = server.app;
  const { hash } = slowHashes;
  slowHashes.hash = async (secret) => {
    await banMember(owner(), { guildId: scene.guild.id, userId: scene.bot.bot.id });
    return hash.call(slowHashes, secret);
  };
  try {
    const made = await scene.bot.post(`/channels/${scene.channelId}/webhooks`, { name: 'left behind' });
    expect(made).toMatchObject({ status: 403, body: { code: 50013 } });
  } finally {
    slowHashes.hash = hash;
  }
  const where = { guildId: scene.guild.id, deletedAt: null };
  expect(await server.app.db.reader.webhook.count({ where })).toBe(0);
});
