import { z } from 'zod';
import type { CallContext } from '../call.js';
import { COMMAND_FIELDS, commandSet, KeptCommand, NewCommand } from './body.js';
import { CHOICE_FIELDS, OPTION_FIELDS } from './options.js';
import type { CommandBody } from './record.js';

type Fields = Record<string, unknown>;

interface Unknown {
  path: PropertyKey[];
  keys: string[];
}

/** Fields that no kind of command, option or choice has. */
function unknownFields(given: unknown, known: readonly string[], path: PropertyKey[] = []): Unknown[] {
  if (!isFields(given)) return [];
  const keys = Object.keys(given).filter((key) => !known.includes(key));
  return [
    ...(keys.length === 0 ? [] : [{ path, keys }]),
    ...unknownWithin(given, 'options', OPTION_FIELDS, path),
    ...(known === OPTION_FIELDS ? unknownWithin(given, 'choices', CHOICE_FIELDS, path) : []),
  ];
}

function unknownWithin(given: Fields, list: string, known: readonly string[], path: PropertyKey[]): Unknown[] {
  const entries: unknown = given[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) => unknownFields(entry, known, [...path, list, index]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function strict(command: z.ZodType<CommandBody>): z.ZodType<CommandBody> {
  return z.preprocess((given, checks) => {
    for (const { path, keys } of unknownFields(given, COMMAND_FIELDS)) {
      checks.addIssue({ code: 'unrecognized_keys', keys, path });
    }
    return given;
  }, command);
}

const WITH_BUILT_INS = commandSet(strict(NewCommand));

const WITHOUT_BUILT_INS = commandSet(strict(KeptCommand));

/** As the set of `commandSchemas`, but refuses unknown fields, which the wire format allows. */
export function strictCommandSet({ hasBuiltIns }: Pick<CallContext, 'hasBuiltIns'>): typeof WITH_BUILT_INS {
  return hasBuiltIns ? WITH_BUILT_INS : WITHOUT_BUILT_INS;
}
