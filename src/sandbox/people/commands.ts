import { ApplicationCommandType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { z } from 'zod';
import { invokeBuiltIn, listBuiltIns } from '../../domain/built-in-commands/index.js';
import type { CallContext } from '../../domain/call.js';
import { type CommandOption, type CommandRecord, commandRecord, GLOBAL_SCOPE } from '../../domain/commands/index.js';
import { invalidInput } from '../../domain/errors.js';
import { autocompleteCommand, InvokedOptions, invokeCommand } from '../../domain/interactions/index.js';
import { parseInput } from '../../domain/parse-input.js';
import { topics } from '../../infra/streams/topics.js';
import { notFound, SandboxError } from '../errors.js';
import type { AnswerDescription } from '../protocol.js';
import { until } from '../waiting.js';
import type { World } from '../worlds/world.js';
import { answerTo, renderAnswer } from './answers.js';
import { receive, TestFile, UPLOADS_PER_CALL } from './files.js';
import { optionValue } from './values.js';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

export const Invocation = z.strictObject({
  channel: z.string(),
  command: z.string().min(1).describe('The name, with those of subcommands: `settings color set`.'),
  application: z.string().optional().describe('Default: the first application with such a command.'),
  options: z
    .record(z.string(), Scalar)
    .default({})
    .describe('Values by option. Users, channels and roles by name or id.'),
  target: z.string().optional().describe('For a user command a person, for a message command the id of a message.'),
  files: z
    .array(TestFile)
    .max(UPLOADS_PER_CALL)
    .default([])
    .describe('The value of an attachment option is an index in it.'),
});

export const Autocompletion = z.strictObject({
  ...Invocation.pick({ channel: true, command: true, application: true, options: true }).shape,
  focused: z.string().describe('The option that the person is typing.'),
});

type Chosen = Pick<z.output<typeof Invocation>, 'command' | 'application' | 'options'>;

/** @throws the refusals of `invokeCommand`, and the errors of `answerTo` */
export async function runCommand(
  world: World,
  call: CallContext,
  input: z.output<typeof Invocation>,
  withinMs: number,
): Promise<AnswerDescription> {
  const channel = await world.channel(input.channel);
  const builtIn = call.hasBuiltIns && input.application === undefined ? findBuiltIn(input.command) : undefined;
  if (builtIn) {
    const options = parseInput(InvokedOptions, await wireOptions(world, builtIn.options, [], input), 'options');
    const interaction = await invokeBuiltIn(call, { channelId: channel.id, name: builtIn.name, options });
    return renderAnswer(world, call, interaction);
  }
  const { command, path } = await findCommand(world, channel.guildId, input, withinMs);
  const options = await wireOptions(world, command.options, path, input);
  const interaction = await invokeCommand(call, {
    channelId: channel.id,
    commandId: command.id,
    options: parseInput(InvokedOptions, options, 'options'),
    targetId: input.target === undefined ? undefined : targetOf(world, command, input.target),
    files: await receive(world.app, input.files),
  });
  return answerTo(world, call, interaction, withinMs);
}

/** @throws as {@link runCommand} */
export async function autocomplete(
  world: World,
  call: CallContext,
  input: z.output<typeof Autocompletion>,
  withinMs: number,
): Promise<AnswerDescription> {
  const channel = await world.channel(input.channel);
  const { command, path } = await findCommand(world, channel.guildId, input, withinMs);
  const options = await wireOptions(world, command.options, path, input, input.focused);
  const interaction = await autocompleteCommand(call, {
    channelId: channel.id,
    commandId: command.id,
    options: parseInput(InvokedOptions, options, 'options'),
  });
  return answerTo(world, call, interaction, withinMs);
}

/** Their names are reserved, so that no application has the same. */
function findBuiltIn(command: string) {
  return listBuiltIns().find(({ name }) => name === command.replace(/^\//, ''));
}

/**
 * Waits for a bot that has registered no command so far, because it may still be starting.
 * @throws SandboxError UNKNOWN_COMMAND with the commands that exist
 */
async function findCommand(
  world: World,
  guildId: bigint | null,
  { command: wanted, application }: Pick<Chosen, 'command' | 'application'>,
  withinMs: number,
): Promise<{ command: CommandRecord; path: string[] }> {
  const among = application === undefined ? world.applications : [world.application(application)];
  const where = {
    applicationId: { in: among.map(({ id }) => id) },
    scopeId: { in: [GLOBAL_SCOPE, guildId ?? GLOBAL_SCOPE] },
  };
  const registered = async () => {
    const rows = await world.app.db.reader.applicationCommand.findMany({ where, orderBy: { id: 'asc' } });
    return rows.length > 0 ? rows.map(commandRecord) : null;
  };
  const streams = among.map(({ id }) => topics.application(id));
  const commands = (await until(world.app, streams, withinMs, registered)) ?? [];
  const name = wanted.replace(/^\//, '');
  const whole = commands.find((command) => command.name === name);
  if (whole) return { command: whole, path: [] };
  const [first = '', ...path] = name.split(/\s+/);
  const command = commands.find((one) => one.type === ApplicationCommandType.ChatInput && one.name === first);
  if (command) return { command, path };
  if (commands.length > 0)
    throw notFound(
      'command',
      wanted,
      commands.map((one) => one.name),
    );
  const names = among.map((one) => one.name).join(', ');
  throw new SandboxError(404, 'UNKNOWN_COMMAND', `${names} has registered no commands. Has the bot started?`);
}

type WireOption = {
  name: string;
  type: number;
  value?: string | number | boolean;
  focused?: boolean;
  options?: WireOption[];
};

async function wireOptions(
  world: World,
  defined: readonly CommandOption[],
  [next, ...path]: string[],
  chosen: Chosen,
  focused?: string,
): Promise<WireOption[]> {
  const subcommands = defined.filter(({ type }) => type === Option.Subcommand || type === Option.SubcommandGroup);
  const subcommand = subcommands.find(({ name }) => name === next);
  if (subcommand) {
    const options = await wireOptions(world, subcommand.options ?? [], path, chosen, focused);
    return [{ name: subcommand.name, type: subcommand.type, options }];
  }
  if (next !== undefined || subcommands.length > 0) {
    throw notFound(
      'subcommand',
      next ?? '',
      subcommands.map(({ name }) => name),
    );
  }
  return Promise.all(
    Object.entries(chosen.options).map(async ([name, value]) => {
      const option = defined.find((one) => one.name === name);
      if (!option) {
        const known = defined.map((one) => one.name).join(', ');
        const message = known === '' ? 'The command has no options.' : `The command has the options ${known}.`;
        throw invalidInput({ path: `options.${name}`, code: 'BASE_TYPE_INVALID', message });
      }
      const wire = { name, type: option.type, value: await optionValue(world, option.type, value) };
      return name === focused ? { ...wire, focused: true } : wire;
    }),
  );
}

function targetOf(world: World, command: CommandRecord, target: string): bigint {
  if (/^\d{15,}$/.test(target)) return BigInt(target);
  if (command.type !== ApplicationCommandType.User) {
    const message = 'The target of a message command is the id of a message.';
    throw invalidInput({ path: 'target', code: 'NUMBER_TYPE_COERCE', message });
  }
  return world.person(target).id;
}
