import {
  ApplicationIntegrationType,
  ApplicationCommandType as CommandType,
  InteractionContextType,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { CallContext } from '../call.js';
import { FAULTS_TOLD, fault, listUpTo, maybe, parseEntry, plainText, uncheckedList } from '../input.js';
import { limits } from '../limits.js';
import { isPermissionString } from '../permissions.js';
import { COMMANDS_PER_SCOPE } from './capacity.js';
import { contextsOf } from './contexts.js';
import { localizations, translationsOf } from './localizations.js';
import { chatName, description, freeName, menuName } from './names.js';
import { commandOptions } from './options.js';
import type { CommandBody } from './record.js';
import { leastSizeOf, sizeOf } from './size.js';

/** Decimal permission bits, as text or number. Null means none. */
function memberPermissions() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .transform(String)
    .refine(isPermissionString, fault('NUMBER_TYPE_COERCE', 'Permissions are a decimal number of up to 32 digits.'))
    .transform((bits) => String(BigInt(bits)))
    .nullish();
}

/** Refuses an empty list, and removes duplicates. */
function numbers<Value extends number>(known: Record<string, string | Value>) {
  const value = z.enum(known as Record<string, Value>);
  return maybe(
    listUpTo(value.options.length, value)
      .refine((values) => values.length > 0, fault('BASE_TYPE_BAD_LENGTH', 'Must be 1 or more in length.'))
      .transform((values) => [...new Set(values)]),
  );
}

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

/** Wire names. */
export const COMMAND_FIELDS = Object.keys(chatInput(chatName()).shape);

const NO_DESCRIPTION = fault('BASE_TYPE_BAD_LENGTH', 'Context menu commands cannot have a description.');

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

/** Runs before the body is parsed. */
function notTooLarge(given: unknown, checks: z.RefinementCtx): unknown {
  if (leastSizeOf(given) <= limits.charactersPerCommand) return given;
  checks.addIssue({ code: 'custom', message: TOO_LARGE.error, params: TOO_LARGE.params });
  return z.NEVER;
}

/** @param named adds rules for names */
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

/** Wire format (Discord's documentation, Application Commands). Refuses reserved names. */
export const NewCommand: z.ZodType<CommandBody> = commandBody(freeName);

/**
 * Allows reserved names: unchanged names that became reserved later, and those of instances without built-in commands.
 */
export const KeptCommand: z.ZodType<CommandBody> = commandBody((name) => name);

/** Wire format. Most rules depend on the type, and are checked later. */
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

/** Yields to the event loop after this many, because a set may be as long as a request body. */
const COMMANDS_PER_TURN = 5;

export function commandSet(command: z.ZodType<CommandBody>) {
  return uncheckedList(COMMANDS_PER_SCOPE, command).transform(async (given, checks) => {
    const commands: CommandBody[] = [];
    for (const [index, each] of given.entries()) {
      if (index % COMMANDS_PER_TURN === 0) await yieldToEventLoop();
      commands.push(...parseEntry(command, each, index, checks));
      if (checks.issues.length >= FAULTS_TOLD) break;
    }
    if (checks.issues.length === 0) checkNames(commands, checks);
    return commands;
  });
}

/** Faults have the command's index in their path. Parsing yields to the event loop. */
export const CommandSet = commandSet(NewCommand);

const WITH_BUILT_INS = { command: NewCommand, set: CommandSet };

const WITHOUT_BUILT_INS = { command: KeptCommand, set: commandSet(KeptCommand) };

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
