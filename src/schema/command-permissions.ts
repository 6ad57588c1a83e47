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
import { builder } from './builder.js';
import { ApplicationCommand, CommandType } from './commands.js';
import { GuildPayload } from './guild-mutations.js';
import { parseId, parseOptionalId } from './ids.js';
import { readInPieces } from './lists.js';

const PermissionTarget = builder.enumType('PermissionTarget', {
  values: {
    ROLE: { value: ApplicationCommandPermissionType.Role },
    USER: { value: ApplicationCommandPermissionType.User },
    CHANNEL: { value: ApplicationCommandPermissionType.Channel },
  } as const,
});

const Runnability = builder.objectRef<RunnabilityRecord>('Runnability').implement({
  description: 'Whether somebody may run a command, and why.',
  fields: (t) => ({
    allowed: t.exposeBoolean('allowed'),
    rule: t.exposeString('rule', { description: 'The rule that decided, such as owner, role-entry or no-entry.' }),
    steps: t.exposeStringList('steps', {
      description: 'A sentence for each rule that was looked at, in their order; the last one is the answer.',
    }),
  }),
});

const CommandAccess = builder.objectRef<CommandAccessRecord>('CommandAccess').implement({
  description: 'Who may run a command in a server, beside its owner and administrators.',
  fields: (t) => ({
    command: t.field({
      type: ApplicationCommand,
      nullable: true,
      description: 'Null for all commands that have no list of their own.',
      resolve: ({ command }) => command,
    }),
    permissions: t.field({
      type: 'JSON',
      description: "What its own list says, as the reference platform's list of permissions.",
      resolve: ({ entries }) => entries.map(renderPermissionEntry),
    }),
    effective: t.field({
      type: 'JSON',
      description: "The list that counts, likewise: a command's own takes the place of the application's.",
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
      "What is said of an application's commands: first of all of them, then of each. For who manages the server.",
    args: { applicationId: t.arg.id({ required: true }) },
    complexity: ACCESS_COST,
    resolve: ({ id }, args, { budget, call }) => {
      const key = { guildId: id, applicationId: parseId(args.applicationId, 'applicationId') };
      return budget.step(() => listCommandAccess(call, key));
    },
  }),
}));

const PICKER_COST = { field: 1, multiplier: 100 };

builder.queryFields((t) => ({
  runnableCommands: t.field({
    type: [ApplicationCommand],
    description: `The commands that the caller may run in the channel, by name; ${limits.commandsShown} at most.`,
    args: { channelId: t.arg.id({ required: true }), type: t.arg({ type: CommandType }) },
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
    description: 'Whether somebody may run a command in the channel, and why. About others for who manages the server.',
    args: {
      channelId: t.arg.id({ required: true }),
      commandId: t.arg.id({ required: true }),
      userId: t.arg.id({ description: 'The caller when not given.' }),
    },
    resolve: (_root, { channelId, commandId, userId }, { budget, call }) => {
      const place = { channelId: parseId(channelId, 'channelId'), commandId: parseId(commandId, 'commandId') };
      const input = { ...place, userId: parseOptionalId(userId, 'userId') };
      return budget.step(() => whyRunnable(call, input));
    },
  }),
  commandPermissions: t.field({
    type: 'JSON',
    description: "Who may run a command in the server, as the reference platform's list of permissions.",
    args: {
      guildId: t.arg.id({ required: true }),
      applicationId: t.arg.id({ required: true }),
      commandId: t.arg.id({ description: "What is said of all of the application's commands when not given." }),
    },
    resolve: async (_root, args, { budget, call }) => {
      const key = parseKey(args);
      const { entries } = await budget.step(() => listCommandPermissions(call, key));
      return entries.map(renderPermissionEntry);
    },
  }),
}));

const CommandPermissionInput = builder.inputType('CommandPermissionInput', {
  fields: (t) => ({
    id: t.id({
      required: true,
      description: "Of the role, user or channel. The server's id is @everyone, and one less all channels.",
    }),
    type: t.field({ type: PermissionTarget, required: true }),
    allow: t.boolean({ required: true }),
  }),
});

const SetCommandPermissionsInput = builder.inputType('SetCommandPermissionsInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    applicationId: t.id({ required: true }),
    commandId: t.id({
      description: 'For all commands of the application without permissions of their own when not given.',
    }),
    permissions: t.field({
      type: [CommandPermissionInput],
      required: true,
      description: `The whole list, ${limits.permissionsPerCommand} entries at most.`,
    }),
  }),
});

const CommandPermissionsPayload = builder.objectRef<{ permissions: object[] }>('CommandPermissionsPayload').implement({
  fields: (t) => ({
    permissions: t.expose('permissions', { type: 'JSON', description: "The reference platform's list." }),
  }),
});

/** GraphQL has validated everything but the ids. */
const Entries = z
  .array(z.object({ id: snowflake(), type: z.enum(ApplicationCommandPermissionType), allow: z.boolean() }))
  .max(limits.permissionsPerCommand);

const SetCommandPermissionInput = builder.inputType('SetCommandPermissionInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    applicationId: t.id({ required: true }),
    commandId: t.id({
      description: 'For all commands of the application without permissions of their own when not given.',
    }),
    id: t.id({
      required: true,
      description: "Of the role, user or channel. The server's id is @everyone, and one less all channels.",
    }),
    type: t.field({ type: PermissionTarget, required: true }),
    allow: t.boolean({ description: 'Null, or not given, where nothing is to be said any more.' }),
  }),
});

builder.mutationFields((t) => ({
  setCommandPermission: t.field({
    type: GuildPayload,
    description:
      'Says something else of one role, user or channel in such a list, whatever is said of others at the same time.',
    args: { input: t.arg({ type: SetCommandPermissionInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const { id, type, allow } = input;
      const target = { targetId: parseId(id, 'id'), targetType: type, allow: allow ?? null };
      const { guildId } = await setCommandPermission(call, { ...parseKey(input), ...target });
      return { guild: await call.read.guild.findUniqueOrThrow({ where: { id: guildId } }) };
    },
  }),
  setCommandPermissions: t.field({
    type: CommandPermissionsPayload,
    description: 'Replaces the list that says who may run a command in the server.',
    args: { input: t.arg({ type: SetCommandPermissionsInput, required: true }) },
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
