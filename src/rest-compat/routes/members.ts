import { z } from 'zod';
import { snowflake } from '../../domain/input.js';
import { limits } from '../../domain/limits.js';
import {
  addMember,
  addMemberRole,
  countInactive,
  findMembers,
  getMember,
  getOwnMember,
  kickMember,
  listMembers,
  MemberChange,
  nickname,
  PruneDays,
  PruneRoles,
  pruneMembers,
  removeMemberRole,
  requireMembersIntent,
  updateMember,
  updateOwnMember,
} from '../../domain/members/index.js';
import { renderMember } from '../../wire/members.js';
import { reads, writes } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids, idsOrText, inWireNames, queryId, queryInteger, queryText } from '../schemas.js';

const MEMBERS = '/guilds/:guildId/members';

const ofGuild = ids('guildId');
const ofMember = ids('guildId', 'userId');
const roleOfMember = ids('guildId', 'userId', 'roleId');

const { roleIds: roles, ...changes } = MemberChange.shape;
const EditMember = inWireNames({ ...changes, roles });

/** Adding and removing roles share a bucket. */
const MEMBER_ROLES = writes('member-roles', 'guildId');
const PRUNE = '/guilds/:guildId/prune';
const OWN_NICK = writes('own-nick', 'guildId');

export const memberRoutes = [
  route({
    method: 'GET',
    path: MEMBERS,
    summary: "List a server's members",
    description: 'In order of user ids.',
    callers: ['bot'],
    bucket: reads('list-members', 'guildId'),
    where: { ...onServerOf('guildId'), beforeForward: requireMembersIntent },
    params: ofGuild,
    query: z.object({ limit: queryInteger(1, 1_000, 1), after: queryId }),
    run: (call, { params, query }) => listMembers(call, { ...params, ...query }),
    render: (members) => members.map(renderMember),
  }),
  route({
    method: 'GET',
    path: `${MEMBERS}/search`,
    summary: "Search a server's members",
    description: 'Matches the beginning of usernames and nicknames.',
    callers: ['bot'],
    bucket: reads('search-members', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    query: z.object({ query: queryText(1, 100), limit: queryInteger(1, 1_000, 1) }),
    run: (call, { params, query }) => findMembers(call, { ...params, ...query }),
    render: (members) => members.map(renderMember),
  }),
  route({
    method: 'GET',
    path: `${MEMBERS}/@me`,
    summary: "Get the bot's member in a server",
    callers: ['bot'],
    bucket: reads('member', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    run: (call, { params }) => getOwnMember(call, params.guildId),
    render: renderMember,
  }),
  route({
    method: 'GET',
    path: '/users/@me/guilds/:guildId/member',
    summary: "Get the user's member in a server",
    description: 'For OAuth2 tokens with the scope `guilds.members.read`.',
    callers: ['bot'],
    bucket: reads('member', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    run: (call, { params }) => getOwnMember(call, params.guildId),
    render: renderMember,
  }),
  route({
    method: 'GET',
    path: `${MEMBERS}/:userId`,
    summary: 'Get a member',
    callers: ['bot'],
    bucket: reads('member', 'guildId'),
    where: onServerOf('guildId'),
    params: ofMember,
    run: (call, { params }) => getMember(call, params),
    render: renderMember,
  }),
  route({
    method: 'PUT',
    path: `${MEMBERS}/:userId`,
    summary: 'Add a user to a server',
    description: 'The user must have authorized the application with the scope `guilds.join`.',
    callers: ['bot'],
    bucket: writes('add-member', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofMember,
    body: z.object({
      access_token: z.string(),
      nick: nickname(),
      roles: z.array(snowflake()).max(limits.rolesPerGuild).nullish(),
      mute: z.boolean().nullish(),
      deaf: z.boolean().nullish(),
    }),
    run: (call, { params, body: { access_token: accessToken, roles: roleIds, ...body } }) =>
      addMember(call, { ...params, ...body, accessToken, roleIds }),
    status: { oneOf: [201, 204], of: (member) => (member === null ? 204 : 201) },
    render: (member) => member && renderMember(member),
  }),
  route({
    method: 'PATCH',
    path: `${MEMBERS}/@me`,
    summary: "Edit the bot's member",
    callers: ['bot'],
    bucket: OWN_NICK,
    where: onServerOf('guildId'),
    params: ofGuild,
    body: z.object({ nick: nickname() }),
    run: (call, { params, body }) => updateOwnMember(call, { ...params, ...body }),
    render: renderMember,
  }),
  route({
    method: 'PATCH',
    path: `${MEMBERS}/@me/nick`,
    summary: "Edit the bot's nickname",
    description: 'Use `PATCH /guilds/{guild_id}/members/@me` in new code.',
    callers: ['bot'],
    bucket: OWN_NICK,
    where: onServerOf('guildId'),
    params: ofGuild,
    body: z.object({ nick: nickname() }),
    run: (call, { params, body }) => updateOwnMember(call, { ...params, ...body }),
    render: ({ nick }) => ({ nick }),
  }),
  route({
    method: 'PATCH',
    path: `${MEMBERS}/:userId`,
    summary: 'Edit a member',
    description: 'Changes nickname, roles, timeout and voice state.',
    callers: ['bot'],
    bucket: writes('update-member', 'guildId'),
    // Self-hosted servers cannot deafen members (service description, section 4).
    where: {
      by: 'guildId',
      selfHosted: ({ deaf }) => (deaf == null ? 'forward' : 'notImplemented'),
      note: 'With `deaf`: 501.',
    },
    params: ofMember,
    body: EditMember,
    faultNames: { communicationDisabledUntil: 'communication_disabled_until', channelId: 'channel_id' },
    run: (call, { params, body: { roles, ...body } }) => updateMember(call, { ...params, ...body, roleIds: roles }),
    render: renderMember,
  }),
  route({
    method: 'DELETE',
    path: `${MEMBERS}/:userId`,
    summary: 'Kick a member',
    callers: ['bot'],
    bucket: writes('kick', 'guildId'),
    where: onServerOf('guildId'),
    params: ofMember,
    run: (call, { params }) => kickMember(call, params),
  }),
  route({
    method: 'PUT',
    path: `${MEMBERS}/:userId/roles/:roleId`,
    summary: 'Give a member a role',
    callers: ['bot'],
    bucket: MEMBER_ROLES,
    where: onServerOf('guildId'),
    params: roleOfMember,
    run: (call, { params }) => addMemberRole(call, params),
  }),
  route({
    method: 'DELETE',
    path: `${MEMBERS}/:userId/roles/:roleId`,
    summary: 'Take a role from a member',
    callers: ['bot'],
    bucket: MEMBER_ROLES,
    where: onServerOf('guildId'),
    params: roleOfMember,
    run: (call, { params }) => removeMemberRole(call, params),
  }),
  route({
    method: 'GET',
    path: PRUNE,
    summary: 'Count the members a prune would remove',
    callers: ['bot'],
    bucket: reads('count-prunable', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    query: z.object({
      days: queryInteger(limits.pruneDays.min, limits.pruneDays.max, 7),
      include_roles: idsOrText(PruneRoles),
    }),
    run: (call, { params, query: { days, include_roles: roleIds } }) =>
      countInactive(call, { ...params, days, roleIds }),
    render: (pruned) => ({ pruned }),
  }),
  route({
    method: 'POST',
    path: PRUNE,
    summary: 'Prune inactive members',
    callers: ['bot'],
    bucket: writes('prune', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    // discord.py sends the list as text.
    body: z.object({
      days: PruneDays,
      compute_prune_count: z.boolean().nullish(),
      include_roles: idsOrText(PruneRoles),
    }),
    run: async (call, { params, body: { days, include_roles: roleIds, compute_prune_count: isAsked } }) => {
      const pruned = await pruneMembers(call, { ...params, days, roleIds });
      return isAsked === false ? null : pruned;
    },
    render: (pruned) => ({ pruned }),
  }),
];
