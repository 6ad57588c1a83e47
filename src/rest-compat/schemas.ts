import { z } from 'zod';
import { moveFaults } from '../domain/errors.js';
import { fault, isoTime, snowflake } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';
import { COMMAND_JSON_BOUNDS } from '../infra/bounded-json.js';
import { wireName } from '../wire/names.js';
import { parseJson } from './json.js';

/** Path parameters that are all ids. */
export function ids<Name extends string>(...names: Name[]) {
  return z.object(
    Object.fromEntries(names.map((name) => [name, snowflake()])) as Record<Name, ReturnType<typeof snowflake>>,
  );
}

/**
 * A body of these fields in the wire's names. What it is parsed into has their own.
 * @param leftOut further fields, by the wire's names, which are checked and go no further
 */
export function inWireNames<Shape extends z.core.$ZodShape>(shape: Shape, leftOut: z.core.$ZodShape = {}) {
  const names = Object.keys(shape);
  const fields = Object.fromEntries(Object.entries(shape).map(([name, field]) => [wireName(name), field]));
  return z
    .object({ ...fields, ...leftOut })
    .transform(
      (given) => Object.fromEntries(names.map((name) => [name, given[wireName(name)]])) as z.output<z.ZodObject<Shape>>,
    );
}

/** Parses path parameters; a fault names them as the wire does. @throws INVALID_INPUT */
export function parseParams(
  schema: z.ZodType<Record<string, unknown>>,
  value: unknown,
): Promise<Record<string, unknown>> {
  return moveFaults(wireName, async () => parseInput(schema, value));
}

/** An optional id in a query. */
export const queryId = z.preprocess(firstValue, snowflake().optional());

/** A whole number in a query that may be left out. */
export const queryNumber = z
  .preprocess(
    firstValue,
    z
      .string()
      .refine((text) => /^-?\d{1,15}$/.test(text), fault('NUMBER_TYPE_COERCE', 'The value is not int.'))
      .transform(Number)
      .optional(),
  )
  .meta({ shownAs: { type: 'integer' } });

/** An optional time in a query, in ISO 8601. */
export const queryTime = z
  .preprocess(firstValue, isoTime().optional())
  .meta({ shownAs: { type: 'string', format: 'date-time' } });

/** A whole number in a query, from `min` to `max`. */
export function queryInteger(min: number, max: number, fallback: number) {
  return z
    .preprocess(
      firstValue,
      z
        .string()
        .default(String(fallback))
        .refine((text) => /^-?\d{1,15}$/.test(text), fault('NUMBER_TYPE_COERCE', 'The value is not int.'))
        .transform(Number)
        .refine(
          (value) => value >= min,
          fault('NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`),
        )
        .refine((value) => value <= max, fault('NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`)),
    )
    .meta({ shownAs: { type: 'integer', minimum: min, maximum: max, default: fallback } });
}

/** Text in a query, of `min` to `max` characters. */
export function queryText(min: number, max: number) {
  return z.preprocess(firstValue, z.string().min(min).max(max));
}

/** A boolean in a query: `true`, `True` or `1`, and the like for false (Discord's documentation, API Reference). */
export const queryBoolean = z
  .preprocess(
    firstValue,
    z
      .enum(['true', 'True', '1', 'false', 'False', '0'])
      .optional()
      .transform((text) => text?.toLowerCase() === 'true' || text === '1'),
  )
  .meta({ shownAs: { type: 'boolean' } });

/** A list of ids, which may also be text with commas between them. */
export function idsOrText<List extends z.ZodType>(list: List) {
  return z
    .preprocess((value) => (typeof value === 'string' ? value.split(',').flatMap(trimmedEntry) : value), list)
    .meta({ shownAs: list });
}

function trimmedEntry(text: string): string[] {
  const entry = text.trim();
  return entry === '' ? [] : [entry];
}

/** A field of a body for something that is not there: refused with this message, unless it is null or states what is so. */
export function absent(message: string, isSo: (given: unknown) => boolean = () => false) {
  return z
    .unknown()
    .refine((given) => given === undefined || given === null || isSo(given), fault('BASE_TYPE_INVALID', message))
    .optional();
}

/** Whether a field of a body states that there is nothing of something. */
export function isEmptyList(given: unknown): boolean {
  return Array.isArray(given) && given.length === 0;
}

/** A body that may also stand as JSON in the field `payload` of a form, as Slack and GitHub have it. */
export function inPayloadField<Body extends z.ZodType>(body: Body) {
  const unpacked = (value: unknown) => {
    const payload = typeof value === 'object' && value !== null ? Reflect.get(value, 'payload') : undefined;
    return typeof payload === 'string' ? parseJson(payload, COMMAND_JSON_BOUNDS) : value;
  };
  return z.preprocess(unpacked, body).meta({ shownAs: body });
}

/** A repeated query key stands for its first value where one is asked for; an empty one for nothing. */
function firstValue(value: unknown): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  return first === '' ? undefined : first;
}
