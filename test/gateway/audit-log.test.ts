import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../src/context.js';
import type { CallContext } from '../../src/domain/call.js';
import { createChannel } from '../../src/domain/channels/index.js';
import { createInvite, deleteInvite } from '../../src/domain/invites/index.js';
import { setMemberRoles } from '../../src/domain/members/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole, setRolePositions } from '../../src/domain/roles/index.js';
import { it } from '../harness/fixtures.js';
import { type Frame, GatewayClient } from '../harness/gateway-client.js';
import { createApplication, createGuild, install, signUp, uninstall } from '../harness/people.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
let owner: CallContext;
let watchers: bigint;
const clients: GatewayClient[] = [];

it.beforeAll(({ server: shared }) => {
  server = shared;
});

beforeEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  scene = await openScene(server);
  const actor = { kind: 'person', user: scene.guild.owner } as const;
  owner = callContext(server.app, actor, { auditReason: 'tidying up' });
  const permissions = Permission.ViewAuditLog;
  watchers = (await createRole(owner, scene.guild.id, { name: 'Watchers', permissions })).id;
  await setMemberRoles(owner, { guildId: scene.guild.id, userId: scene.bot.bot.id, roleIds: [watchers] });
});

const WITH_MODERATION = Intent.Guilds | Intent.GuildModeration;

async function session({ bot }: { bot: { token: string } }, intents: number): Promise<GatewayClient> {
  const client = await GatewayClient.open(server.origin);
  clients.push(client);
  await client.ready(bot.token, { intents });
  return client;
}

async function entriesUntil(client: GatewayClient, end: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const frame = await client.next();
    if (frame.t === 'GUILD_AUDIT_LOG_ENTRY_CREATE') frames.push(frame);
    if (frame.t === 'CHANNEL_CREATE' && frame.d.name === end) return frames;
  }
}

const guildId = () => scene.guild.id;

/** The cause of an entry, and the fields of the event apart from ids. */
const CAUSES: [what: string, cause: () => Promise<unknown>, shown: object][] = [
  [
    'a channel',
    () => createChannel(owner, guildId(), { name: 'news', type: 5 }),
    { action_type: 10, changes: expect.arrayContaining([{ key: 'name', new_value: 'news' }]) },
  ],
  [
    'a role',
    () => createRole(owner, guildId(), { name: 'Helpers', permissions: 0n }),
    { action_type: 30, changes: expect.arrayContaining([{ key: 'name', new_value: 'Helpers' }]) },
  ],
  [
    "a member's roles",
    () => setMemberRoles(owner, { guildId: guildId(), userId: scene.other.bot.id, roleIds: [watchers] }),
    { action_type: 25, changes: [{ key: '$add', new_value: [{ id: expect.any(String), name: 'Watchers' }] }] },
  ],
  [
    'an invite',
    () => createInvite(owner, BigInt(scene.channelId), { maxUses: 3 }),
    { action_type: 40, target_id: null, changes: expect.arrayContaining([{ key: 'max_uses', new_value: 3 }]) },
  ],
];

describe('GUILD_AUDIT_LOG_ENTRY_CREATE', () => {
  it.each(CAUSES)('is sent for %s', async (_, cause, shown) => {
    const client = await session(scene.bot, WITH_MODERATION);
    await cause();
    const { d } = await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(d).toMatchObject({
      ...shown,
      id: expect.any(String),
      guild_id: scene.guildId,
      user_id: String(scene.guild.owner.id),
      reason: 'tidying up',
    });
  });

  it('of a deleted invite has all fields of that invite', async () => {
    const { code } = await createInvite(owner, BigInt(scene.channelId), { maxAge: 60, maxUses: 3 });
    const client = await session(scene.bot, WITH_MODERATION);
    await deleteInvite(owner, code);
    const { d } = await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(d).toMatchObject({ action_type: 42, target_id: null });
    const values = d.changes.map(({ key, old_value: value }: { key: string; old_value: unknown }) => [key, value]);
    expect(Object.fromEntries(values)).toEqual({
      code,
      channel_id: scene.channelId,
      inviter_id: String(scene.guild.owner.id),
      max_uses: 3,
      uses: 0,
      max_age: 60,
      temporary: false,
    });
  });

  it('of a message that another user deleted has the reason from X-Audit-Log-Reason', async () => {
    await scene.permit(Permission.ViewChannel | Permission.SendMessages | Permission.ManageMessages);
    const client = await session(scene.bot, WITH_MODERATION);
    const sent = await scene.send();
    const headers = { 'x-audit-log-reason': encodeURIComponent('Spam 🙄') };
    expect((await scene.other.ask('DELETE', `${scene.messages}/${sent.id}`, { headers })).status).toBe(204);
    expect((await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE')).d).toEqual({
      id: expect.any(String),
      guild_id: scene.guildId,
      user_id: scene.other.id,
      target_id: scene.bot.id,
      action_type: 72,
      options: { channel_id: scene.channelId, count: '1' },
      reason: 'Spam 🙄',
    });
  });

  it('is sent for a bot that was added', async () => {
    const ada = await signUp(server, 'ada');
    const guild = await createGuild(ada);
    const [watching, added] = await Promise.all([createApplication(ada, 'watching'), createApplication(ada, 'added')]);
    await install(ada, watching, guild, { permissions: String(Permission.ViewAuditLog) });
    const client = await session({ bot: { token: watching.botToken } }, WITH_MODERATION);
    await install(ada, added, guild);
    const { d } = await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(d).toMatchObject({ action_type: 28, target_id: added.id, user_id: ada.id, guild_id: guild.id });
    expect(d).not.toHaveProperty('reason');
  });

  it('is sent for an application that was installed and removed, and for its bot', async () => {
    const ada = await signUp(server, 'ada2');
    const guild = await createGuild(ada);
    const [watching, other] = await Promise.all([createApplication(ada, 'watching'), createApplication(ada, 'other')]);
    await install(ada, watching, guild, { permissions: String(Permission.ViewAuditLog) });
    const client = await session({ bot: { token: watching.botToken } }, WITH_MODERATION);
    const installationId = await install(ada, other, guild);
    await uninstall(ada, installationId);
    const entries: Frame[] = [];
    while (entries.length < 4) entries.push(await client.event('GUILD_AUDIT_LOG_ENTRY_CREATE'));
    const facts = [
      ['name', 'other'],
      ['type', 'discord'],
      ['application_id', other.id],
    ];
    const changes = (side: string) => facts.map(([key, value]) => ({ key, [side]: value }));
    expect(entries.map(({ d }) => d)).toMatchObject([
      { action_type: 28, target_id: other.id },
      { action_type: 80, target_id: installationId, changes: changes('new_value') },
      { action_type: 82, target_id: installationId, changes: changes('old_value'), user_id: ada.id },
      { action_type: 20, target_id: other.id, user_id: ada.id },
    ]);
  });

  it('is sent to bots with ViewAuditLog and the intent', async () => {
    const sessions = await Promise.all([
      session(scene.bot, WITH_MODERATION),
      session(scene.bot, Intent.Guilds),
      session(scene.other, WITH_MODERATION),
    ]);
    await createRole(owner, guildId(), { name: 'Helpers', permissions: 0n });
    await createChannel(owner, guildId(), { name: 'end' });
    const entries = await Promise.all(sessions.map((client) => entriesUntil(client, 'end')));
    expect(entries.map((frames) => frames.map(({ d }) => d.action_type))).toEqual([[30, 10], [], []]);
  });

  it('is not sent for actions that have no type on the reference platform', async () => {
    const client = await session(scene.bot, WITH_MODERATION);
    const { id: roleId } = await createRole(owner, guildId(), { name: 'Helpers', permissions: 0n });
    await setRolePositions(owner, guildId(), [{ roleId, position: 2 }]);
    await createChannel(owner, guildId(), { name: 'end' });
    const shown = await entriesUntil(client, 'end');
    expect(shown.map(({ d }) => d.action_type)).toEqual([30, 10]);
  });

  it('is not sent for a change that is rolled back with its entry', async () => {
    const client = await session(scene.bot, WITH_MODERATION);
    const entries = () => server.app.db.reader.auditEntry.count({ where: { guildId: guildId() } });
    const before = await entries();
    const failing = owner.write(async ({ audit }) => {
      await audit({ action: 'BOT_ADD', guildId: guildId(), targetId: scene.bot.bot.id });
      throw new Error('taken back');
    });
    await expect(failing).rejects.toThrow('taken back');
    expect(await entries()).toBe(before);
    await createChannel(owner, guildId(), { name: 'end' });
    expect((await entriesUntil(client, 'end')).map(({ d }) => d.action_type)).toEqual([10]);
  });
});
