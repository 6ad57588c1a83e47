import { requireUser } from '../domain/call.js';
import { MEMBER_OPERATIONS, mayAsMember } from '../domain/guilds/index.js';
import {
  APPLICATION_OPERATIONS,
  mayWithApplication,
  mayWithTeam,
  TEAM_OPERATIONS,
} from '../domain/portal-permissions.js';
import { Application } from './applications.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import { Guild } from './guilds.js';
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
