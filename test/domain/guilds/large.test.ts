import { ChannelType } from 'discord-api-types/v10';
import {
  type DocumentNode,
  execute,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { deleteApplication } from '../../../src/domain/applications/index.js';
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
  countInactive,
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
import { createTeam } from '../../../src/domain/teams/index.js';
import { listOwnGuilds, updateOwnUser } from '../../../src/domain/users/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { absentRoutes } from '../../../src/rest-compat/routes/absent.js';
import { routes } from '../../../src/rest-compat/table.js';
import { schema } from '../../../src/schema/index.js';
import { whisper } from '../../harness/answers.js';
import { putCommand } from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { graphqlContext } from '../../harness/graphql-context.js';
import { putInteraction } from '../../harness/interaction-rows.js';
import { planOf } from '../../harness/plans.js';
import {
  addCrowd,
  createBots,
  createChannels,
  createDirectChannel,
  createPerson,
  nameMember,
  putMembers,
  putWebhooks,
} from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import {
  addMember,
  callOf,
  createBot,
  createGuild,
  ONE_BUTTON,
  say,
  type TestBot,
  type TestGuild,
  toSend,
} from '../../harness/world.js';
import { toEdit } from '../messages/scene.js';

interface Scene {
  guild: TestGuild;
  guildId: bigint;
  channelId: bigint;
  owner: CallContext;
  member: User;
  roleId: bigint;
  messageIds: bigint[];
  code: string;
  bot: TestBot;
  teamId: bigint;
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
  const bot = await createBot(app, { owner: guild.owner });
  await addMember(app, guildId, bot.user);
  const { id: teamId } = await createTeam(owner, { name: 'Builders' });
  await openPortal({ guild, bot, teamId, member }, size.channels / 5);
  return { guild, guildId, channelId: guild.channel.id, owner, member, roleId, messageIds, code, bot, teamId };
}

async function openPortal(
  { guild, bot, teamId, member }: Pick<Scene, 'guild' | 'bot' | 'teamId' | 'member'>,
  count: number,
): Promise<void> {
  const { id: ownerId } = guild.owner;
  await createBots(app, count, { ownerUserId: ownerId });
  await createBots(app, count, { ownerTeamId: teamId });
  const from = { applicationId: bot.id, guildId: guild.id, channelId: guild.channel.id, creatorId: ownerId };
  await putWebhooks({ app }, 1, from);
  await app.db.writer.tester.create({ data: { applicationId: bot.id, userId: member.id, createdAt: new Date() } });
  for (let n = 0; n < count; n += 1) {
    await putCommand(app, bot.id);
    await putInteraction(app, { bot, guild });
    await createDirectChannel(app, guild.owner, await createPerson(app));
    await whisper(app, bot, guild.channel.id, member.id);
  }
}

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
  /** Preparation whose statements do not count. */
  prepare?: (scene: Scene) => Promise<unknown>;
  run: (scene: Scene, prepared: never) => Promise<unknown>;
  /** Lists of the API that the route reads. Those of a GraphQL operation come from its fields. */
  covers?: string[];
  /** Maximum number of statements, with a cached guild. */
  most: number;
  by?: (string | RegExp)[];
  /** The upper bound on the rows that allows the database to sort them. */
  sorts?: string;
  whole?: { step: string; why: string };
}

const range = (column: string, sign: '<' | '>') =>
  new RegExp(`AND ${column}${sign}|Index Cond:.*\\b${column}"? ${sign}`);

const FEW_CHANNELS = 'a guild has 500 channels at the most';
const FEW_ROLES = 'a guild has 250 roles at the most';
const A_PAGE = 'no more than a page is found';

const stranger = () => createPerson(app);

async function joined({ guildId }: Scene): Promise<User> {
  const user = await createPerson(app);
  await putMembers(app, [guildId], [user]);
  return user;
}

type List = Omit<Route, 'name' | 'run' | 'prepare'>;

const graphql = (selection: string, more: List): Route => {
  const document = parse(`query ($guild: ID!, $channel: ID!, $application: ID!, $team: ID!) { ${selection} }`);
  const run = async ({ guild, guildId, channelId, bot, teamId }: Scene) => {
    const variableValues = {
      guild: String(guildId),
      channel: String(channelId),
      application: String(bot.id),
      team: String(teamId),
    };
    const contextValue = graphqlContext(app, guild.owner);
    const { errors = [] } = await execute({ schema, document, variableValues, contextValue });
    expect(errors).toEqual([]);
  };
  // The first run fills the caches.
  return { name: `{ ${selection} }`, prepare: run, run, covers: listsIn(document), ...more };
};

const PART_OF_PAGE = /(Connection|Edge|Page)$/;

/** Returns a field of several objects, such as `Guild.members`; null for other fields and those within a page. */
function listOf(parent: GraphQLObjectType, { name, type }: GraphQLField<unknown, unknown>): string | null {
  const isList = isListType(getNullableType(type)) && isObjectType(getNamedType(type));
  if (PART_OF_PAGE.test(parent.name)) return null;
  return isList || PART_OF_PAGE.test(getNamedType(type).name) ? `${parent.name}.${name}` : null;
}

function listsIn(document: DocumentNode): string[] {
  const found: string[] = [];
  const types = new TypeInfo(schema);
  const enter = () => {
    const [parent, field] = [types.getParentType(), types.getFieldDef()];
    const list = isObjectType(parent) && field ? listOf(parent, field) : null;
    if (list) found.push(list);
  };
  visit(document, visitWithTypeInfo(types, { Field: { enter } }));
  return found;
}

function listsOfQueries(): string[] {
  const lists: string[] = [];
  const types = new Set([schema.getQueryType()]);
  for (const type of types) {
    if (!type) continue;
    for (const field of Object.values(type.getFields())) {
      const list = listOf(type, field);
      if (list) lists.push(list);
      const named = getNamedType(field.type);
      if (isObjectType(named)) types.add(named);
    }
  }
  return lists;
}

const rest = (path: string, more: List): Route => {
  const row = routes.find((route) => route.method === 'GET' && route.path === path);
  const run = async ({ guildId, channelId, bot, teamId, owner }: Scene) => {
    const params = { guildId, channelId, applicationId: bot.id, teamId };
    // Only an application reads its own data.
    const call = path.startsWith('/applications/') ? callOf(app, bot.user) : owner;
    await row?.run({ app, call }, { params, query: row.query.parse({}), body: undefined, files: [], headers: {} });
  };
  return { name: `GET ${path}`, prepare: run, run, covers: [`GET ${path}`], ...more };
};

const OWN = "no more than a person's own are found";

const ROUTES: Route[] = [
  graphql('portalHome { applications { id } }', { most: 2, sorts: OWN }),
  graphql('portalHome { teams { id } }', { most: 2, sorts: OWN }),
  graphql('portalHome { guilds { id } }', { most: 2, by: ['Member_userId_guildId_idx'] }),
  graphql('portalHome { boxes { id } }', { most: 1, sorts: OWN }),
  graphql('portalHome { teamInvitations { id } }', { most: 1, sorts: OWN }),
  graphql('portalHome { testerInvitations { state } }', { most: 1, sorts: OWN }),
  graphql('applications { id }', { most: 2, sorts: OWN }),
  graphql('teams { id }', { most: 2, sorts: OWN }),
  graphql('guilds { id }', { most: 2 }),
  graphql('boxes { id }', { most: 1, sorts: OWN }),
  graphql('directChannels(last: 50) { edges { node { id } } }', { most: 2, sorts: OWN }),
  graphql('runnableCommands(channelId: $channel) { id }', { most: 6, sorts: OWN }),
  graphql('team(id: $team) { applications { id } }', { most: 5, sorts: OWN }),
  graphql('team(id: $team) { members { role } }', { most: 7, sorts: 'a team has 100 members at the most' }),
  graphql('team(id: $team) { invitations(state: PENDING) { id } }', { most: 6, sorts: OWN }),
  graphql('team(id: $team) { auditLog(last: 50) { edges { node { id } } } }', { most: 7, sorts: A_PAGE }),
  graphql('application(id: $application) { auditLog(last: 50) { edges { node { id } } } }', { most: 4, sorts: A_PAGE }),
  graphql('application(id: $application) { commands { id } }', { most: 3, sorts: OWN }),
  graphql('application(id: $application) { emojis(last: 50) { edges { node { id } } } }', { most: 3, sorts: OWN }),
  graphql('application(id: $application) { gatewaySessions { shardId } }', { most: 3, sorts: OWN }),
  graphql('application(id: $application) { interactions(last: 50) { edges { node { id } } } }', { most: 3 }),
  graphql('application(id: $application) { interactions(last: 50) { edges { node { trace { kind } } } } }', {
    most: 4,
    sorts: OWN,
  }),
  graphql('application(id: $application) { testers { state } }', { most: 3, sorts: OWN }),
  graphql('application(id: $application) { webhooks { id } }', { most: 3, sorts: OWN }),
  graphql('channel(id: $channel) { messages(last: 50) { edges { node { id } } } }', {
    most: 4,
    by: ['Message_public_channelId_id_idx', 'Message_ephemeral_channelId_visibleToId_id_idx'],
    sorts: A_PAGE,
  }),
  graphql('channel(id: $channel) { pins(first: 10) { items { pinnedAt } } }', { most: 4 }),
  graphql('channel(id: $channel) { recipients { id } }', { most: 3 }),
  graphql('channel(id: $channel) { messages(first: 1) { edges { node { reactionUsers(emoji: "👍") { id } } } } }', {
    most: 8,
    sorts: A_PAGE,
  }),
  graphql('guild(id: $guild) { auditLog(last: 50) { edges { node { id } } } }', { most: 3, sorts: A_PAGE }),
  graphql('guild(id: $guild) { bans(first: 50) { edges { node { reason } } } }', { most: 3 }),
  graphql('guild(id: $guild) { channels { id } }', { most: 3, sorts: FEW_CHANNELS }),
  graphql('guild(id: $guild) { commandAccess(applicationId: $application) { command { id } } }', {
    most: 5,
    sorts: OWN,
  }),
  graphql('guild(id: $guild) { emojis { roles { id } } }', { most: 5, sorts: A_PAGE }),
  graphql('guild(id: $guild) { installations { id } }', { most: 3, sorts: A_PAGE }),
  graphql('guild(id: $guild) { invites { code } }', { most: 3, sorts: A_PAGE }),
  graphql('guild(id: $guild) { members(first: 50) { edges { node { roles { id } } } } }', {
    most: 5,
    sorts: FEW_ROLES,
  }),
  graphql('guild(id: $guild) { roles { id } }', { most: 3, sorts: FEW_ROLES }),
  graphql('guild(id: $guild) { voiceStates { channelId } }', { most: 3, sorts: A_PAGE }),
  graphql('guild(id: $guild) { webhooks { id } }', { most: 3, sorts: A_PAGE }),
  rest('/developer-portal/teams', { most: 6, sorts: OWN }),
  rest('/developer-portal/applications/:applicationId/testers', { most: 3, sorts: OWN }),
  rest('/developer-portal/teams/:teamId/members', { most: 7, sorts: 'a team has 100 members at the most' }),
  rest('/applications/:applicationId/commands', { most: 4, sorts: OWN }),
  rest('/applications/:applicationId/guilds/:guildId/commands', { most: 4, sorts: OWN }),
  rest('/applications/:applicationId/emojis', { most: 3, sorts: OWN }),
  rest('/guilds/:guildId/emojis', { most: 3, sorts: A_PAGE }),
  rest('/guilds/:guildId/webhooks', { most: 4, sorts: A_PAGE }),
  rest('/channels/:channelId/webhooks', { most: 4, sorts: A_PAGE }),
  {
    name: 'how many a prune would remove',
    run: ({ owner, guildId }) => countInactive(owner, { guildId, days: 7, roleIds: [] }),
    most: 4,
    covers: ['GET /guilds/:guildId/prune'],
  },
  {
    name: 'deleting an application',
    prepare: async ({ guild, guildId }) => {
      const bot = await createBot(app, { owner: guild.owner });
      await addMember(app, guildId, bot.user);
      return bot;
    },
    run: ({ owner }, { id, user }: TestBot) => deleteApplication(owner, { applicationId: id, name: user.username }),
    most: 60,
    sorts: 'an application has 50 webhooks at the most',
  },
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
    covers: ['GET /guilds/:guildId/channels'],
    most: 3,
    sorts: FEW_CHANNELS,
  },
  {
    name: 'roles',
    run: ({ owner, guildId }) => listRoles(owner, guildId),
    covers: ['GET /guilds/:guildId/roles'],
    most: 1,
    sorts: FEW_ROLES,
  },
  {
    name: 'guilds of somebody, with counts',
    run: ({ member }) => listOwnGuilds(callOf(app, member), { limit: 200, withCounts: true }),
    covers: ['GET /users/@me/guilds'],
    most: 5,
  },
  { name: 'how many members', run: ({ guildId }) => app.guilds.countMembers(guildId), most: 1 },
  {
    name: 'a page of members',
    run: ({ owner, guildId }) => listMembers(owner, { guildId, limit: 100 }),
    by: ['Member_'],
    covers: ['GET /guilds/:guildId/members'],
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
    covers: ['GET /guilds/:guildId/members/search'],
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
  {
    name: 'bans',
    run: ({ owner, guildId }) => listBans(owner, { guildId, limit: 100 }),
    covers: ['GET /guilds/:guildId/bans'],
    most: 2,
  },
  {
    name: 'invites of the guild',
    run: ({ owner, guildId }) => listGuildInvites(owner, guildId),
    covers: ['GET /guilds/:guildId/invites'],
    most: 5,
    sorts: A_PAGE,
  },
  {
    name: 'invites of a channel',
    run: ({ owner, channelId }) => listChannelInvites(owner, channelId),
    covers: ['GET /channels/:channelId/invites'],
    most: 5,
    sorts: A_PAGE,
  },
  { name: 'an invite with counts', run: ({ owner, code }) => getInvite(owner, { code, withCounts: true }), most: 5 },
  {
    name: 'a page of the audit log',
    run: ({ owner, guildId }) => listGuildLog(owner, { guildId, take: 50, backwards: true }),
    by: ['AuditEntry_guildId_action_id_idx'],
    covers: ['GET /guilds/:guildId/audit-logs'],
    most: 2,
    sorts: A_PAGE,
  },
  {
    name: 'the newest messages',
    run: ({ owner, channelId }) => listMessages(owner, { channelId, limit: 50 }),
    by: ['Message_public_channelId_id_idx'],
    covers: ['GET /channels/:channelId/messages'],
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
    covers: ['GET /channels/:channelId/messages/pins', 'GET /channels/:channelId/pins'],
    most: 6,
  },
  {
    name: 'who reacted',
    run: ({ owner, channelId, messageIds }) =>
      listReactions(owner, { channelId, messageId: at(messageIds, 0), emoji: '👍', limit: 25 }),
    covers: ['GET /channels/:channelId/messages/:messageId/reactions/:emoji'],
    most: 4,
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
    most: 3,
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
    most: 9,
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
    most: 4,
  },
];

/** Returns the statements of a route with a cached guild, without those that begin and end transactions. */
async function asked({ prepare, run }: Route, scene: Scene): Promise<string[]> {
  const prepared = (await prepare?.(scene)) as never;
  await app.guilds.view(scene.guildId);
  await app.guilds.channel(scene.guildId, scene.channelId);
  await app.guilds.guildOfChannel(scene.channelId);
  for (const userId of [scene.guild.owner.id, scene.member.id]) await app.guilds.member(scene.guildId, userId);
  const statements = await statementsOf(() => run(scene, prepared));
  return statements.filter(
    (sql) =>
      !/^(BEGIN|COMMIT|SET|PRAGMA)|^\s*(WITH "turn" AS MATERIALIZED \(\s*SELECT "key"|UPDATE \S*"StreamClock")/i.test(
        sql,
      ),
  );
}

/** Matches a full scan of a table. */
const WHOLE_TABLE = /^(SCAN (?!(walk|found|part|entries|sub)$|\(|\w+ VIRTUAL TABLE)|.*Seq Scan)/;

const FILES_OF_A_PAGE = /FROM \S*\WAttachment\W/;

describe.each(ROUTES)('$name', (route) => {
  let statements: string[];

  test('takes the same number of statements in a larger guild', async () => {
    const inSmall = await asked(route, small);
    statements = await asked(route, large);
    expect(statements, statements.join('\n')).toHaveLength(inSmall.length);
    expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(route.most);
    expect(statements.length, statements.join('\n')).toBeGreaterThan(0);
  });

  test('scans no whole table, and sorts only a few rows', async () => {
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

/** Matches a path to a single object, or to one that is not stored. */
const SINGLE = /\/(:\w+|@me|@original|gateway|bot|member)$/;

const listsOfRest = routes
  .filter((route) => route.method === 'GET' && !SINGLE.test(route.path) && !absentRoutes.includes(route))
  .map(({ path }) => `GET ${path}`);

/** Lists that no row of the table reads, and why. */
const ELSEWHERE: Record<string, string> = {
  'AccountDeletion.boxServers': 'servers of the caller on boxes of others, which are few',
  'AccountDeletion.boxes': 'boxes of the caller, which have a limit',
  'AccountDeletion.servers': 'servers of the caller, which have a limit',
  'AccountDeletion.teams': 'teams of the caller, which have a limit',
  'Application.defaultInstallSettings': 'one for each of two contexts, of the row of the application',
  'Box.guilds': 'up to 1,000 servers, whose facts the box announced, and which it is asked for',
  'BoxStatistics.failures': 'of the last 24 hours of one box',
  'BoxStatistics.hours': 'of the last 24 hours of one box',
  'GET /guilds/:guildId/roles/member-counts': 'counts the members of 250 roles at the most, a few roles at a time',
  'Guild.parity': 'made of the table of routes',
  'Instance.applications': 'a page of operators, which an index limits to 100 rows',
  'Instance.auditLog': 'a page of operators, which an index limits to 100 rows',
  'Instance.boxes': 'a page of operators, which an index limits to 100 rows',
  'Instance.invitations': 'at most 200 of the instance',
  'Instance.limited': 'at most 200 of the instance',
  'Instance.limits': 'six',
  'Instance.operators': 'the few people with a role',
  'Instance.people': 'a page of operators, which an index limits to 100 rows',
  'Instance.servers': 'a page of operators, which an index limits to 100 rows',
  'InstanceLimit.perSubject': 'at most 500 of the instance',
  'Query.builtInCommands': 'made of the code',
  'Query.personalTokens': 'at most 50 of one person',
};

test('the table has each list that a client can request, or a reason why not', () => {
  const covered = new Set(ROUTES.flatMap(({ covers = [] }) => covers));
  const missing = [...listsOfRest, ...listsOfQueries()].filter((list) => !covered.has(list));
  expect(missing.sort()).toEqual(Object.keys(ELSEWHERE).sort());
});
