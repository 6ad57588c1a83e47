import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import type { Actor, CallContext } from '../../../src/domain/call.js';
import { setChannelOverwrite } from '../../../src/domain/channels/index.js';
import { DomainError } from '../../../src/domain/errors.js';
import { permissionsWithin } from '../../../src/domain/guilds/access.js';
import { accessChannel, accessGuild, channelsWith } from '../../../src/domain/guilds/index.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { test } from '../../harness/fixtures.js';
import { createDirectChannel, createPerson, nameMember, permitEveryone } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createChannel, createGuild, type TestGuild } from '../../harness/world.js';

const { ViewChannel, SendMessages, ManageGuild, Connect } = Permission;

let server: TestServer;
let guild: TestGuild;
let ada: User;
let member: CallContext;
let outsider: CallContext;
let bot: CallContext;
let foreignBot: CallContext;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  const { app } = server;
  guild = await createGuild(app);
  ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  await nameMember(app, guild.id, ada, 'heron');
  member = as({ kind: 'person', user: ada });
  outsider = as({ kind: 'person', user: await createPerson(app) });
  bot = await botCall(true);
  foreignBot = await botCall(false);
});

const as = (actor: Actor) => callContext(server.app, actor);

async function botCall(isMember: boolean): Promise<CallContext> {
  const { id, user } = await createBot(server.app);
  if (isMember) await addMember(server.app, guild.id, user);
  return as({ kind: 'bot', user, applicationId: id, messageContentIntent: true });
}

async function addRole(permissions: bigint): Promise<bigint> {
  const owner = callOf(server.app, guild.owner);
  const { id } = await createRole(owner, guild.id, { name: 'role', permissions });
  await setMemberRoles(owner, { guildId: guild.id, userId: ada.id, roleIds: [id] });
  return id;
}

async function overwrite(channelId: bigint, targetId: bigint, bits: { allow?: bigint; deny?: bigint }): Promise<void> {
  const targetType = targetId === ada.id ? 1 : 0;
  await setChannelOverwrite(callOf(server.app, guild.owner), channelId, {
    targetId,
    targetType,
    allow: 0n,
    deny: 0n,
    ...bits,
  });
}

async function told(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'ok';
  } catch (error) {
    if (error instanceof DomainError) return `${error.code} ${error.message}`;
    throw error;
  }
}

describe('a guild', () => {
  test('returns a member with their permissions', async () => {
    await permitEveryone(server.app, guild.id, ViewChannel);
    const roleId = await addRole(ManageGuild);
    expect(await accessGuild(member, guild.id, 'manageInvites', 'viewGuild')).toMatchObject({
      guildId: guild.id,
      permissions: ManageGuild | ViewChannel,
      member: { nick: 'heron', roleIds: [roleId] },
      view: { id: guild.id, ownerId: guild.owner.id },
    });
  });

  test('requires every requested permission', async () => {
    await permitEveryone(server.app, guild.id, ViewChannel);
    expect(await told(accessGuild(member, guild.id, 'viewGuild'))).toBe('ok');
    expect(await told(accessGuild(member, guild.id, 'viewGuild'))).toBe('ok');
    const missing = 'MISSING_PERMISSIONS Missing Permissions';
    expect(await told(accessGuild(member, guild.id, 'manageInvites'))).toBe(missing);
    expect(await told(accessGuild(member, guild.id, 'viewGuild', 'manageInvites'))).toBe(missing);
    expect(await told(accessGuild(bot, guild.id, 'manageInvites'))).toBe(missing);
    const owner = as({ kind: 'person', user: guild.owner });
    expect(await told(accessGuild(owner, guild.id, 'manageInvites', 'createRole', 'createChannel'))).toBe('ok');
  });

  test('is unknown to users who are not in it; a bot gets MISSING_ACCESS', async () => {
    expect(await told(accessGuild(outsider, guild.id, 'viewGuild'))).toBe('UNKNOWN_GUILD Unknown Guild');
    expect(await told(accessGuild(foreignBot, guild.id, 'viewGuild'))).toBe('MISSING_ACCESS Missing Access');
    expect(await told(accessGuild(outsider, 1n, 'viewGuild'))).toBe('UNKNOWN_GUILD Unknown Guild');
    expect(await told(accessGuild(foreignBot, 1n, 'viewGuild'))).toBe('UNKNOWN_GUILD Unknown Guild');
  });

  test('is refused to anonymous callers and to tokens', async () => {
    const token = { kind: 'token' as const, user: ada, applicationId: 1n, scopes: [], expiresAt: new Date() };
    for (const access of [accessGuild, accessChannel]) {
      expect(await told(access(as({ kind: 'anonymous' }), guild.id))).toContain('UNAUTHENTICATED');
      expect(await told(access(as(token), guild.id))).toContain('FORBIDDEN');
    }
  });
});

describe('a channel', () => {
  test('returns a member with their permissions in it', async () => {
    await permitEveryone(server.app, guild.id, ViewChannel | Connect);
    const roleId = await addRole(0n);
    const { id } = await createChannel(server.app, guild.id, 'aside');
    await overwrite(id, roleId, { allow: SendMessages });
    await overwrite(id, ada.id, { deny: Connect });
    expect(await accessChannel(member, id, 'sendMessage')).toMatchObject({
      channelId: id,
      guildId: guild.id,
      type: 0,
      permissions: ViewChannel | SendMessages,
      member: { nick: 'heron', roleIds: [roleId] },
    });
    expect(await told(accessChannel(member, id, 'sendMessage', 'sendFiles'))).toBe(
      'MISSING_PERMISSIONS Missing Permissions',
    );
  });

  test('is unknown to users who cannot view it, despite other permissions; a bot gets MISSING_ACCESS', async () => {
    await overwrite(guild.channel.id, guild.id, { deny: ViewChannel, allow: SendMessages });
    for (const operation of ['viewChannel', 'sendMessage'] as const) {
      expect(await told(accessChannel(member, guild.channel.id, operation))).toBe('UNKNOWN_CHANNEL Unknown Channel');
      expect(await told(accessChannel(bot, guild.channel.id, operation))).toBe('MISSING_ACCESS Missing Access');
    }
  });

  test('of a guild is unknown to users who are not in it; a bot gets MISSING_ACCESS', async () => {
    expect(await told(accessChannel(outsider, guild.channel.id, 'viewChannel'))).toBe(
      'UNKNOWN_CHANNEL Unknown Channel',
    );
    expect(await told(accessChannel(foreignBot, guild.channel.id, 'viewChannel'))).toBe(
      'MISSING_ACCESS Missing Access',
    );
  });

  test('that does not exist, or is in no guild, is unknown', async () => {
    const { id } = await createDirectChannel(server.app);
    for (const call of [member, bot]) {
      expect(await told(accessChannel(call, 1n, 'viewChannel'))).toBe('UNKNOWN_CHANNEL Unknown Channel');
      expect(await told(accessChannel(call, id, 'viewChannel'))).toBe('UNKNOWN_CHANNEL Unknown Channel');
    }
  });

  test('is listed if the member has the permission in it', async () => {
    await permitEveryone(server.app, guild.id, ViewChannel);
    const roleId = await addRole(0n);
    const [open, hidden] = [
      await createChannel(server.app, guild.id, 'open'),
      await createChannel(server.app, guild.id, 'hidden'),
    ];
    await overwrite(open.id, roleId, { allow: SendMessages });
    await overwrite(hidden.id, ada.id, { deny: ViewChannel });
    const { id: voice } = await server.app.db.reader.channel.findFirstOrThrow({
      where: { guildId: guild.id, type: 2 },
    });
    const access = await accessGuild(member, guild.id, 'viewGuild');
    expect(channelsWith(access, ada.id, 'viewChannel')).toEqual(new Set([guild.channel.id, voice, open.id]));
    expect(channelsWith(access, ada.id, 'sendMessage')).toEqual(new Set([open.id]));
  });
});

test('a transaction reads the permissions of a user, which are none without a membership', async () => {
  await permitEveryone(server.app, guild.id, ViewChannel);
  await addRole(SendMessages);
  const within = (userId: bigint) =>
    member.write(({ db }) => permissionsWithin(db, guild.id, userId, member.clock.now()));
  expect(await within(ada.id)).toBe(ViewChannel | SendMessages);
  expect(await within(guild.owner.id)).toBe(ALL_PERMISSIONS);
  expect(await within(1n)).toBe(0n);
});
