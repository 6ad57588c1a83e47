import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import { Failure } from '../failure.js';
import { USAGE_ERROR } from '../remote/options.js';

/** As a command declares it. */
export interface DeclaredOption {
  name: string;
  type: Type;
  options?: DeclaredOption[];
  choices?: { name: string; value: string | number }[];
}

export interface GivenOption {
  name: string;
  type: Type;
  value?: string | number | boolean;
  options?: GivenOption[];
}

/**
 * @param path names of a subcommand group and a subcommand, if any
 * @param pairs each in the form `name=value`
 * @throws {Failure} for an unknown option, or a value that does not fit
 */
export function givenOptions(
  declared: readonly DeclaredOption[],
  path: readonly string[],
  pairs: readonly string[],
): GivenOption[] {
  const [first, ...rest] = path;
  const subcommands = declared.filter(isSubcommand);
  if (first !== undefined) {
    const chosen = subcommands.find(({ name }) => name === first);
    if (!chosen) throw usage(`there is no subcommand ${first}${listed(subcommands)}`);
    return [{ name: first, type: chosen.type, options: givenOptions(chosen.options ?? [], rest, pairs) }];
  }
  if (subcommands.length > 0) throw usage(`the command needs a subcommand${listed(subcommands)}`);
  return pairs.map((pair) => given(declared, pair));
}

function isSubcommand({ type }: DeclaredOption): boolean {
  return type === Type.Subcommand || type === Type.SubcommandGroup;
}

function given(declared: readonly DeclaredOption[], pair: string): GivenOption {
  const at = pair.indexOf('=');
  if (at <= 0) throw usage(`write options as name=value, not ${pair}`);
  const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
  const option = declared.find((one) => one.name === name);
  if (!option) throw usage(`there is no option ${name}${listed(declared)}`);
  return { name, type: option.type, value: typedValue(option, text) };
}

/** A choice can be given by its name, too. IDs stand for users, channels and roles. */
function typedValue({ name, type, choices = [] }: DeclaredOption, text: string): string | number | boolean {
  const choice = choices.find((one) => one.name === text || String(one.value) === text);
  if (choice) return choice.value;
  switch (type) {
    case Type.Integer:
    case Type.Number: {
      const number = Number(text);
      if (text.trim() === '' || Number.isNaN(number)) throw usage(`${name} needs a number, not ${text}`);
      return number;
    }
    case Type.Boolean:
      if (text !== 'true' && text !== 'false') throw usage(`${name} needs true or false, not ${text}`);
      return text === 'true';
    case Type.Attachment:
      throw usage(`${name} needs a file, which this command cannot send; run the command in the portal`);
    case Type.String:
    case Type.User:
    case Type.Channel:
    case Type.Role:
    case Type.Mentionable:
    case Type.Subcommand:
    case Type.SubcommandGroup:
      return text;
  }
}

function listed(options: readonly DeclaredOption[]): string {
  return options.length === 0 ? '; it has none' : `; it has ${options.map(({ name }) => name).join(', ')}`;
}

function usage(message: string): Failure {
  return new Failure(message, USAGE_ERROR);
}
