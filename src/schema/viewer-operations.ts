import { type CallContext, requireUser } from '../domain/call.js';
import { EMOJI_OPERATIONS, operationsOnEmoji } from '../domain/emojis/index.js';
import { isAllowed } from '../domain/errors.js';
import { accessChannel, accessGuild, MEMBER_OPERATIONS, mayAsMember } from '../domain/guilds/index.js';
import { OPERATIONS_ON_MEMBERS, operationsOnMember } from '../domain/members/index.js';
import { MESSAGE_OPERATIONS, operationsOn } from '../domain/messages/index.js';
import {
  APPLICATION_OPERATIONS,
  mayWithApplication,
  mayWithTeam,
  TEAM_OPERATIONS,
} from '../domain/portal-permissions.js';
import { highestOf, highestPositions, operationsOnRole, ROLE_OPERATIONS } from '../domain/roles/index.js';
import { Application } from './applications.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { Emoji } from './emojis.js';
import { Guild } from './guilds.js';
import { referredRows } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { Member, memberRoles } from './members.js';
import { Message } from './messages.js';
import { callerMayWithApplication, ownApplicationRole, ownTeamRole } from './own-roles.js';
import { Role } from './roles.js';
import { Team } from './teams.js';

const ApplicationOperation = builder.enumType('ApplicationOperation', {
  description: 'What can be done with an application.',
  values: valuesOf(APPLICATION_OPERATIONS),
});
const TeamOperation = builder.enumType('TeamOperation', {
  description: 'What can be done with a team.',
  values: valuesOf(TEAM_OPERATIONS),
});
const GuildOperation = builder.enumType('GuildOperation', {
  description: 'What a member can do with a server or not by whose it is, whatever their roles are.',
  values: valuesOf(MEMBER_OPERATIONS),
});

const MemberOperation = builder.enumType('MemberOperation', {
  description: 'What can be done with a member of a server.',
  values: valuesOf(OPERATIONS_ON_MEMBERS),
});
const RoleOperation = builder.enumType('RoleOperation', {
  description: 'What can be done with a role; ASSIGN is to give it to somebody and to take it from them.',
  values: valuesOf(ROLE_OPERATIONS),
});

const EmojiOperation = builder.enumType('EmojiOperation', {
  description: "What can be done with a server's or an application's own emoji.",
  values: valuesOf(EMOJI_OPERATIONS),
});

const MessageOperation = builder.enumType('MessageOperation', {
  description: 'What can be done with a message.',
  values: valuesOf(MESSAGE_OPERATIONS),
});

/** `updateSettings` becomes UPDATE_SETTINGS. */
function valuesOf<Operation extends string>(operations: readonly Operation[]): Record<string, { value: Operation }> {
  const nameOf = (operation: Operation) => operation.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
  return Object.fromEntries(operations.map((value) => [nameOf(value), { value }]));
}

builder.prismaObjectFields(Application, (t) => ({
  viewerOperations: t.field({
    type: [ApplicationOperation],
    description: "What the caller's role lets them do with it; nothing for somebody without one.",
    resolve: async (application, _args, context) => {
      const role = await ownApplicationRole(context, application);
      return APPLICATION_OPERATIONS.filter((operation) => role !== null && mayWithApplication(role, operation));
    },
  }),
}));

builder.prismaObjectFields(Team, (t) => ({
  viewerOperations: t.field({
    type: [TeamOperation],
    description: "What the caller's role lets them do with it; nothing for somebody who is no member.",
    resolve: async ({ id }, _args, context) => {
      const role = await ownTeamRole(context, id);
      return TEAM_OPERATIONS.filter((operation) => role !== null && mayWithTeam(role, operation));
    },
  }),
}));

builder.prismaObjectFields(Guild, (t) => ({
  viewerOperations: t.field({
    type: [GuildOperation],
    description:
      'What the caller can do with it by whose it is; nothing with one on a box, where nobody is a member by the cloud.',
    resolve: (guild, _args, context) => {
      if (isOnBox(context, guild.id)) return [];
      const { user } = requireUser(context.call);
      return MEMBER_OPERATIONS.filter((operation) => mayAsMember(operation, guild, user.id));
    },
  }),
}));

builder.prismaObjectFields(Member, (t) => ({
  viewerOperations: t.field({
    type: [MemberOperation],
    description: 'What the caller may do with them; nothing with those of a server on a box.',
    resolve: async (member, _args, context) => {
      const { guildId, userId } = member;
      if (isOnBox(context, guildId)) return [];
      const [own, roles] = await Promise.all([ownStandings(context).load(guildId), memberRoles(context).load(member)]);
      const highest = highestOf(roles.map(({ position }) => position));
      return own ? operationsOnMember(own.guild, own, { userId, highest, roleIds: roles.map(({ id }) => id) }) : [];
    },
  }),
}));

builder.prismaObjectFields(Role, (t) => ({
  viewerOperations: t.field({
    type: [RoleOperation],
    description: 'What the caller may do with it; nothing with one of a server on a box.',
    resolve: async (role, _args, context) => {
      if (isOnBox(context, role.guildId)) return [];
      const own = await ownStandings(context).load(role.guildId);
      return own ? operationsOnRole(role, own) : [];
    },
  }),
}));

builder.objectFields(Emoji, (t) => ({
  viewerOperations: t.field({
    type: [EmojiOperation],
    description: 'What the caller may do with it; nothing with one of a server on a box.',
    resolve: async (emoji, _args, context, info) => {
      const { guildId, applicationId } = emoji;
      if (guildId !== null) {
        const own = isOnBox(context, guildId) ? null : await ownStandings(context).load(guildId);
        return own ? operationsOnEmoji(emoji, own) : [];
      }
      if (applicationId === null) return [];
      const application = await referredRows(context, info, (ids) =>
        context.call.read.application.findMany({ where: { id: { in: ids } } }),
      ).load(applicationId);
      const isMine = application !== null && (await callerMayWithApplication(context, application, 'manageEmojis'));
      return isMine ? EMOJI_OPERATIONS : [];
    },
  }),
}));

builder.prismaObjectFields(Message, (t) => ({
  viewerOperations: t.field({
    type: [MessageOperation],
    description: 'What the caller may do with it.',
    resolve: async (message, _args, context) => {
      const place = await ownPlaces(context).load(message.channelId);
      return place ? operationsOn(message, requireUser(context.call).user.id, place) : [];
    },
  }),
}));

type Access = Awaited<ReturnType<typeof accessGuild>>;

interface OwnStanding {
  guild: Access['view'];
  userId: bigint;
  permissions: bigint;
  highest: number;
}

/** Null if the caller is not a member. */
function ownStandings({ call, loaders, budget }: GraphqlContext): Loader<bigint, OwnStanding | null> {
  const make = () =>
    createLoader<bigint, OwnStanding | null>(
      (ids) =>
        budget.step(async () => {
          const accesses: Access[] = [];
          const find = async (id: bigint) => accesses.push(await accessGuild(call, id, 'viewGuild'));
          await Promise.all([...new Set(ids)].map((id) => isAllowed(() => find(id))));
          return standingsIn(call, accesses);
        }),
      null,
      { remember: false },
    );
  return loaders.get('own standings', make);
}

async function standingsIn(call: CallContext, accesses: readonly Access[]): Promise<Map<bigint, OwnStanding>> {
  const { user } = requireUser(call);
  const positions = await highestPositions(
    call,
    call.read,
    accesses.map(({ view }) => view),
  );
  return new Map(
    accesses.map(({ guildId, view, permissions }) => [
      guildId,
      { guild: view, userId: user.id, permissions, highest: positions.get(guildId) ?? 0 },
    ]),
  );
}

type OwnPlace = Awaited<ReturnType<typeof accessChannel>>;

/** Null if the caller cannot view the channel. */
function ownPlaces({ call, loaders, budget }: GraphqlContext): Loader<bigint, OwnPlace | null> {
  const make = () =>
    createLoader<bigint, OwnPlace | null>(
      async (ids) => {
        const places = new Map<bigint, OwnPlace>();
        const find = async (id: bigint) => places.set(id, await accessChannel(call, id, 'viewChannel'));
        await budget.step(() => Promise.all([...new Set(ids)].map((id) => isAllowed(() => find(id)))));
        return places;
      },
      null,
      { remember: false },
    );
  return loaders.get('own places', make);
}
