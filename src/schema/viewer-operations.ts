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
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { Emoji } from './emojis.js';
import { memberRoles, onlyHere } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { referredRows } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { Member } from './members.js';
import { Message } from './messages.js';
import { callerMayWithApplication, ownApplicationRole, ownTeamRole } from './own-roles.js';
import { Role } from './roles.js';
import { Team } from './teams.js';

const ApplicationOperation = builder.enumType('ApplicationOperation', {
  description: 'Operation on an application that depends on the role of the caller.',
  values: valuesOf(APPLICATION_OPERATIONS, {
    view: 'View the application and its settings.',
    viewTesters: 'View its testers.',
    viewAuditLog: 'View its audit log.',
    viewInteractions: 'View its interactions and their traces.',
    updateSettings: 'Change its settings and images.',
    resetClientSecret: 'Replace the client secret.',
    resetBotToken: 'Replace the bot token.',
    manageCommands: 'Create, change and delete commands.',
    manageEmojis: 'Create, rename and delete emojis.',
    manageWebhooks: 'Create, change and delete webhooks.',
    manageTesters: 'Invite and remove testers.',
    transfer: 'Move it to a team. Fails if a team already owns it.',
    delete: 'Delete the application.',
  }),
});
const TeamOperation = builder.enumType('TeamOperation', {
  description: 'Operation on a team that depends on the role of the caller.',
  values: valuesOf(TEAM_OPERATIONS, {
    view: 'View the team with its members, invitations and applications.',
    viewAuditLog: 'View its audit log.',
    update: 'Change its name and icon.',
    inviteMember: 'Invite a person.',
    revokeInvitation: 'Revoke a pending invitation of any inviter.',
    changeRole: 'Change the role of a member other than the owner.',
    removeMember: 'Remove a member other than the owner.',
    receiveApplication: 'Create an application in the team, or move one to it.',
    leave: 'Leave the team.',
    transferOwnership: 'Make another member the owner.',
    delete: 'Delete the team. Fails if it owns applications.',
  }),
});
const GuildOperation = builder.enumType('GuildOperation', {
  description: 'Operation on a server that depends on its owner, not on permissions.',
  values: valuesOf(MEMBER_OPERATIONS, {
    leave: 'Leave the server. The owner cannot.',
    delete: 'Delete the server. Only the owner can.',
  }),
});

const MemberOperation = builder.enumType('MemberOperation', {
  description: 'Operation on a member of a server.',
  values: valuesOf(OPERATIONS_ON_MEMBERS, {
    changeNick: 'Change the nickname.',
    changeRoles: 'Give and remove roles.',
    timeOut: 'Time the member out.',
    kick: 'Remove the member.',
    ban: 'Ban the member.',
  }),
});
const RoleOperation = builder.enumType('RoleOperation', {
  description: 'Operation on a role.',
  values: valuesOf(ROLE_OPERATIONS, {
    update: 'Change the role.',
    move: 'Change its position.',
    assign: 'Give it to members, and remove it from them.',
    delete: 'Delete the role.',
  }),
});

const EmojiOperation = builder.enumType('EmojiOperation', {
  description: 'Operation on a custom emoji.',
  values: valuesOf(EMOJI_OPERATIONS, {
    update: 'Change the name, and in a server the roles.',
    delete: 'Delete the emoji.',
  }),
});

const MessageOperation = builder.enumType('MessageOperation', {
  description: 'Operation on a message.',
  values: valuesOf(MESSAGE_OPERATIONS, {
    react: 'React with an emoji that is new to the message.',
    edit: 'Change the text.',
    delete: 'Delete the message.',
  }),
});

/** `updateSettings` becomes UPDATE_SETTINGS. */
function valuesOf<Operation extends string>(
  operations: readonly Operation[],
  descriptions: Readonly<Record<Operation, string>>,
): Record<string, { value: Operation; description: string }> {
  const nameOf = (operation: Operation) => operation.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
  return Object.fromEntries(operations.map((value) => [nameOf(value), { value, description: descriptions[value] }]));
}

builder.prismaObjectFields(Application, (t) => ({
  viewerOperations: t.field({
    type: [ApplicationOperation],
    description: "Operations that the caller's role allows. Empty for callers without a role.",
    resolve: async (application, _args, context) => {
      const role = await ownApplicationRole(context, application);
      return APPLICATION_OPERATIONS.filter((operation) => role !== null && mayWithApplication(role, operation));
    },
  }),
}));

builder.prismaObjectFields(Team, (t) => ({
  viewerOperations: t.field({
    type: [TeamOperation],
    description: "Operations that the caller's role allows. Empty for callers who are not members.",
    resolve: async ({ id }, _args, context) => {
      const role = await ownTeamRole(context, id);
      return TEAM_OPERATIONS.filter((operation) => role !== null && mayWithTeam(role, operation));
    },
  }),
}));

builder.prismaObjectFields(Guild, (t) => ({
  viewerOperations: t.field({
    type: [GuildOperation],
    description: 'Operations that the caller can do. Empty for a server on a box.',
    resolve: onlyHere([], (guild, _args, context) => {
      const { user } = requireUser(context.call);
      return MEMBER_OPERATIONS.filter((operation) => mayAsMember(operation, guild, user.id));
    }),
  }),
}));

builder.prismaObjectFields(Member, (t) => ({
  viewerOperations: t.field({
    type: [MemberOperation],
    description: 'Operations that the caller can do. Empty in a server on a box.',
    resolve: async (member, _args, context) => {
      const { guildId, userId } = member;
      const own = await ownStandings(context).load(guildId);
      if (!own) return [];
      const roles = await memberRoles(context).load(member);
      const highest = highestOf(roles.map(({ position }) => position));
      return operationsOnMember(own.guild, own, { userId, highest, roleIds: roles.map(({ id }) => id) });
    },
  }),
}));

builder.prismaObjectFields(Role, (t) => ({
  viewerOperations: t.field({
    type: [RoleOperation],
    description: 'Operations that the caller can do. Empty in a server on a box.',
    resolve: async (role, _args, context) => {
      const own = await ownStandings(context).load(role.guildId);
      return own ? operationsOnRole(role, own) : [];
    },
  }),
}));

builder.objectFields(Emoji, (t) => ({
  viewerOperations: t.field({
    type: [EmojiOperation],
    description: 'Operations that the caller can do. Empty in a server on a box.',
    resolve: async (emoji, _args, context, info) => {
      const { guildId, applicationId } = emoji;
      if (guildId !== null) {
        const own = await ownStandings(context).load(guildId);
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
    description: 'Operations that the caller can do. Empty if the caller cannot see the channel.',
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

/** Null if the caller is not a member, and for a guild on a box. */
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
