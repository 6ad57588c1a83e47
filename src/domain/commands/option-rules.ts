import { ApplicationCommandOptionType as OptionType } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { CommandOption } from './record.js';

type Checks = z.RefinementCtx<CommandOption[]>;

/** Discord's documentation, Application Commands. */
export function checkSiblings(options: CommandOption[], checks: Checks): void {
  checkKinds(options, checks);
  checkRequiredFirst(options, checks);
  checkNames(options, checks);
  checkTranslatedNames(options, checks);
}

function checkKinds(options: CommandOption[], checks: Checks): void {
  const kinds = options.map(({ type }) => type === OptionType.Subcommand || type === OptionType.SubcommandGroup);
  const odd = kinds.findIndex((kind) => kind !== kinds[0]);
  if (odd === -1) return;
  const message = 'Subcommands and subcommand groups cannot be mixed with other options.';
  refuse(checks, [odd], 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', message);
}

function checkRequiredFirst(options: CommandOption[], checks: Checks): void {
  const firstOptional = options.findIndex(({ required }) => !required);
  if (firstOptional === -1) return;
  const late = options.findIndex(({ required }, index) => required && index > firstOptional);
  if (late === -1) return;
  const message = 'Required options must be placed before non-required options';
  refuse(checks, [late], 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message);
}

const NAME_TAKEN = 'APPLICATION_COMMAND_OPTION_NAME_DUPLICATE';

function checkNames(options: CommandOption[], checks: Checks): void {
  const taken = new Set<string>();
  for (const [index, { name }] of options.entries()) {
    if (taken.has(name)) refuse(checks, [index, 'name'], NAME_TAKEN, `Another option has the name "${name}".`);
    taken.add(name);
  }
}

/** A translated name must not equal another option's name or its translation in the same locale. */
function checkTranslatedNames(options: CommandOption[], checks: Checks): void {
  const ownNames = new Set(options.map(({ name }) => name));
  const taken = new Set<string>();
  for (const [index, { name_localizations: names }] of options.entries()) {
    for (const [locale, name] of Object.entries(names ?? {})) {
      if (name === null) continue;
      const isTaken = ownNames.has(name) || taken.has(`${locale} ${name}`);
      taken.add(`${locale} ${name}`);
      if (!isTaken) continue;
      refuse(checks, [index, 'name_localizations', locale], NAME_TAKEN, `Another option has the name "${name}".`);
    }
  }
}

function refuse(checks: Checks, path: (string | number)[], code: string, message: string): void {
  checks.addIssue({ code: 'custom', path, message, params: { code } });
}
