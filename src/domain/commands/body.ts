import {
  ApplicationIntegrationType,
  ApplicationCommandType as CommandType,
  InteractionContextType,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { nextTurn } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { FAULTS_TOLD, fault, listUpTo, maybe, parseEntry, plainText, uncheckedList } from '../input.js';
import { limits } from '../limits.js';
import { isPermissionString } from '../permissions.js';
import { contextsOf } from './contexts.js';
import { localizations, translationsOf } from './localizations.js';
import { chatName, description, freeName, menuName } from './names.js';
import { commandOptions } from './options.js';
import type { CommandBody } from './record.js';
import { COMMANDS_PER_SCOPE } from './room.js';
import { leastSizeOf, sizeOf } from './size.js';

/** Decimal bits, as text or as a number; null for none. */
function memberPermissions() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .transform(String)
    .refine(isPermissionString, fault('NUMBER_TYPE_COERCE', 'Permissions are a decimal number of up to 32 digits.'))
    .transform((bits) => String(BigInt(bits)))
    .nullish();
}

/** A list of numbers that stand for something, each of them once. */
function numbers<Value extends number>(known: Record<string, string | Value>) {
  const value = z.enum(known as Record<string, Value>);
  return maybe(
    listUpTo(value.options.length, value)
      .refine((values) => values.length > 0, fault('BASE_TYPE_BAD_LENGTH', 'Must be 1 or more in length.'))
      .transform((values) => [...new Set(values)]),
  );
}

/** What commands of all types have. */
const SHARED = () => ({
  default_member_permissions: memberPermissions(),
  dm_permission: maybe(z.boolean()),
  default_permission: maybe(z.boolean()),
  nsfw: maybe(z.boolean()),
  integration_types: numbers(ApplicationIntegrationType),
  contexts: numbers(InteractionContextType),
});

type Name = z.ZodType<string, string>;

function chatInput(name: Name) {
  return z.object({
    type: z.literal([CommandType.ChatInput, null]).optional(),
    name,
    name_localizations: localizations(name),
    description: description(),
    description_localizations: localizations(description()),
    options: commandOptions(),
    ...SHARED(),
  });
}

const NO_DESCRIPTION = fault('BASE_TYPE_BAD_LENGTH', 'An entry of a context menu has no description.');

function menuEntry(type: CommandType.User | CommandType.Message, name: Name) {
  return z.object({
    type: z.literal(type),
    name,
    name_localizations: localizations(name),
    description: maybe(plainText().refine((text) => text === '', NO_DESCRIPTION)),
    description_localizations: localizations(z.never()),
    options: maybe(listUpTo(0, z.never())),
    ...SHARED(),
  });
}

const TOO_LARGE = fault(
  'APPLICATION_COMMAND_TOO_LARGE',
  `Command exceeds maximum size (${limits.charactersPerCommand})`,
);

/** What has far too many parts is refused before each of them is looked at. */
function notTooLarge(given: unknown, checks: z.RefinementCtx): unknown {
  if (leastSizeOf(given) <= limits.charactersPerCommand) return given;
  checks.addIssue({ code: 'custom', message: TOO_LARGE.error, params: TOO_LARGE.params });
  return z.NEVER;
}

/** A command in the names of the wire. @param named what a name is, beside what its type asks for */
function commandBody(named: (name: Name) => Name) {
  const ofAnyType = z.discriminatedUnion('type', [
    chatInput(named(chatName())),
    menuEntry(CommandType.User, named(menuName())),
    menuEntry(CommandType.Message, named(menuName())),
  ]);
  return z
    .preprocess(notTooLarge, ofAnyType)
    .transform(asBody)
    .refine((command) => sizeOf(command) <= limits.charactersPerCommand, TOO_LARGE);
}

/**
 * A command to be registered, in the names of the wire (Discord's documentation, Application Commands): with the rules of its type, and no reserved name.
 * There are no entry points, since there are no activities.
 */
export const NewCommand: z.ZodType<CommandBody> = commandBody(freeName);

/** As {@link NewCommand}, with any name: for one that keeps its own, which may have been reserved since, and where no name is reserved. */
export const KeptCommand: z.ZodType<CommandBody> = commandBody((name) => name);

/** What of a command changes, in the names of the wire. Most rules ask for its type, and are looked at when that is known. */
export const CommandPatch = z.looseObject({
  name: z.unknown().optional(),
  name_localizations: z.unknown().optional(),
  description: z.unknown().optional(),
  description_localizations: z.unknown().optional(),
  options: z.unknown().optional(),
  default_member_permissions: z.unknown().optional(),
  dm_permission: z.unknown().meta({ shownAs: z.boolean().nullish() }).optional(),
  integration_types: z.unknown().optional(),
  contexts: z.unknown().optional(),
});

export type CommandPatch = z.output<typeof CommandPatch>;

/** How many commands of a set are looked at in one turn: a set may be as long as a body. */
const COMMANDS_PER_TURN = 5;

function commandSet(command: z.ZodType<CommandBody>) {
  return uncheckedList(COMMANDS_PER_SCOPE, command).transform(async (given, checks) => {
    const commands: CommandBody[] = [];
    for (const [index, each] of given.entries()) {
      if (index % COMMANDS_PER_TURN === 0) await nextTurn();
      commands.push(...parseEntry(command, each, index, checks));
      if (checks.issues.length >= FAULTS_TOLD) break;
    }
    if (checks.issues.length === 0) checkNames(commands, checks);
    return commands;
  });
}

/** A set of commands of all types, looked at in turns; the faults of each stand under its index. */
export const CommandSet = commandSet(NewCommand);

const WITH_BUILT_INS = { command: NewCommand, set: CommandSet };

const WITHOUT_BUILT_INS = { command: KeptCommand, set: commandSet(KeptCommand) };

/** What is registered on this instance, one command or a set: no name is reserved where there are no built-in commands. */
export function commandSchemas({ hasBuiltIns }: Pick<CallContext, 'hasBuiltIns'>): typeof WITH_BUILT_INS {
  return hasBuiltIns ? WITH_BUILT_INS : WITHOUT_BUILT_INS;
}

function checkNames(commands: CommandBody[], checks: z.RefinementCtx): void {
  const known = new Set<string>();
  for (const [index, { type, name }] of commands.entries()) {
    if (known.has(`${type} ${name}`)) {
      const params = { code: 'APPLICATION_COMMANDS_DUPLICATE_NAME' };
      checks.addIssue({ code: 'custom', path: [index], message: 'Application command names must be unique', params });
    }
    known.add(`${type} ${name}`);
  }
}

type Given = z.output<ReturnType<typeof chatInput>> | z.output<ReturnType<typeof menuEntry>>;

function asBody(given: Given): CommandBody {
  const { name, description = '', options = [] } = given;
  return {
    type: given.type ?? CommandType.ChatInput,
    name,
    nameLocalizations: translationsOf(name, given.name_localizations) ?? null,
    description,
    descriptionLocalizations: translationsOf(description, given.description_localizations) ?? null,
    options,
    defaultMemberPermissions: given.default_member_permissions ?? null,
    nsfw: given.nsfw ?? false,
    integrationTypes: given.integration_types,
    contexts: contextsOf(given.contexts ?? null, given.dm_permission),
  };
}
