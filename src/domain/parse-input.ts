import type { z } from 'zod';
import { DomainError, type FieldFault, joinPath, unknownKind } from './errors.js';
import { FAULTS_TOLD, type Headline, UNKNOWN_KIND } from './input.js';

/**
 * @param path prefix of every fault's path
 * @throws INVALID_INPUT with the faults of at most {@link FAULTS_TOLD} issues
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, path = ''): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues, path);
}

/** As {@link parseInput}, for schemas that yield to the event loop. */
export async function parseInTurns<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path = '',
): Promise<z.output<Schema>> {
  const parsed = await schema.safeParseAsync(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues, path);
}

function refusalOf(issues: z.core.$ZodIssue[], path: string): DomainError {
  const fields = issues.slice(0, FAULTS_TOLD).flatMap((issue) => faultsOf(issue, path));
  return new DomainError('INVALID_INPUT', headlineOf(issues), { fields });
}

function headlineOf(issues: z.core.$ZodIssue[]): string | undefined {
  const headlines = issues.map((issue) => (issue.code === 'custom' ? (issue.params?.headline as Headline) : undefined));
  const first = headlines.find((headline) => headline !== undefined);
  return first?.(issues.filter((_, index) => headlines[index] === first).map(({ input }) => input));
}

const KEYS_NAMED = 10;

function faultsOf(issue: z.core.$ZodIssue, prefix: string): FieldFault[] {
  const steps = issue.path.map(String);
  if (issue.code === 'invalid_union' && issue.message === UNKNOWN_KIND && 'options' in issue) {
    const { discriminator = '', options = [] } = issue;
    return [{ path: joinPath(prefix, ...steps.slice(0, -1)), ...unknownKind(discriminator, options) }];
  }
  const path = joinPath(prefix, ...steps);
  if (issue.code !== 'unrecognized_keys') return [{ path, ...describe(issue) }];
  return issue.keys.slice(0, KEYS_NAMED).map((key) => ({ path: joinPath(path, key), ...UNKNOWN_KEY }));
}

const UNKNOWN_KEY = { code: 'BASE_TYPE_INVALID', message: 'This field is not supported.' };

const REQUIRED = { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };

function describe(issue: z.core.$ZodIssue): Omit<FieldFault, 'path'> {
  switch (issue.code) {
    case 'invalid_type':
      return isMissing(issue.input) ? REQUIRED : wrongType(issue.expected);
    case 'invalid_union':
      return isMissing(discriminating(issue))
        ? REQUIRED
        : 'options' in issue
          ? choices(issue.options)
          : wrongType('other');
    case 'invalid_value':
      return isMissing(issue.input) ? REQUIRED : choices(issue.values);
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

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The union's discriminator, else the whole input. */
function discriminating({ input, discriminator }: z.core.$ZodIssueInvalidUnion): unknown {
  const isObject = typeof input === 'object' && input !== null;
  return isObject && discriminator !== undefined ? Reflect.get(input, discriminator) : input;
}

function choices(values: readonly unknown[] = []): Omit<FieldFault, 'path'> {
  // Some values have two names and occur twice.
  const shown = new Set(values.filter((value) => !isMissing(value)));
  return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${[...shown].join(', ')}}.` };
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
