import { queryFromInfo } from '@pothos/plugin-prisma';
import { ApplicationCommandType } from 'discord-api-types/v10';
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
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { Guild, guildOfMember } from './guilds.js';
import { parseId, parseOptionalId, snowflakeId } from './ids.js';
import { childLists, referredRows } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';

export const CommandType = builder.enumType('CommandType', {
  values: {
    CHAT_INPUT: { value: ApplicationCommandType.ChatInput },
    USER: { value: ApplicationCommandType.User },
    MESSAGE: { value: ApplicationCommandType.Message },
  },
});

export const ApplicationCommand = builder.objectRef<CommandRecord>('ApplicationCommand').implement({
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      resolve: ({ applicationId }, _args, context, info) => ownerApplication(context, info, applicationId),
    }),
    guild: t.field({
      type: Guild,
      nullable: true,
      description: 'Where it is; null for one that is everywhere, and for a server of which the caller is no member.',
      resolve: (command, _args, context, info) => {
        const { guildId } = scopeOf(command);
        return guildId === null ? null : guildOfMember(context, info, guildId);
      },
    }),
    type: t.field({ type: CommandType, resolve: ({ type }) => type }),
    name: t.exposeString('name'),
    nameLocalizations: t.field({
      type: 'JSON',
      nullable: true,
      description: 'By locale.',
      resolve: ({ nameLocalizations }) => nameLocalizations,
    }),
    description: t.exposeString('description', { description: 'Empty for an entry of a context menu.' }),
    descriptionLocalizations: t.field({
      type: 'JSON',
      nullable: true,
      description: 'By locale.',
      resolve: ({ descriptionLocalizations }) => descriptionLocalizations,
    }),
    options: t.field({ type: 'JSON', resolve: (command) => renderCommand(command).options ?? [] }),
    defaultMemberPermissions: t.exposeString('defaultMemberPermissions', {
      nullable: true,
      description: 'Decimal bits. Kept for the application; who may run it is decided by what a server grants.',
    }),
    nsfw: t.exposeBoolean('nsfw'),
    integrationTypes: t.exposeIntList('integrationTypes', {
      description: 'The install contexts: 0 for a server, 1 for a user.',
    }),
    contexts: t.exposeIntList('contexts', {
      nullable: true,
      description: 'Where it can be used: 0 in servers, 1 in direct messages with the bot, 2 in others. Null for all.',
    }),
    version: t.id({
      description: 'Another one after each change.',
      resolve: ({ version }) => String(version),
    }),
    reserved: t.boolean({
      description: 'Whether its name has become that of a built-in command: it cannot be run until it is renamed.',
      resolve: ({ name }, _args, { call }) => call.hasBuiltIns && isReservedName(name),
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  commands: t.field({
    type: [ApplicationCommand],
    description:
      'Those that are everywhere, or those of one server, in which the application must be installed; oldest first.',
    args: { guildId: t.arg.id() },
    resolve: async ({ id, ...application }, args, context, info) => {
      const { call, budget } = context;
      const guildId = parseOptionalId(args.guildId, 'guildId');
      if (!(await callerMayWithApplication(context, application, 'view'))) return [];
      const scope = { applicationId: id, guildId: guildId ?? null };
      if (guildId !== undefined) return budget.read(COMMANDS_PER_SCOPE, () => listCommands(call, scope));
      return childLists(context, info, {
        most: COMMANDS_PER_SCOPE,
        read: async (applicationIds, take) => {
          const where = { applicationId: { in: applicationIds }, scopeId: GLOBAL_SCOPE };
          const rows = await call.read.applicationCommand.findMany({ where, orderBy: { id: 'asc' }, take });
          return rows.map(commandRecord);
        },
        parentOf: (command) => command.applicationId,
      }).load(id);
    },
  }),
}));

const COMMAND = "The reference platform's body of a command.";

const CreateCommandInput = builder.inputType('CreateCommandInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    guildId: t.id({ description: 'Everywhere without it.' }),
    command: t.field({ type: 'JSON', required: true, description: COMMAND }),
  }),
});
const UpdateCommandInput = builder.inputType('UpdateCommandInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    commandId: t.id({ required: true }),
    command: t.field({ type: 'JSON', required: true, description: `${COMMAND} What is not given stays as it is.` }),
  }),
});
const CommandIdInput = builder.inputType('CommandIdInput', {
  fields: (t) => ({ applicationId: t.id({ required: true }), commandId: t.id({ required: true }) }),
});
const OverwriteCommandsInput = builder.inputType('OverwriteCommandsInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    guildId: t.id({ description: 'Everywhere without it.' }),
    commands: t.field({ type: 'JSON', required: true, description: 'A list of such bodies, of all types.' }),
    dryRun: t.boolean({ description: 'Only tells what would be done.' }),
    planDigest: t.string({
      description: 'Of the plan that was looked at: CONFLICT where by now another one would be applied.',
    }),
  }),
});

const CommandPayload = builder.objectRef<{ command: CommandRecord }>('CommandPayload').implement({
  fields: (t) => ({ command: t.field({ type: ApplicationCommand, resolve: ({ command }) => command }) }),
});

const CommandChange = builder.enumType('CommandChange', {
  values: ['CREATED', 'CHANGED', 'DELETED', 'UNCHANGED'] as const,
});

const CommandFieldChange = builder.objectRef<PlanEntry['changes'][number]>('CommandFieldChange').implement({
  fields: (t) => ({
    field: t.exposeString('field', { description: 'By its name on the wire.' }),
    before: t.field({ type: 'JSON', nullable: true, resolve: ({ before }) => before ?? null }),
    after: t.field({ type: 'JSON', nullable: true, resolve: ({ after }) => after ?? null }),
  }),
});

const CommandPlanEntry = builder.objectRef<PlanEntry>('CommandPlanEntry').implement({
  fields: (t) => ({
    change: t.expose('change', { type: CommandChange }),
    type: t.field({ type: CommandType, resolve: ({ type }) => type }),
    name: t.exposeString('name'),
    fields: t.stringList({
      description: 'Those that change, by their names on the wire.',
      resolve: ({ changes }) => changes.map(({ field }) => field),
    }),
    changes: t.field({
      type: [CommandFieldChange],
      description: 'What these fields are before and after.',
      resolve: ({ changes }) => changes,
    }),
    grantsLost: t.exposeInt('grantsLost', { description: 'How many permissions that servers granted go with it.' }),
    grantsLostIn: t.field({
      type: [Guild],
      description: 'The servers that granted them of which the caller is a member, oldest first.',
      resolve: async ({ grantsLostIn }, _args, context, info) => {
        const query = queryFromInfo({ context, info });
        const read = (ids: bigint[]) => context.call.read.guild.findMany({ ...query, where: { id: { in: ids } } });
        const rows = referredRows(context, info, read);
        const guilds = await Promise.all(grantsLostIn.map((id) => rows.load(id)));
        return guilds.filter((guild) => guild !== null);
      },
    }),
    grantsLostElsewhere: t.exposeInt('grantsLostElsewhere', {
      description: 'How many other servers granted some of them.',
    }),
  }),
});

const OverwriteCommandsPayload = builder
  .objectRef<Overwriting & { applied: boolean }>('OverwriteCommandsPayload')
  .implement({
    fields: (t) => ({
      plan: t.field({
        type: [CommandPlanEntry],
        description: 'The given commands in their order, then those that go.',
        resolve: ({ plan }) => plan,
      }),
      commands: t.field({
        type: [ApplicationCommand],
        description: 'As they are now, oldest first.',
        resolve: ({ commands }) => commands,
      }),
      applied: t.exposeBoolean('applied'),
      digest: t.string({
        description: 'Names the plan, for applying this one and no other.',
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
    type: CommandPayload,
    description: 'Registers a command; one of the same type and name becomes this one.',
    args: { input: t.arg({ type: CreateCommandInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      createCommand(call, scopeIn(input), parseInput(commandSchemas(call).command, input.command, 'command')),
  }),
  updateCommand: t.field({
    type: CommandPayload,
    description: 'Changes a command. With another name it loses what servers granted of it.',
    args: { input: t.arg({ type: UpdateCommandInput, required: true }) },
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
    type: DeletedPayload,
    description: 'Deletes a command, with what servers granted of it.',
    args: { input: t.arg({ type: CommandIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const key = keyIn(input);
      await deleteCommand(call, key);
      return { id: key.commandId };
    },
  }),
  overwriteCommands: t.field({
    type: OverwriteCommandsPayload,
    description:
      'Makes the commands of an application these, everywhere or in one server, and tells what that changes.',
    args: { input: t.arg({ type: OverwriteCommandsInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const scope = scopeIn(input);
      const commands = await parseInTurns(commandSchemas(call).set, input.commands, 'commands');
      if (input.dryRun) return { ...(await planOverwrite(call, scope, commands)), applied: false };
      const done = await overwriteCommands(call, scope, commands, input.planDigest ?? undefined);
      return { ...done, applied: true };
    },
  }),
}));
