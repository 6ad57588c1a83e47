import { ChannelType } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { listGuildLog } from '../../../src/domain/audit-log/index.js';
import { banMember, listBans, unbanMember } from '../../../src/domain/bans/index.js';
import { removeMessagesOfBanned } from '../../../src/domain/bans/messages.js';
import type { CallContext } from '../../../src/domain/call.js';
import { createChannel, deleteChannel, listChannels } from '../../../src/domain/channels/index.js';
import { removeChannel } from '../../../src/domain/channels/remove.js';
import { getGuild, joinGuild, leaveGuild } from '../../../src/domain/guilds/index.js';
import { createInvite, getInvite, listChannelInvites, listGuildInvites } from '../../../src/domain/invites/index.js';
import {
  addMemberRole,
  findMembers,
  getMember,
  kickMember,
  listMembers,
  updateMember,
} from '../../../src/domain/members/index.js';
import {
  addReaction,
  deleteMessage,
  deleteMessages,
  editMessage,
  listMessages,
  listPins,
  listReactions,
  pinMessage,
  sendMessage,
} from '../../../src/domain/messages/index.js';
import { createRole, deleteRole, listRoles } from '../../../src/domain/roles/index.js';
import { listOwnGuilds, updateOwnUser } from '../../../src/domain/users/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { test } from '../../harness/fixtures.js';
import { planOf } from '../../harness/plans.js';
import { addCrowd, createChannels, createPerson, nameMember, putMembers } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createGuild, ONE_BUTTON, say, type TestGuild, toSend } from '../../harness/world.js';
import { toEdit } from '../messages/scene.js';

/** A guild, and what is done in it. */
interface Scene {
  guild: TestGuild;
  guildId: bigint;
  channelId: bigint;
  owner: CallContext;
  member: User;
  roleId: bigint;
  messageIds: bigint[];
  code: string;
}

let app: AppContext;
let small: Scene;
let large: Scene;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  small = await openScene({ members: 1, channels: 1, roles: 1, messages: 4 });
  large = await openScene({ members: 150, channels: 60, roles: 40, messages: 120 });
});

async function openScene(size: { members: number; channels: number; roles: number; messages: number }): Promise<Scene> {
  const guild = await createGuild(app);
  const { id: guildId } = guild;
  const owner = callOf(app, guild.owner);
  const member = await createPerson(app);
  await addMember(app, guildId, member);
  await nameMember(app, guildId, member, 'heron');
  await addCrowd(app, guildId, size.members);
  await createChannels(app, guildId, size.channels);
  const { id: roleId } = await createRole(owner, guildId, { name: 'role' });
  await addMemberRole(owner, { guildId, userId: member.id, roleId });
  const roles = Array.from({ length: size.roles }, (_, n) => ({ id: app.nextId(), guildId, name: `role ${n}` }));
  await app.db.writer.role.createMany({ data: roles });
  const pinned = await speak(guild, size.messages / 2);
  for (const messageId of pinned) await pinMessage(owner, { channelId: guild.channel.id, messageId });
  const messageIds = [...pinned, ...(await speak(guild, size.messages / 2))];
  const { code } = await createInvite(owner, guild.channel.id, {});
  return { guild, guildId, channelId: guild.channel.id, owner, member, roleId, messageIds, code };
}

/** Messages with a reaction of whoever said them. */
async function speak(guild: TestGuild, count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id: messageId } = await say(app, guild, guild.owner, `said ${n}`);
    await addReaction(callOf(app, guild.owner), { channelId: guild.channel.id, messageId, emoji: '👍' });
    ids.push(messageId);
  }
  return ids;
}

const at = (ids: bigint[], index: number) => ids.at(index) ?? 0n;

interface Route {
  name: string;
  /** What it takes; nothing of that is counted. */
  prepare?: (scene: Scene) => Promise<unknown>;
  run: (scene: Scene, prepared: never) => Promise<unknown>;
  /** How many statements it takes at the most, once the guild is known. */
  most: number;
  /** Indexes along which it walks. */
  by?: (string | RegExp)[];
  /** Why the database may sort what it found: there are never more of them than this says. */
  sorts?: string;
  /** What is read as a whole all the same, and why. */
  whole?: { step: string; why: string };
}

/** A walk that begins or ends at a value of a column, and does not look at what lies before or behind. */
const range = (column: string, sign: '<' | '>') =>
  new RegExp(`AND ${column}${sign}|Index Cond:.*\\b${column}"? ${sign}`);

const FEW_CHANNELS = 'a guild has 500 channels at the most';
const FEW_ROLES = 'a guild has 250 roles at the most';
const A_PAGE = 'no more than a page is found';

/** A person who is no member yet. */
const stranger = () => createPerson(app);

async function joined({ guildId }: Scene): Promise<User> {
  const user = await createPerson(app);
  await putMembers(app, [guildId], [user]);
  return user;
}

const ROUTES: Route[] = [
  {
    name: 'the view',
    run: ({ guildId }) => app.guilds.snapshot(guildId),
    by: ['Channel_guildId_idx', 'Message_public_channelId_id_idx'],
    most: 7,
    sorts: FEW_CHANNELS,
  },
  {
    name: 'the guild with its counts',
    run: ({ owner, guildId }) => getGuild(owner, { guildId, withCounts: true }),
    most: 4,
    sorts: FEW_ROLES,
  },
  {
    name: 'channels',
    run: ({ owner, guildId }) => listChannels(owner, guildId),
    by: ['Channel_guildId_idx', 'Message_public_channelId_id_idx'],
    most: 3,
    sorts: FEW_CHANNELS,
  },
  { name: 'roles', run: ({ owner, guildId }) => listRoles(owner, guildId), most: 1, sorts: FEW_ROLES },
  {
    name: 'guilds of somebody, with counts',
    run: ({ member }) => listOwnGuilds(callOf(app, member), { limit: 200, withCounts: true }),
    most: 5,
  },
  { name: 'how many members', run: ({ guildId }) => app.guilds.countMembers(guildId), most: 1 },
  {
    name: 'a page of members',
    run: ({ owner, guildId }) => listMembers(owner, { guildId, limit: 100 }),
    by: ['Member_'],
    most: 3,
  },
  {
    name: 'a page of members after one',
    run: ({ owner, guildId, member }) => listMembers(owner, { guildId, after: member.id, limit: 100 }),
    by: ['Member_', range('userId', '>')],
    most: 3,
  },
  {
    name: 'a search for members',
    run: ({ owner, guildId }) => findMembers(owner, { guildId, query: 'CROWD', limit: 100 }),
    by: [
      'Member_guildId_usernameKey_userId_idx',
      'Member_guildId_globalNameKey_userId_idx',
      'Member_guildId_nickKey_userId_idx',
      range('usernameKey', '>'),
      range('globalNameKey', '>'),
      range('nickKey', '>'),
    ],
    most: 4,
    sorts: A_PAGE,
  },
  {
    name: 'one member',
    run: ({ owner, guildId, member }) => getMember(owner, { guildId, userId: member.id }),
    most: 3,
  },
  {
    name: "those of a large guild's list",
    run: ({ guildId }) => app.guilds.notableMembers(guildId, 1_000),
    by: ['Member_guildId_nickKey_userId_idx', 'MemberRole_'],
    most: 4,
    sorts: A_PAGE,
    whole: { step: 'SCAN p', why: 'those who are online' },
  },
  { name: 'who is in voice', run: ({ guildId }) => app.guilds.voiceStates(guildId), most: 1 },
  {
    name: 'how members are seen',
    run: ({ guildId, member, guild }) => app.guilds.presences(guildId, [member.id, guild.owner.id]),
    most: 1,
  },
  { name: 'bans', run: ({ owner, guildId }) => listBans(owner, { guildId, limit: 100 }), most: 2 },
  {
    name: 'invites of the guild',
    run: ({ owner, guildId }) => listGuildInvites(owner, guildId),
    most: 5,
    sorts: A_PAGE,
  },
  {
    name: 'invites of a channel',
    run: ({ owner, channelId }) => listChannelInvites(owner, channelId),
    most: 5,
    sorts: A_PAGE,
  },
  { name: 'an invite with counts', run: ({ owner, code }) => getInvite(owner, { code, withCounts: true }), most: 5 },
  {
    name: 'a page of the audit log',
    run: ({ owner, guildId }) => listGuildLog(owner, { guildId, take: 50, backwards: true }),
    by: ['AuditEntry_guildId_action_id_idx'],
    most: 2,
    sorts: A_PAGE,
  },
  {
    name: 'the newest messages',
    run: ({ owner, channelId }) => listMessages(owner, { channelId, limit: 50 }),
    by: ['Message_public_channelId_id_idx'],
    most: 5,
  },
  {
    name: 'messages before one',
    run: ({ owner, channelId, messageIds }) =>
      listMessages(owner, { channelId, before: at(messageIds, -1), limit: 50 }),
    by: ['Message_public_channelId_id_idx', range('id', '<')],
    most: 5,
  },
  {
    name: 'messages after one',
    run: ({ owner, channelId, messageIds }) => listMessages(owner, { channelId, after: at(messageIds, 0), limit: 50 }),
    by: ['Message_public_channelId_id_idx', range('id', '>')],
    most: 5,
  },
  {
    name: 'messages around one',
    run: ({ owner, channelId, messageIds }) => listMessages(owner, { channelId, around: at(messageIds, 1), limit: 50 }),
    by: ['Message_public_channelId_id_idx', range('id', '>'), range('id', '<')],
    most: 10,
  },
  {
    name: 'pins',
    run: ({ owner, channelId }) => listPins(owner, { channelId, limit: 50 }),
    by: ['Pin_channelId_pinnedAt_idx'],
    most: 6,
  },
  {
    name: 'who reacted',
    run: ({ owner, channelId, messageIds }) =>
      listReactions(owner, { channelId, messageId: at(messageIds, 0), emoji: '👍', limit: 25 }),
    most: 3,
  },
  {
    name: 'sending',
    run: ({ owner, channelId }) =>
      sendMessage(owner, { channelId, body: toSend({ content: 'x', components: ONE_BUTTON }) }),
    most: 1,
  },
  {
    name: 'editing',
    prepare: ({ guild }) => say(app, guild, guild.owner, 'x'),
    run: ({ owner, channelId }, { id: messageId }: { id: bigint }) =>
      editMessage(owner, { channelId, messageId, body: toEdit({ content: 'y' }) }),
    most: 5,
  },
  {
    name: 'deleting one message',
    prepare: ({ guild }) => say(app, guild, guild.owner, 'x'),
    run: ({ owner, channelId }, { id: messageId }: { id: bigint }) => deleteMessage(owner, { channelId, messageId }),
    most: 2,
  },
  {
    name: 'deleting several messages',
    prepare: async ({ guild }) => [await say(app, guild, guild.owner, 'x'), await say(app, guild, guild.owner, 'x')],
    run: ({ owner, channelId }, said: { id: bigint }[]) =>
      deleteMessages(owner, { channelId, messageIds: said.map(({ id }) => id) }),
    most: 5,
  },
  {
    name: 'making a channel',
    run: ({ owner, guildId }) => createChannel(owner, guildId, { name: 'new', type: ChannelType.GuildText }),
    most: 4,
  },
  {
    name: 'deleting a channel',
    prepare: ({ owner, guildId }) => createChannel(owner, guildId, { name: 'new' }),
    run: ({ owner }, { id }: { id: bigint }) => deleteChannel(owner, id),
    most: 17,
    sorts: FEW_CHANNELS,
  },
  {
    name: 'making a role',
    run: ({ owner, guildId }) => createRole(owner, guildId, { name: 'new' }),
    most: 8,
    sorts: FEW_ROLES,
  },
  {
    name: 'deleting a role',
    prepare: async ({ owner, guildId, member }) => {
      const role = await createRole(owner, guildId, { name: 'new' });
      await addMemberRole(owner, { guildId, userId: member.id, roleId: role.id });
      return role;
    },
    run: ({ owner, guildId }, { id: roleId }: { id: bigint }) => deleteRole(owner, { guildId, roleId }),
    most: 12,
    sorts: FEW_ROLES,
  },
  {
    name: 'joining',
    prepare: stranger,
    run: ({ code }, user: User) => joinGuild(callOf(app, user), code),
    most: 16,
  },
  {
    name: 'leaving',
    prepare: joined,
    run: ({ guildId }, user: User) => leaveGuild(callOf(app, user), guildId),
    most: 9,
  },
  {
    name: 'removing a member',
    prepare: joined,
    run: ({ owner, guildId }, user: User) => kickMember(owner, { guildId, userId: user.id }),
    most: 8,
  },
  {
    name: 'banning',
    prepare: joined,
    run: ({ owner, guildId }, user: User) => banMember(owner, { guildId, userId: user.id }),
    most: 12,
  },
  {
    name: 'lifting a ban',
    prepare: async (scene) => {
      const user = await joined(scene);
      await banMember(scene.owner, { guildId: scene.guildId, userId: user.id });
      return user;
    },
    run: ({ owner, guildId }, user: User) => unbanMember(owner, { guildId, userId: user.id }),
    most: 5,
  },
  {
    name: 'naming a member',
    run: ({ owner, guildId, member }) =>
      updateMember(owner, { guildId, userId: member.id, nick: String(app.nextId()) }),
    most: 7,
  },
  {
    name: 'changing the own shown name',
    run: ({ member }) => updateOwnUser(callOf(app, member), { globalName: String(app.nextId()) }),
    most: 6,
  },
  {
    name: 'removing what a deleted channel held',
    prepare: async ({ owner, guildId }) => {
      const channel = await createChannel(owner, guildId, { name: 'new' });
      await sendMessage(owner, { channelId: channel.id, body: toSend({ content: 'x' }) });
      await deleteChannel(owner, channel.id);
      return channel;
    },
    run: (_scene, { id }: { id: bigint }) => removeChannel(app.db, app.blobs, id, new AbortController().signal),
    by: ['Message_channelId_id_idx'],
    most: 8,
  },
  {
    name: 'removing what somebody banned said',
    prepare: async (scene) => {
      const user = await joined(scene);
      await say(app, scene.guild, user, 'x');
      return user;
    },
    run: ({ guildId, owner }, { id: authorId }: User) =>
      removeMessagesOfBanned(owner, { guildId, authorId, after: 0n, last: app.nextId() }, new AbortController().signal),
    by: ['Message_authorId_id_idx', range('id', '>')],
    most: 3,
  },
];

/** What a route asks of the database, once the guild is known, without what begins and ends a transaction. */
async function asked({ prepare, run }: Route, scene: Scene): Promise<string[]> {
  const prepared = (await prepare?.(scene)) as never;
  await app.guilds.view(scene.guildId);
  await app.guilds.channel(scene.guildId, scene.channelId);
  await app.guilds.guildOfChannel(scene.channelId);
  for (const userId of [scene.guild.owner.id, scene.member.id]) await app.guilds.member(scene.guildId, userId);
  const statements = await statementsOf(() => run(scene, prepared));
  return statements.filter((sql) => !/^(BEGIN|COMMIT|SET|PRAGMA)/i.test(sql));
}

/** A look at every row of a table, one after the other, whatever else an index is used for. */
const WHOLE_TABLE = /^(SCAN (?!(walk|found|part|entries|sub)$|\()|.*Seq Scan)/;

const FILES_OF_A_PAGE = /FROM \S*\WAttachment\W/;

describe.each(ROUTES)('$name', (route) => {
  let statements: string[];

  test('takes as many statements in a larger guild', async () => {
    const inSmall = await asked(route, small);
    statements = await asked(route, large);
    expect(statements, statements.join('\n')).toHaveLength(inSmall.length);
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(route.most);
    expect(statements.length, statements.join('\n')).toBeGreaterThan(0);
  });

  test('reads no table from its beginning to its end, and sorts no more than a few', async () => {
    const plans: string[] = [];
    for (const sql of statements) {
      const plan = (await planOf({ app }, sql)).split('\n').map((step) => step.trim());
      plans.push(...plan);
      const whole = plan.filter((step) => WHOLE_TABLE.test(step) && step !== route.whole?.step);
      expect(whole, sql).toEqual([]);
      const sorts = route.sorts || FILES_OF_A_PAGE.test(sql) ? [] : plan.filter((step) => /TEMP B-TREE/.test(step));
      expect(sorts, sql).toEqual([]);
    }
    for (const index of route.by ?? []) expect(plans.join('\n')).toMatch(index);
  });
});
