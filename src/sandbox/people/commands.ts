import { ApplicationCommandType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { z } from 'zod';
import { invokeBuiltIn, listBuiltIns } from '../../domain/built-in-commands/index.js';
import type { CallContext } from '../../domain/call.js';
import type { CommandOption } from '../../domain/commands/index.js';
import { invalidInput } from '../../domain/errors.js';
import { autocompleteCommand, InvokedOptions, invokeCommand } from '../../domain/interactions/index.js';
import { parseInput } from '../../domain/parse-input.js';
import { notFound } from '../errors.js';
import type { AnswerDescription } from '../protocol.js';
import type { World } from '../worlds/world.js';
import { answerTo, renderAnswer } from './answers.js';
import { receive, TestFile, UPLOADS_PER_CALL } from './files.js';
import { commandTarget, findCommand } from './find-command.js';
import { optionValue } from './values.js';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

export const Invocation = z.strictObject({
  channel: z.string(),
  command: z.string().min(1).describe('The name, with those of subcommands: `settings color set`.'),
  application: z.string().optional().describe('Needed if several applications have such a command.'),
  options: z
    .record(z.string(), Scalar)
    .default({})
    .describe('Values by option. Users, channels and roles by name or id.'),
  target: z
    .string()
    .optional()
    .describe('For a user command a person or an application, for a message command the id of a message.'),
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

type Chosen = Pick<z.output<typeof Invocation>, 'options'>;

/** @throws the refusals of `invokeCommand`, and the errors of `findCommand` and `answerTo` */
export async function runCommand(
  world: World,
  call: CallContext,
  input: z.output<typeof Invocation>,
  withinMs: number,
): Promise<AnswerDescription> {
  const channel = await world.channel(input.channel);
  const builtIn = call.hasBuiltIns ? findBuiltIn(input) : undefined;
  if (builtIn) {
    const options = parseInput(InvokedOptions, await wireOptions(world, builtIn.options, [], input), 'options');
    const interaction = await invokeBuiltIn(call, { channelId: channel.id, name: builtIn.name, options });
    return renderAnswer(world, call, interaction);
  }
  const target = input.target === undefined ? undefined : commandTarget(world, input.target);
  const wanted = { ...input, type: target?.type ?? ApplicationCommandType.ChatInput };
  const { command, path } = await findCommand(world, call, channel, wanted, withinMs);
  const options = await wireOptions(world, command.options, path, input);
  const interaction = await invokeCommand(call, {
    channelId: channel.id,
    commandId: command.id,
    options: parseInput(InvokedOptions, options, 'options'),
    targetId: target?.id,
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
  const wanted = { ...input, type: ApplicationCommandType.ChatInput };
  const { command, path } = await findCommand(world, call, channel, wanted, withinMs);
  const options = await wireOptions(world, command.options, path, input, input.focused);
  const interaction = await autocompleteCommand(call, {
    channelId: channel.id,
    commandId: command.id,
    options: parseInput(InvokedOptions, options, 'options'),
  });
  return answerTo(world, call, interaction, withinMs);
}

/** Their names are reserved, so that no application has the same. */
function findBuiltIn({ command, application, target }: z.output<typeof Invocation>) {
  if (application !== undefined || target !== undefined) return undefined;
  return listBuiltIns().find(({ name }) => name === command.replace(/^\//, ''));
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
