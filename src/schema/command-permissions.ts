import { ApplicationCommandPermissionType } from 'discord-api-types/v10';
import { z } from 'zod';
import {
  type CommandAccess as CommandAccessRecord,
  listCommandAccess,
  listCommandPermissions,
  type Runnability as RunnabilityRecord,
  runnableCommandIds,
  setCommandPermission,
  setCommandPermissions,
  whyRunnable,
} from '../domain/command-permissions/index.js';
import { commandRecord } from '../domain/commands/index.js';
import { snowflake } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import { renderPermissionEntry } from '../wire/command-permissions.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { ApplicationCommand, CommandType } from './commands.js';
import { GuildPayload } from './guild-mutations.js';
import { idOf, parseId, parseOptionalId } from './ids.js';
import { readInPieces } from './lists.js';

const PermissionTarget = builder.enumType('PermissionTarget', {
  description: 'Target of a command permission.',
  values: {
    ROLE: { value: ApplicationCommandPermissionType.Role, description: 'Members with a role.' },
    USER: { value: ApplicationCommandPermissionType.User, description: 'A user.' },
    CHANNEL: { value: ApplicationCommandPermissionType.Channel, description: 'A channel.' },
  } as const,
});

const Runnability = builder.objectRef<RunnabilityRecord>('Runnability').implement({
  description: 'Whether a user can run a command, and why.',
  fields: (t) => ({
    allowed: t.exposeBoolean('allowed', { description: 'Whether the user can run the command.' }),
    rule: t.exposeString('rule', { description: 'Rule that decided, such as `owner`, `role-entry` or `no-entry`.' }),
    steps: t.exposeStringList('steps', {
      description: 'A sentence for each checked rule, in order. The last one is the result.',
    }),
  }),
});

const CommandAccess = builder.objectRef<CommandAccessRecord>('CommandAccess').implement({
  description: 'Permissions of a command in a server. The owner of the server does not need them.',
  fields: (t) => ({
    command: t.field({
      type: ApplicationCommand,
      nullable: true,
      description: 'The command. Null for the list of the application, which applies to commands without permissions.',
      resolve: ({ command }) => command,
    }),
    permissions: t.field({
      type: 'JSON',
      description: "List of its own permissions, in the format of Discord's API.",
      resolve: ({ entries }) => entries.map(renderPermissionEntry),
    }),
    effective: t.field({
      type: 'JSON',
      description: 'List that applies: its own permissions if it has any, otherwise those of the application.',
      resolve: ({ effective }) => effective.map(renderPermissionEntry),
    }),
  }),
});

/** An application can have hundreds of commands, each with a long list. */
const ACCESS_COST = { field: 1, multiplier: 300 };

builder.prismaObjectFields('Guild', (t) => ({
  commandAccess: t.field({
    type: [CommandAccess],
    description:
      "Command permissions of an application: the application's own, then each command's. Needs Manage Guild.",
    args: { applicationId: t.arg.id(idOf.application) },
    complexity: ACCESS_COST,
    resolve: ({ id }, args, { budget, call }) => {
      const key = { guildId: id, applicationId: parseId(args.applicationId, 'applicationId') };
      return budget.step(() => listCommandAccess(call, key));
    },
  }),
}));

const PICKER_COST = { field: 1, multiplier: 100 };

const LIST_OF = "ID of the command. Default: the application's list, which applies to commands without permissions.";

builder.queryFields((t) => ({
  runnableCommands: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: [ApplicationCommand],
    description: `Commands that the caller can run in a channel, sorted by name; at most ${limits.commandsShown}.`,
    args: {
      channelId: t.arg.id(idOf.channel),
      type: t.arg({ type: CommandType, description: 'Returns only commands of this kind.' }),
    },
    complexity: PICKER_COST,
    resolve: async (_root, { channelId, type }, { budget, call }) => {
      const input = { channelId: parseId(channelId, 'channelId'), type: type ?? undefined };
      const ids = await budget.step(() => runnableCommandIds(call, input));
      const rows = await readInPieces(budget, ids, (piece) =>
        call.read.applicationCommand.findMany({ where: { id: { in: piece } } }),
      );
      return rows.map(commandRecord);
    },
  }),
  whyRunnable: t.field({
    type: Runnability,
    description:
      'Explains whether a user can run a command in a channel. Needs Manage Guild for a user other than the caller.',
    args: {
      channelId: t.arg.id(idOf.channel),
      commandId: t.arg.id(idOf.command),
      userId: t.arg.id({ description: 'ID of the user. Default: the caller.' }),
    },
    resolve: (_root, { channelId, commandId, userId }, { budget, call }) => {
      const place = { channelId: parseId(channelId, 'channelId'), commandId: parseId(commandId, 'commandId') };
      const input = { ...place, userId: parseOptionalId(userId, 'userId') };
      return budget.step(() => whyRunnable(call, input));
    },
  }),
  commandPermissions: t.field({
    type: 'JSON',
    description: "Permissions of a command in a server, in the format of Discord's API. Needs Manage Guild.",
    args: {
      guildId: t.arg.id(idOf.guild),
      applicationId: t.arg.id(idOf.application),
      commandId: t.arg.id({ description: LIST_OF }),
    },
    resolve: async (_root, args, { budget, call }) => {
      const key = parseKey(args);
      const { entries } = await budget.step(() => listCommandPermissions(call, key));
      return entries.map(renderPermissionEntry);
    },
  }),
}));

const TARGET =
  'ID of the role, user or channel. The server ID means @everyone, and the server ID minus 1 means all channels.';
const TARGET_TYPE = 'Kind of the target.';

const CommandPermissionInput = builder.inputType('CommandPermissionInput', {
  description: 'Permission of one role, user or channel.',
  fields: (t) => ({
    id: t.id({
      required: true,
      description: TARGET,
    }),
    type: t.field({ type: PermissionTarget, required: true, description: TARGET_TYPE }),
    allow: t.boolean({ required: true, description: 'Whether the target can run the command.' }),
  }),
});

const SetCommandPermissionsInput = builder.inputType('SetCommandPermissionsInput', {
  description: 'All permissions of a command in a server.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    applicationId: t.id(idOf.application),
    commandId: t.id({
      description: LIST_OF,
    }),
    permissions: t.field({
      type: [CommandPermissionInput],
      required: true,
      description: `The complete list, at most ${limits.permissionsPerCommand} entries.`,
    }),
  }),
});

const CommandPermissionsPayload = builder.objectRef<{ permissions: object[] }>('CommandPermissionsPayload').implement({
  description: 'The affected command permissions.',
  fields: (t) => ({
    permissions: t.expose('permissions', {
      type: 'JSON',
      description: "List after the change, in the format of Discord's API.",
    }),
  }),
});

/** GraphQL has validated everything but the ids. */
const Entries = z
  .array(z.object({ id: snowflake(), type: z.enum(ApplicationCommandPermissionType), allow: z.boolean() }))
  .max(limits.permissionsPerCommand);

const SetCommandPermissionInput = builder.inputType('SetCommandPermissionInput', {
  description: 'Permission of one role, user or channel in a server.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    applicationId: t.id(idOf.application),
    commandId: t.id({
      description: LIST_OF,
    }),
    id: t.id({
      required: true,
      description: TARGET,
    }),
    type: t.field({ type: PermissionTarget, required: true, description: TARGET_TYPE }),
    allow: t.boolean({ description: 'Whether the target can run the command. Null or omitted removes the entry.' }),
  }),
});

builder.mutationFields((t) => ({
  setCommandPermission: t.field({
    type: GuildPayload,
    description: 'Sets or removes one command permission, and keeps concurrent changes of others. Needs Manage Guild.',
    args: { input: t.arg(inputOf(SetCommandPermissionInput)) },
    resolve: async (_root, { input }, { call }) => {
      const { id, type, allow } = input;
      const target = { targetId: parseId(id, 'id'), targetType: type, allow: allow ?? null };
      const { guildId } = await setCommandPermission(call, { ...parseKey(input), ...target });
      return { guild: await call.read.guild.findUniqueOrThrow({ where: { id: guildId } }) };
    },
  }),
  setCommandPermissions: t.field({
    type: CommandPermissionsPayload,
    description: 'Replaces the permissions of a command in a server. Needs Manage Guild.',
    args: { input: t.arg(inputOf(SetCommandPermissionsInput)) },
    resolve: async (_root, { input }, { call }) => {
      const entries = parseInput(Entries, input.permissions, 'permissions').map(({ id, type, allow }) => ({
        targetId: id,
        targetType: type,
        allow,
      }));
      const permissions = await setCommandPermissions(call, { ...parseKey(input), entries });
      return { permissions: permissions.entries.map(renderPermissionEntry) };
    },
  }),
}));

interface KeyArgs {
  guildId: string;
  applicationId: string;
  commandId?: string | null | undefined;
}

function parseKey({ guildId, applicationId, commandId }: KeyArgs) {
  return {
    guildId: parseId(guildId, 'guildId'),
    applicationId: parseId(applicationId, 'applicationId'),
    commandId: parseOptionalId(commandId, 'commandId'),
  };
}
