import type { CommandShownFragment, RunnableCommandsQuery } from '../../gql/types.js';
import { type Fields, listOf, numberOf, numbersOf, textOf } from './json.js';

/** The reference platform's option types. */
const TYPES = {
  3: 'text',
  4: 'whole',
  5: 'yes-no',
  6: 'user',
  7: 'channel',
  8: 'role',
  9: 'mentionable',
  10: 'number',
  11: 'file',
} as const;

export type OptionKind = (typeof TYPES)[keyof typeof TYPES];

export interface OptionChoice {
  name: string;
  value: string | number;
}

/** Something that a command is given. */
export interface CommandOption {
  name: string;
  description: string;
  kind: OptionKind;
  isRequired: boolean;
  choices: OptionChoice[];
  isCompleted: boolean;
  channelTypes: number[];
  maxLength: number | undefined;
}

/** What tells the server which command is run: one of an application as it was seen, or a built-in one. */
type Invoked = { commandId: string; version: string } | { name: string };

/** What can be run: a command, or one of its subcommands. */
export interface Runnable {
  key: string;
  invoked: Invoked;
  /** Whose it is. */
  source: string;
  /** The group and the subcommand, where there are any. */
  path: string[];
  /** Such as `game round start`. */
  name: string;
  description: string;
  options: CommandOption[];
}

const isNested = ({ type }: Fields) => type === 1 || type === 2;

/** What can be run of the commands of applications, and then of those that everybody has. */
export function runnablesOf({ runnableCommands, builtInCommands }: RunnableCommandsQuery): Runnable[] {
  const invocable = builtInCommands.filter(({ client }) => !client);
  return [...runnableCommands.map(ofApplication), ...invocable.map(builtIn)].flatMap((command) =>
    runnablesBelow(command, [], command.description, listOf(command.options)),
  );
}

interface Command extends Pick<Runnable, 'invoked' | 'source' | 'name' | 'description'> {
  id: string;
  options: unknown;
}

function ofApplication(command: CommandShownFragment): Command {
  const { id, version, application } = command;
  return { ...command, invoked: { commandId: id, version }, source: application.name };
}

function builtIn(command: RunnableCommandsQuery['builtInCommands'][number]): Command {
  const { name } = command;
  return { ...command, id: name, invoked: { name }, source: 'built in' };
}

function runnablesBelow(command: Command, path: string[], description: string, options: Fields[]): Runnable[] {
  if (options.some(isNested)) return options.flatMap((one) => runnablesIn(command, path, one));
  const name = [command.name, ...path].join(' ');
  const { id, invoked, source } = command;
  return [{ key: `${id} ${name}`, invoked, source, path, name, description, options: options.flatMap(optionOf) }];
}

function runnablesIn(command: Command, path: string[], fields: Fields): Runnable[] {
  const below = [...path, textOf(fields.name) ?? ''];
  return runnablesBelow(command, below, textOf(fields.description) ?? '', listOf(fields.options));
}

function optionOf(fields: Fields): CommandOption[] {
  const kind = Object.entries(TYPES).find(([type]) => Number(type) === fields.type)?.[1];
  if (!kind) return [];
  return [
    {
      kind,
      name: textOf(fields.name) ?? '',
      description: textOf(fields.description) ?? '',
      isRequired: fields.required === true,
      choices: choicesOf(fields.choices),
      isCompleted: fields.autocomplete === true,
      channelTypes: numbersOf(fields.channel_types),
      maxLength: numberOf(fields.max_length),
    },
  ];
}

/** Choices of an option, of the command or as an application offers them. */
export function choicesOf(value: unknown): OptionChoice[] {
  return listOf(value).flatMap(({ name, value }) =>
    typeof value === 'string' || typeof value === 'number' ? [{ name: textOf(name) ?? String(value), value }] : [],
  );
}

/** What somebody gave an option: text as typed or an id, a file, or nothing. */
export type Given = string | File | undefined;

/** The options as GraphQL takes them, and the files that their values are places of. */
export interface SentOptions {
  options: unknown[];
  files: File[];
  /** The names of those that are sent, in their order. */
  names: string[];
}

export function sentOptions({ path, options }: Runnable, given: Record<string, Given>, focused?: string): SentOptions {
  const files: File[] = [];
  const sent = options.flatMap(({ name, kind }) => {
    const value = given[name];
    if (name === focused) return [{ name, value: typeof value === 'string' ? value : '', focused: true }];
    if (value === undefined || value === '') return [];
    if (value instanceof File) return focused ? [] : [{ name, value: files.push(value) - 1 }];
    return [{ name, value: typed(kind, value) }];
  });
  const nested = path.reduceRight<unknown[]>((below, name) => [{ name, options: below }], sent);
  return { options: nested, files, names: sent.map(({ name }) => name) };
}

/** What was typed as what the option takes; what is no number goes as it is, for the server to say so. */
function typed(kind: OptionKind, value: string): string | number | boolean {
  if (kind === 'yes-no') return value === 'true';
  if (kind !== 'whole' && kind !== 'number') return value;
  const number = Number(value);
  return value.trim() === '' || Number.isNaN(number) ? value : number;
}

/** What is wrong by the options' names, of faults by paths such as `options.0.options.1.value`. */
export function faultsByName(fields: Record<string, string>, names: string[]): Record<string, string> {
  const named = Object.entries(fields).flatMap(([path, message]) => {
    const index = [...path.matchAll(/options\.(\d+)/g)].at(-1)?.[1];
    const name = index === undefined ? undefined : names[Number(index)];
    return name ? [[name, message] as const] : [];
  });
  return Object.fromEntries(named);
}
