import { requireUser } from '../domain/call.js';
import { isAllowed } from '../domain/errors.js';
import { accessChannel, MEMBER_OPERATIONS, mayAsMember } from '../domain/guilds/index.js';
import { MESSAGE_OPERATIONS, operationsOn } from '../domain/messages/index.js';
import {
  APPLICATION_OPERATIONS,
  mayWithApplication,
  mayWithTeam,
  TEAM_OPERATIONS,
} from '../domain/portal-permissions.js';
import { Application } from './applications.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { Guild } from './guilds.js';
import { createLoader, type Loader } from './loaders.js';
import { Message } from './messages.js';
import { ownApplicationRole, ownTeamRole } from './own-roles.js';
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

const MessageOperation = builder.enumType('MessageOperation', {
  description: 'What can be done with a message.',
  values: valuesOf(MESSAGE_OPERATIONS),
});

/** The values of an enum: `updateSettings` is called UPDATE_SETTINGS. */
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

type OwnPlace = Awaited<ReturnType<typeof accessChannel>>;

/** Channels as the caller's places, as things are now; null for those that they do not see. */
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
