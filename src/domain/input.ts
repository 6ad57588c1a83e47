import { z } from 'zod';
import { parseSnowflake } from '../infra/ids.js';
import { DomainError, type FieldFault, invalidInput } from './errors.js';

/**
 * Parses `value` with `schema`.
 * @param path put before every fault's path, for a value that stands deeper in the caller's input
 * @throws INVALID_INPUT with a fault for everything that is wrong
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, path = ''): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.flatMap((issue) => faultsOf(issue, path));
  throw invalidInput(...fields);
}

/**
 * Runs `work`; its refusal names the faults as the caller's input does.
 * @param names the caller's names of fields, by the domain's, where the two differ
 */
export async function renameFaults<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'INVALID_INPUT') throw error;
    throw invalidInput(...error.fields.map((field) => ({ ...field, path: renamed(field.path, names) })));
  }
}

function renamed(path: string, names: Readonly<Record<string, string>>): string {
  const [field = '', ...inside] = path.split('.');
  return joinPath(names[field] ?? field, ...inside);
}

/** Joins two parts of a path, either of which may be empty. */
function joinPath(...parts: (string | number)[]): string {
  return parts.filter((part) => part !== '').join('.');
}

/** A refinement's fault code; used as `z.string().refine(test, fault('STRING_TYPE_REGEX', '…'))`. */
export function fault(code: string, message: string): { error: string; params: { code: string } } {
  return { error: message, params: { code } };
}

/** Text whose length, once trimmed, is from `min` to `max` characters. Holds nothing PostgreSQL cannot store. */
export function trimmedText(min: number, max: number) {
  return trimmed().refine((text) => characters(text) >= min && characters(text) <= max, badLength(min, max));
}

/** Controls, line ends among them, and marks that turn the direction of the text around them. */
const DISGUISES = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** What no font shows: joiners, selectors, fillers, marks of annotation, and the blank Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]/gu;

/**
 * A name: as {@link trimmedText}, with at least `min` characters that can be seen, on one line, and shown as it is written
 * whatever stands around it.
 */
export function nameText(min: number, max: number) {
  return trimmed()
    .refine((name) => characters(visiblePart(name)) >= min && characters(name) <= max, badLength(min, max))
    .refine(
      (name) => !DISGUISES.test(name),
      fault(
        'STRING_TYPE_REGEX',
        'Line ends, control characters and marks that turn the direction of text are not allowed.',
      ),
    );
}

/** Optional, and null counts as not given. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Text of at most `max` characters, once trimmed. */
export function textUpTo(max: number) {
  return trimmed()
    .refine(
      (text) => text.length <= max || characters(text) <= max,
      fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
    )
    .meta({ maxLength: max });
}

/** {@link plainText} without the blanks around it. */
export function trimmed() {
  return plainText().transform((text) => text.trim());
}

function badLength(min: number, max: number) {
  return fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

function visiblePart(text: string): string {
  return text.replace(INVISIBLE, '').trim();
}

/** How many characters a text has; one outside the basic plane, such as most emojis, counts once. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Text that both databases can keep: U+0000 is refused, lone surrogates become U+FFFD. */
export function plainText() {
  return z
    .string()
    .refine((text) => !text.includes('\u0000'), fault('STRING_TYPE_REGEX', 'The character U+0000 is not allowed.'))
    .transform((text) => text.toWellFormed());
}

/**
 * A snowflake from text or a whole number, as a bigint. An id outside 64 bits becomes 0, which is nobody's: such an id is
 * unknown, not malformed.
 */
export function snowflake() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .refine((value) => /^\d+$/.test(String(value)) && (typeof value !== 'number' || Number.isSafeInteger(value)), {
      error: ({ input }) => `Value "${String(input).slice(0, 40)}" is not snowflake.`,
      params: { code: 'NUMBER_TYPE_COERCE' },
    })
    .transform((value) => parseSnowflake(String(value).replace(/^0+(?=\d)/, '')) ?? 0n)
    .meta({ shownAs: { type: 'string', format: 'snowflake', pattern: '^\\d+$' } });
}

function faultsOf(issue: z.core.$ZodIssue, prefix: string): FieldFault[] {
  const path = joinPath(prefix, ...issue.path.map(String));
  return [{ path, ...describe(issue) }];
}

const REQUIRED = { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };

function describe(issue: z.core.$ZodIssue): Omit<FieldFault, 'path'> {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      if (issue.input === undefined || issue.input === null) {
        return REQUIRED;
      }
      return wrongType(issue.code === 'invalid_type' ? issue.expected : 'other');
    case 'invalid_value':
      if (issue.input === undefined || issue.input === null) return REQUIRED;
      return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${issue.values.map(String).join(', ')}}.` };
    case 'too_big':
      return issue.origin === 'string'
        ? { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` }
        : issue.origin === 'array'
          ? { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` }
          : { code: 'NUMBER_TYPE_MAX', message: `int value should be less than or equal to ${issue.maximum}.` };
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${issue.minimum} or more in length.` }
        : { code: 'NUMBER_TYPE_MIN', message: `int value should be greater than or equal to ${issue.minimum}.` };
    case 'custom':
      return {
        code: typeof issue.params?.code === 'string' ? issue.params.code : 'BASE_TYPE_INVALID',
        message: issue.message,
      };
    default:
      return { code: 'BASE_TYPE_INVALID', message: issue.message };
  }
}

function wrongType(expected: string): Omit<FieldFault, 'path'> {
  switch (expected) {
    case 'string':
      return { code: 'STRING_TYPE_CONVERT', message: 'Could not interpret the value as string.' };
    case 'boolean':
      return { code: 'BOOLEAN_TYPE_CONVERT', message: 'Must be either true or false.' };
    case 'int':
    case 'number':
    case 'bigint':
      return { code: 'NUMBER_TYPE_COERCE', message: 'The value is not a whole number.' };
    case 'array':
      return { code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType.' };
    case 'object':
    case 'record':
      return { code: 'MODEL_TYPE_CONVERT', message: 'Only dictionaries may be used in a ModelType.' };
    default:
      return { code: 'BASE_TYPE_INVALID', message: 'The value has the wrong type.' };
  }
}
