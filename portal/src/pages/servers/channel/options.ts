import type { CommandShownFragment, RunnableCommandsQuery } from '../../../gql/types.js';
import { type Fields, listOf, numberOf, numbersOf, textOf } from '../json.js';

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

/** Application commands have an id and version, built-in ones a name. */
type Invoked = { commandId: string; version: string } | { name: string };

/** A command or subcommand. */
export interface Runnable {
  key: string;
  invoked: Invoked;
  /** Name of the application, or “Built-in”. */
  source: string;
  /** Subcommand group and subcommand, if any. */
  path: string[];
  /** For example `game round start`. */
  name: string;
  description: string;
  options: CommandOption[];
}

const isNested = ({ type }: Fields) => type === 1 || type === 2;

/** Built-in commands come last. */
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
  return { ...command, id: name, invoked: { name }, source: 'Built-in' };
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

export function choicesOf(value: unknown): OptionChoice[] {
  return listOf(value).flatMap(({ name, value }) =>
    typeof value === 'string' || typeof value === 'number' ? [{ name: textOf(name) ?? String(value), value }] : [],
  );
}

/** Text or id, a file, or nothing. */
export type Given = string | File | undefined;

/** A file option's value is an index in `files`. */
export interface SentOptions {
  options: unknown[];
  files: File[];
  /** In the order sent. */
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

/** An invalid number stays text, so that the server reports it. */
function typed(kind: OptionKind, value: string): string | number | boolean {
  if (kind === 'yes-no') return value === 'true';
  if (kind !== 'whole' && kind !== 'number') return value;
  const number = Number(value);
  return value.trim() === '' || Number.isNaN(number) ? value : number;
}

/** Maps error paths such as `options.0.options.1.value` to option names. */
export function faultsByName(fields: Record<string, string>, names: string[]): Record<string, string> {
  const named = Object.entries(fields).flatMap(([path, message]) => {
    const index = [...path.matchAll(/options\.(\d+)/g)].at(-1)?.[1];
    const name = index === undefined ? undefined : names[Number(index)];
    return name ? [[name, message] as const] : [];
  });
  return Object.fromEntries(named);
}
