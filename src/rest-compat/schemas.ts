import { z } from 'zod';
import { moveFaults } from '../domain/errors.js';
import { fault, isoTime, snowflake } from '../domain/input.js';
import { parseInput } from '../domain/parse-input.js';
import { COMMAND_JSON_BOUNDS } from '../infra/network/bounded-json.js';
import { wireName } from '../wire/names.js';
import { parseJson } from './json.js';

export function ids<Name extends string>(...names: Name[]) {
  return z.object(
    Object.fromEntries(names.map((name) => [name, snowflake()])) as Record<Name, ReturnType<typeof snowflake>>,
  );
}

/**
 * Accepts wire names and outputs the names of `shape`.
 * @param leftOut further fields, in wire names, that are validated and then dropped
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

/**
 * Errors name parameters by their wire names.
 * @throws INVALID_INPUT
 */
export function parseParams(
  schema: z.ZodType<Record<string, unknown>>,
  value: unknown,
): Promise<Record<string, unknown>> {
  return moveFaults(wireName, async () => parseInput(schema, value));
}

export const queryId = z.preprocess(firstValue, snowflake().optional());

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

/** ISO 8601. */
export const queryTime = z
  .preprocess(firstValue, isoTime().optional())
  .meta({ shownAs: { type: 'string', format: 'date-time' } });

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

export function queryText(min: number, max: number) {
  return z.preprocess(firstValue, z.string().min(min).max(max));
}

/** `true`, `True` or `1`; default false (Discord's documentation, API Reference). */
export const queryBoolean = z
  .preprocess(
    firstValue,
    z
      .enum(['true', 'True', '1', 'false', 'False', '0'])
      .optional()
      .transform((text) => text?.toLowerCase() === 'true' || text === '1'),
  )
  .meta({ shownAs: { type: 'boolean' } });

/** Also accepts comma-separated text. */
export function idsOrText<List extends z.ZodType>(list: List) {
  return z
    .preprocess((value) => (typeof value === 'string' ? value.split(',').flatMap(trimmedEntry) : value), list)
    .meta({ shownAs: list });
}

function trimmedEntry(text: string): string[] {
  const entry = text.trim();
  return entry === '' ? [] : [entry];
}

/** A field of an unsupported feature. Only null and values that `isSo` accepts are allowed, and ignored. */
export function absent(message: string, isSo: (given: unknown) => boolean = () => false) {
  return z
    .unknown()
    .refine((given) => given === undefined || given === null || isSo(given), fault('BASE_TYPE_INVALID', message))
    .optional();
}

export function isEmptyList(given: unknown): boolean {
  return Array.isArray(given) && given.length === 0;
}

/** Slack and GitHub can send the body as JSON in the form field `payload`. */
export function inPayloadField<Body extends z.ZodType>(body: Body) {
  const unpacked = (value: unknown) => {
    const payload = typeof value === 'object' && value !== null ? Reflect.get(value, 'payload') : undefined;
    return typeof payload === 'string' ? parseJson(payload, COMMAND_JSON_BOUNDS) : value;
  };
  return z.preprocess(unpacked, body).meta({ shownAs: body });
}

/** The first value of a repeated key; undefined if it is empty. */
function firstValue(value: unknown): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  return first === '' ? undefined : first;
}
