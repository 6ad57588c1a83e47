import { z } from 'zod';
import { MAX_ID, parseSnowflake } from '../infra/ids.js';

/** A refinement's fault code; used as `z.string().refine(test, fault('STRING_TYPE_REGEX', '…'))`. */
export function fault(code: string, message: string): { error: string; params: { code: string } } {
  return { error: message, params: { code } };
}

/** Says in the message of a refusal as a whole what is wrong with all inputs that have the same fault. */
export type Headline = (inputs: readonly unknown[]) => string;

/** As {@link fault}, for a fault that the refusal as a whole names, too. */
export function headline(
  code: string,
  message: (input: unknown) => string,
  headline: Headline,
): { error: (issue: { input?: unknown }) => string; params: { code: string; headline: Headline } } {
  return { error: ({ input }) => message(input), params: { code, headline } };
}

/** How many faults of an input are told. */
export const FAULTS_TOLD = 100;

/** Times of a year of four digits, in milliseconds since the Unix epoch: what both databases keep and libraries can read. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A date, or one with a time of day; of that, seconds, their fractions and the offset need not be told. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** A time in ISO 8601, of the years 1 to 9999. Without an offset it is in UTC. */
export function isoTime() {
  return z
    .string()
    .refine((text) => isKept(timeIn(text)), {
      error: ({ input }) => `Could not parse ${String(input).slice(0, 40)}. Should be ISO8601.`,
      params: { code: 'DATE_TIME_TYPE_PARSE' },
    })
    .transform((text) => new Date(timeIn(text)));
}

/** Milliseconds since the Unix epoch; NaN for what is no time. */
function timeIn(text: string): number {
  const [, date = '', time = '00:00', offset = 'Z'] = ISO_TIME.exec(text) ?? [];
  return isDate(date) ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}

/** Whether there is such a day. */
function isDate(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(text);
}

function isKept(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

/** A list of at most `max` entries, which are counted before one of them is looked at. */
export function listUpTo<Schema extends z.ZodType>(max: number, schema: Schema) {
  return uncheckedList(max, schema).pipe(z.array(schema)).meta({ maxItems: max });
}

/** As {@link listUpTo}, for entries that hold much: once there are {@link FAULTS_TOLD}, those that follow are not looked at. */
export function deepListUpTo<Schema extends z.ZodType>(max: number, schema: Schema) {
  return uncheckedList(max, schema)
    .transform((entries, checks) => {
      const parsed: z.output<Schema>[] = [];
      for (const [index, entry] of entries.entries()) {
        parsed.push(...parseEntry(schema, entry, index, checks));
        if (checks.issues.length >= FAULTS_TOLD) break;
      }
      return parsed;
    })
    .meta({ maxItems: max });
}

/** A list of which no more than `count` entries are looked at, for who counts them by a rule of their own. */
export function firstOf<Schema extends z.ZodType>(count: number, schema: Schema) {
  return uncheckedEntries(schema)
    .transform((entries) => entries.slice(0, count))
    .pipe(z.array(schema));
}

function uncheckedEntries(schema: z.ZodType) {
  return z.array(z.unknown().meta({ shownAs: schema }));
}

/** @param schema what the entries are shown as */
export function uncheckedList(max: number, schema: z.ZodType) {
  return uncheckedEntries(schema).max(max);
}

/** Parses one entry of a list: nothing for one that is refused, whose faults stand under its index. */
export function parseEntry<Schema extends z.ZodType>(
  schema: Schema,
  entry: unknown,
  index: number,
  checks: z.RefinementCtx,
): z.output<Schema>[] {
  const parsed = schema.safeParse(entry, { reportInput: true });
  if (parsed.success) return [parsed.data];
  for (const issue of parsed.error.issues) checks.addIssue({ ...issue, path: [index, ...issue.path] });
  return [];
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
 * A snowflake from text or a whole number, as a bigint. Ids are unsigned, columns are signed: a greater id than {@link MAX_ID} becomes that one.
 * No row has it, so that a lookup finds nothing, and a comparison comes out as with the id itself.
 */
export function snowflake() {
  return z
    .union([z.string(), z.number(), z.bigint()])
    .refine((value) => /^\d+$/.test(String(value)) && (typeof value !== 'number' || Number.isSafeInteger(value)), {
      error: ({ input }) => `Value "${String(input).slice(0, 40)}" is not snowflake.`,
      params: { code: 'NUMBER_TYPE_COERCE' },
    })
    .transform((value) => parseSnowflake(String(value).replace(/^0+(?=\d)/, '')) ?? MAX_ID)
    .meta({ shownAs: { type: 'string', format: 'snowflake', pattern: '^\\d+$' } });
}

/** What a fault of {@link unionOfKinds} is known by. */
export const UNKNOWN_KIND = 'unknown kind';

/** The members of a union by what one of their fields says; one of another kind is told of at the thing itself, not at that field. */
export const unionOfKinds: typeof z.discriminatedUnion = (discriminator, members) =>
  z.discriminatedUnion(discriminator, members, {
    error: ({ input }) => ((Object(input)[discriminator] ?? null) === null ? undefined : UNKNOWN_KIND),
  });
