import { queryFromInfo } from '@pothos/plugin-prisma';
import { ApplicationCommandType } from 'discord-api-types/v10';
import type { CallContext } from '../domain/call.js';
import {
  COMMANDS_PER_SCOPE,
  CommandPatch,
  type CommandRecord,
  type CommandScope,
  commandRecord,
  commandSchemas,
  createCommand,
  deleteCommand,
  GLOBAL_SCOPE,
  isReservedName,
  listCommands,
  type Overwriting,
  overwriteCommands,
  type CommandPlanEntry as PlanEntry,
  patched,
  planOverwrite,
  scopeOf,
  updateCommand,
} from '../domain/commands/index.js';
import { parseInput, parseInTurns } from '../domain/parse-input.js';
import { renderCommand } from '../wire/commands.js';
import { Application, ownerApplication } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { readerOf } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { idOf, parseId, parseOptionalId, snowflakeId } from './ids.js';
import { type ChildList, childLists, referredRows } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';

export const CommandType = builder.enumType('CommandType', {
  description: 'Kind of an application command.',
  values: {
    CHAT_INPUT: { value: ApplicationCommandType.ChatInput, description: 'A slash command.' },
    USER: { value: ApplicationCommandType.User, description: 'An entry in the context menu of users.' },
    MESSAGE: { value: ApplicationCommandType.Message, description: 'An entry in the context menu of messages.' },
  },
});

const NAME = 'Name of the command, 1–32 characters.';
const TYPE = 'Kind of the command.';

export const ApplicationCommand = builder.objectRef<CommandRecord>('ApplicationCommand').implement({
  description: 'A command that an application registered.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      description: 'Application that registered the command.',
      resolve: ({ applicationId }, _args, context, info) => ownerApplication(context, info, applicationId),
    }),
    guild: t.field({
      type: Guild,
      nullable: true,
      description: 'Server of the command. Null for a global command, or if the caller is not a member.',
      resolve: (command, _args, context, info) => {
        const { guildId } = scopeOf(command);
        return guildId === null ? null : readerOf(context, guildId).findIfVisible(info);
      },
    }),
    type: t.field({ type: CommandType, description: TYPE, resolve: ({ type }) => type }),
    name: t.exposeString('name', { description: NAME }),
    nameLocalizations: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Object of translated names by locale. Null if there are none.',
      resolve: ({ nameLocalizations }) => nameLocalizations,
    }),
    description: t.exposeString('description', {
      description: '1–100 characters. Empty for a command of a context menu.',
    }),
    descriptionLocalizations: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Object of translated descriptions by locale. Null if there are none.',
      resolve: ({ descriptionLocalizations }) => descriptionLocalizations,
    }),
    options: t.field({
      type: 'JSON',
      description: "List of options, in the format of Discord's API.",
      resolve: (command) => renderCommand(command).options ?? [],
    }),
    defaultMemberPermissions: t.exposeString('defaultMemberPermissions', {
      nullable: true,
      description:
        'Permission bits as a decimal number, or null. Stored but not enforced: only the command permissions of a server count.',
    }),
    nsfw: t.exposeBoolean('nsfw', { description: 'Whether it can run only in age-restricted channels.' }),
    integrationTypes: t.exposeIntList('integrationTypes', {
      description: 'Install contexts in which it is available: 0 server, 1 user.',
    }),
    contexts: t.exposeIntList('contexts', {
      nullable: true,
      description:
        'Places where it can run: 0 servers, 1 direct messages with the bot, 2 other direct messages. Null for all.',
    }),
    version: t.id({
      description: 'ID that changes with every update of the command.',
      resolve: ({ version }) => String(version),
    }),
    reserved: t.boolean({
      description: 'Whether a built-in command has the same name. It cannot run until it is renamed.',
      resolve: ({ name }, _args, { call }) => call.hasBuiltIns && isReservedName(name),
    }),
  }),
});

export function globalCommands({ read }: CallContext): ChildList<CommandRecord> {
  return {
    most: COMMANDS_PER_SCOPE,
    read: async (applicationIds, take) => {
      const where = { applicationId: { in: applicationIds }, scopeId: GLOBAL_SCOPE };
      return (await read.applicationCommand.findMany({ where, orderBy: { id: 'asc' }, take })).map(commandRecord);
    },
    parentOf: (command) => command.applicationId,
  };
}

builder.prismaObjectFields(Application, (t) => ({
  commands: t.field({
    type: [ApplicationCommand],
    description: 'Global commands, or the commands of one server, oldest first. Empty for callers without a role.',
    args: {
      guildId: t.arg.id({
        description: 'ID of a server in which the application is installed. Default: global commands.',
      }),
    },
    resolve: async ({ id, ...application }, args, context, info) => {
      const { call, budget } = context;
      const guildId = parseOptionalId(args.guildId, 'guildId');
      if (!(await callerMayWithApplication(context, application, 'view'))) return [];
      const scope = { applicationId: id, guildId: guildId ?? null };
      if (guildId !== undefined) return budget.read(COMMANDS_PER_SCOPE, () => listCommands(call, scope));
      return childLists(context, info, globalCommands(call)).load(id);
    },
  }),
}));

const COMMAND = "Command in the format of Discord's API.";
const SCOPE = 'ID of the server. Default: global commands.';

const CreateCommandInput = builder.inputType('CreateCommandInput', {
  description: 'A new command.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    guildId: t.id({ description: SCOPE }),
    command: t.field({ type: 'JSON', required: true, description: COMMAND }),
  }),
});
const UpdateCommandInput = builder.inputType('UpdateCommandInput', {
  description: 'Changes of a command.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    commandId: t.id(idOf.command),
    command: t.field({ type: 'JSON', required: true, description: `${COMMAND} Omitted fields stay unchanged.` }),
  }),
});
const CommandIdInput = builder.inputType('CommandIdInput', {
  description: 'Identifies a command.',
  fields: (t) => ({ applicationId: t.id(idOf.application), commandId: t.id(idOf.command) }),
});
const OverwriteCommandsInput = builder.inputType('OverwriteCommandsInput', {
  description: 'All commands of an application, globally or in one server.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    guildId: t.id({ description: SCOPE }),
    commands: t.field({
      type: 'JSON',
      required: true,
      description: "List of commands of all types, in the format of Discord's API.",
    }),
    dryRun: t.boolean({ description: 'Whether to return the plan without applying it. Default: false.' }),
    planDigest: t.string({
      description: '`digest` of the plan to apply. Fails with CONFLICT if the plan has changed.',
    }),
  }),
});

const CommandPayload = builder.objectRef<{ command: CommandRecord }>('CommandPayload').implement({
  description: 'The affected command.',
  fields: (t) => ({
    command: t.field({
      type: ApplicationCommand,
      description: 'The command after the change.',
      resolve: ({ command }) => command,
    }),
  }),
});

export const CommandChange = builder.enumType('CommandChange', {
  description: 'Effect of a plan on a command or a webhook.',
  values: {
    CREATED: { description: 'It is new.' },
    CHANGED: { description: 'At least one of its fields is different.' },
    DELETED: { description: 'It is not in the new list.' },
    UNCHANGED: { description: 'It stays as it is.' },
  },
});

const CommandFieldChange = builder.objectRef<PlanEntry['changes'][number]>('CommandFieldChange').implement({
  description: 'Change of one field of a command.',
  fields: (t) => ({
    field: t.exposeString('field', { description: "Name of the field in Discord's API." }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value before the change. Null if it was not set.',
      resolve: ({ before }) => before ?? null,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value after the change. Null if it is not set.',
      resolve: ({ after }) => after ?? null,
    }),
  }),
});

export const CommandPlanEntry = builder.objectRef<PlanEntry>('CommandPlanEntry').implement({
  description: 'Effect of a plan on one command.',
  fields: (t) => ({
    change: t.expose('change', { type: CommandChange, description: 'Effect on the command.' }),
    type: t.field({ type: CommandType, description: TYPE, resolve: ({ type }) => type }),
    name: t.exposeString('name', { description: NAME }),
    fields: t.stringList({
      description: "Names of the changed fields in Discord's API.",
      resolve: ({ changes }) => changes.map(({ field }) => field),
    }),
    changes: t.field({
      type: [CommandFieldChange],
      description: 'Values of these fields before and after the change.',
      resolve: ({ changes }) => changes,
    }),
    grantsLost: t.exposeInt('grantsLost', {
      description: 'Number of permissions set by servers that are deleted with the command.',
    }),
    grantsLostIn: t.field({
      type: [Guild],
      description: "The caller's servers that set such permissions, oldest first.",
      resolve: async ({ grantsLostIn }, _args, context, info) => {
        const query = queryFromInfo({ context, info });
        const read = (ids: bigint[]) => context.call.read.guild.findMany({ ...query, where: { id: { in: ids } } });
        const rows = referredRows(context, info, read);
        const guilds = await Promise.all(grantsLostIn.map((id) => rows.load(id)));
        return guilds.filter((guild) => guild !== null);
      },
    }),
    grantsLostElsewhere: t.exposeInt('grantsLostElsewhere', {
      description: 'Number of other servers that set such permissions.',
    }),
  }),
});

const OverwriteCommandsPayload = builder
  .objectRef<Overwriting & { applied: boolean }>('OverwriteCommandsPayload')
  .implement({
    description: 'Result of `overwriteCommands`.',
    fields: (t) => ({
      plan: t.field({
        type: [CommandPlanEntry],
        description: 'Given commands in their order, then those to delete.',
        resolve: ({ plan }) => plan,
      }),
      commands: t.field({
        type: [ApplicationCommand],
        description: 'Registered commands, oldest first.',
        resolve: ({ commands }) => commands,
      }),
      applied: t.exposeBoolean('applied', { description: 'Whether the plan was applied. False for a dry run.' }),
      digest: t.string({
        description: 'Hash of the plan. Pass it as `planDigest` to apply exactly this plan.',
        resolve: ({ digest }) => digest(),
      }),
    }),
  });

function scopeIn(input: { applicationId: string; guildId?: string | null | undefined }): CommandScope {
  return {
    applicationId: parseId(input.applicationId, 'applicationId'),
    guildId: parseOptionalId(input.guildId, 'guildId') ?? null,
  };
}

function keyIn(input: { applicationId: string; commandId: string }): { applicationId: bigint; commandId: bigint } {
  return {
    applicationId: parseId(input.applicationId, 'applicationId'),
    commandId: parseId(input.commandId, 'commandId'),
  };
}

builder.mutationFields((t) => ({
  createCommand: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: CommandPayload,
    description:
      'Registers a command, or replaces the one with the same type and name. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(CreateCommandInput)) },
    resolve: (_root, { input }, { call }) =>
      createCommand(call, scopeIn(input), parseInput(commandSchemas(call).command, input.command, 'command')),
  }),
  updateCommand: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: CommandPayload,
    description:
      'Changes a command. A new name deletes the permissions that servers set. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(UpdateCommandInput)) },
    resolve: async (_root, { input }, { call }) => {
      const patch = parseInput(CommandPatch, input.command, 'command');
      const command = await updateCommand(call, keyIn(input), (before) => {
        const [schema, body] = patched(call, before, patch);
        return parseInput(schema, body, 'command');
      });
      return { command };
    },
  }),
  deleteCommand: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: DeletedPayload,
    description: 'Deletes a command and the permissions that servers set. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(CommandIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const key = keyIn(input);
      await deleteCommand(call, key);
      return { id: key.commandId };
    },
  }),
  overwriteCommands: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: OverwriteCommandsPayload,
    description:
      'Replaces all commands, globally or in one server, and returns the changes. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(OverwriteCommandsInput)) },
    resolve: async (_root, { input }, { call }) => {
      const scope = scopeIn(input);
      const commands = await parseInTurns(commandSchemas(call).set, input.commands, 'commands');
      if (input.dryRun) return { ...(await planOverwrite(call, scope, commands)), applied: false };
      const done = await overwriteCommands(call, scope, commands, input.planDigest ?? undefined);
      return { ...done, applied: true };
    },
  }),
}));
