import { beforeEach, describe, expect } from 'vitest';
import { listAuditEntries } from '../../src/domain/audit-log/index.js';
import { deleteGuild } from '../../src/domain/guilds/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createWebhook } from '../../src/domain/webhooks/index.js';
import { test } from '../harness/fixtures.js';
import { GatewayClient } from '../harness/gateway-client.js';
import type { Loose } from '../harness/graphql.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { openWebhook, RestWebhook } from '../harness/webhooks.js';
import { callOf, createChannel } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.ViewChannel | Permission.ManageGuild | Permission.ViewAuditLog);
});

const owner = () => callOf(server.app, scene.guild.owner);
const because = (reason: string) => ({ headers: { 'x-audit-log-reason': encodeURIComponent(reason) } });

async function log(query = ''): Promise<Loose> {
  const { body } = await scene.bot.get(`/guilds/${scene.guildId}/audit-logs?limit=100${query}`);
  expectReference('GuildAuditLogResponse', body);
  return body;
}

const entriesOf = async (): Promise<Loose[]> =>
  (await log()).audit_log_entries
    .filter(({ action_type: type }: Loose) => [50, 51, 52].includes(type))
    .toReversed()
    .map(({ id: _id, ...entry }: Loose) => entry);

async function ofApplication(): Promise<Loose[]> {
  const page = { take: 100, backwards: false };
  const entries = await listAuditEntries(owner(), { applicationId: scene.bot.bot.id }, page);
  return entries
    .filter(({ action }) => action.startsWith('APPLICATION_WEBHOOK_'))
    .map(({ action, actorId, targetId, changes }) => ({
      action,
      actorId: String(actorId),
      targetId: String(targetId),
      changes,
    }));
}

const made = (name: string, channelId = scene.channelId) => [
  { key: 'type', new_value: 1 },
  { key: 'channel_id', new_value: channelId },
  { key: 'name', new_value: name },
  { key: 'application_id', new_value: scene.bot.id },
];
const removed = (name: string, channelId: string) =>
  made(name, channelId).map(({ key, new_value }) => ({ key, old_value: new_value }));

describe('a webhook change', () => {
  test("is in the guild's log (50, 51, 52) with actor, reason and changes", async () => {
    const there = String((await createChannel(server.app, scene.guild.id, 'there')).id);
    const path = `/channels/${scene.channelId}/webhooks`;
    const { body } = await scene.bot.ask('POST', path, { json: { name: 'Herald' }, ...because('news für alle') });
    const hook = new RestWebhook(server, { id: BigInt(body.id) }, body.token);
    const json = { name: 'Crier', channel_id: there };
    await scene.bot.ask('PATCH', `/webhooks/${hook.id}`, { json, ...because('moving') });
    await scene.bot.ask('PATCH', `/webhooks/${hook.id}`, { json, ...because('nothing new') });
    await hook.ask('PATCH', '', { json: { name: 'Herald' }, ...because('by its token') });
    const { webhooks } = await log();
    expect(webhooks).toMatchObject([{ id: hook.id, name: 'Herald', channel_id: there, user: { id: scene.bot.id } }]);
    expect(JSON.stringify(await log())).not.toContain('WH.');
    const seenByOther = (await scene.other.get(`/guilds/${scene.guildId}/audit-logs`)).body;
    expect(seenByOther).toMatchObject({ audit_log_entries: (await log()).audit_log_entries, webhooks: [] });
    await hook.post({ content: 'no entry' });
    await hook.ask('DELETE', '', because('done with'));
    const bot = { target_id: hook.id, user_id: scene.bot.id };
    expect(await entriesOf()).toEqual([
      { ...bot, action_type: 50, reason: 'news für alle', changes: made('Herald') },
      {
        ...bot,
        action_type: 51,
        reason: 'moving',
        changes: [
          { key: 'name', old_value: 'Herald', new_value: 'Crier' },
          { key: 'channel_id', old_value: scene.channelId, new_value: there },
        ],
      },
      {
        ...bot,
        action_type: 51,
        reason: 'by its token',
        changes: [{ key: 'name', old_value: 'Crier', new_value: 'Herald' }],
      },
      { ...bot, action_type: 52, reason: 'done with', changes: removed('Herald', there) },
    ]);
    expect((await log()).webhooks).toEqual([]);
    expect((await log('&action_type=52')).audit_log_entries).toHaveLength(1);
  });

  test("is in the application's log with action and actor", async () => {
    const { webhook } = await createWebhook(owner(), {
      applicationId: scene.bot.bot.id,
      channelId: scene.guild.channel.id,
      name: 'Herald',
    });
    await scene.bot.patch(`/webhooks/${webhook.id}`, { name: 'Crier' });
    await scene.bot.delete(`/webhooks/${webhook.id}`);
    const facts = { channelId: scene.channelId, applicationId: scene.bot.id };
    const targetId = String(webhook.id);
    expect(await ofApplication()).toEqual([
      {
        action: 'APPLICATION_WEBHOOK_CREATE',
        actorId: String(scene.guild.owner.id),
        targetId,
        changes: { ...facts, name: 'Herald' },
      },
      {
        action: 'APPLICATION_WEBHOOK_UPDATE',
        actorId: scene.bot.id,
        targetId,
        changes: { name: { old: 'Herald', new: 'Crier' } },
      },
      {
        action: 'APPLICATION_WEBHOOK_DELETE',
        actorId: scene.bot.id,
        targetId,
        changes: { ...facts, name: 'Crier' },
      },
    ]);
  });

  test('is in no log if it is refused or changes nothing', async () => {
    const hook = await openWebhook(scene);
    await scene.bot.patch(`/webhooks/${hook.id}`, { name: 'hook', channel_id: scene.channelId });
    await hook.patch('', { channel_id: '1' });
    await scene.other.delete(`/webhooks/${hook.id}`);
    await scene.bot.post(`/channels/${scene.channelId}/webhooks`, { name: '' });
    const tooLong = { json: { name: 'Crier' }, ...because('x'.repeat(513)) };
    expect((await scene.bot.ask('PATCH', `/webhooks/${hook.id}`, tooLong)).status).toBe(400);
    expect(await entriesOf()).toEqual([]);
    expect(await ofApplication()).toEqual([]);
  });

  test("is in the application's log alone if the guild is deleted", async () => {
    const hook = await openWebhook(scene);
    await deleteGuild(owner(), scene.guild.id);
    await scene.bot.patch(`/webhooks/${hook.id}`, { name: 'Crier' });
    await scene.bot.delete(`/webhooks/${hook.id}`);
    expect((await ofApplication()).map(({ action }) => action)).toEqual([
      'APPLICATION_WEBHOOK_UPDATE',
      'APPLICATION_WEBHOOK_DELETE',
    ]);
    const where = { guildId: scene.guild.id, action: { startsWith: 'WEBHOOK_' } };
    expect(await server.app.db.reader.auditEntry.count({ where })).toBe(0);
  });

  test('is published as GUILD_AUDIT_LOG_ENTRY_CREATE', async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(scene.other.bot.token);
    const hook = await openWebhook(scene);
    await scene.bot.ask('DELETE', `/webhooks/${hook.id}`, because('done with'));
    const { d } = await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE');
    const entry = { action_type: 52, target_id: hook.id, user_id: scene.bot.id, reason: 'done with' };
    expect(d).toMatchObject({ ...entry, guild_id: scene.guildId, changes: removed('hook', scene.channelId) });
    await client.close();
  });
});
