import { z } from 'zod';
import { MAX_ID, parseSnowflake } from '../infra/ids/ids.js';

/** For zod's `refine`: `fault('STRING_TYPE_REGEX', '…')`. */
export function fault(code: string, message: string): { error: string; params: { code: string } } {
  return { error: message, params: { code } };
}

/** Makes the message of the whole refusal from all inputs with this fault. */
export type Headline = (inputs: readonly unknown[]) => string;

/** As {@link fault}, but also sets the message of the whole refusal. */
export function headline(
  code: string,
  message: (input: unknown) => string,
  headline: Headline,
): { error: (issue: { input?: unknown }) => string; params: { code: string; headline: Headline } } {
  return { error: ({ input }) => message(input), params: { code, headline } };
}

/** Maximum number of faults in a response. */
export const FAULTS_TOLD = 100;

/** Only times with a four-digit year: both databases store them and libraries can read them. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** ISO 8601, in the years 1 to 9999. Time, seconds, fraction and offset are optional. The default offset is UTC. */
export function isoTime() {
  return z
    .string()
    .refine((text) => isKept(timeIn(text)), {
      error: ({ input }) => `Could not parse ${String(input).slice(0, 40)}. Should be ISO8601.`,
      params: { code: 'DATE_TIME_TYPE_PARSE' },
    })
    .transform((text) => new Date(timeIn(text)));
}

/** NaN for other text. */
function timeIn(text: string): number {
  const [, date = '', time = '00:00', offset = 'Z'] = ISO_TIME.exec(text) ?? [];
  return isDate(date) ? Date.parse(`${date}T${time}${offset}`) : Number.NaN;
}

/** False for days such as 30 February. */
function isDate(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(text);
}

function isKept(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

/** Checks the count before any entry is parsed. */
export function listUpTo<Schema extends z.ZodType>(max: number, schema: Schema) {
  return uncheckedList(max, schema).pipe(z.array(schema)).meta({ maxItems: max });
}

/** As {@link listUpTo} for large entries: stops after {@link FAULTS_TOLD} faults. */
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

/** Parses only the first `count` entries. The caller checks the number. */
export function firstOf<Schema extends z.ZodType>(count: number, schema: Schema) {
  return uncheckedEntries(schema)
    .transform((entries) => entries.slice(0, count))
    .pipe(z.array(schema));
}

function uncheckedEntries(schema: z.ZodType) {
  return z.array(z.unknown().meta({ shownAs: schema }));
}

/** @param schema only documents the entries */
export function uncheckedList(max: number, schema: z.ZodType) {
  return uncheckedEntries(schema).max(max);
}

/** For a faulty entry, returns an empty array and adds the faults under its index. */
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

export function trimmedText(min: number, max: number) {
  return trimmed().refine((text) => characters(text) >= min && characters(text) <= max, badLength(min, max));
}

/** Control characters, line ends and direction marks, which can disguise a name. */
const DISGUISES = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** Joiners, selectors, fillers, annotation marks and the blank Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]/gu;

/** As {@link trimmedText}, but on one line, with at least `min` visible characters and without direction marks. */
export function nameText(min: number, max: number) {
  return trimmed()
    .refine((name) => characters(visiblePart(name)) >= min && characters(name) <= max, badLength(min, max))
    .refine(
      (name) => !DISGUISES.test(name),
      fault('STRING_TYPE_REGEX', 'Line breaks, control characters and text direction marks are not allowed.'),
    );
}

/** Null counts as absent. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Trimmed. */
export function textUpTo(max: number) {
  return trimmed()
    .refine(
      (text) => text.length <= max || characters(text) <= max,
      fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
    )
    .meta({ maxLength: max });
}

export function trimmed() {
  return plainText().transform((text) => text.trim());
}

function badLength(min: number, max: number) {
  return fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

function visiblePart(text: string): string {
  return text.replace(INVISIBLE, '').trim();
}

/** Counts code points, so that most emojis count as one. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Refuses U+0000, which PostgreSQL cannot store, and replaces lone surrogates by U+FFFD. */
export function plainText() {
  return z
    .string()
    .refine((text) => !text.includes('\u0000'), fault('STRING_TYPE_REGEX', 'The character U+0000 is not allowed.'))
    .transform((text) => text.toWellFormed());
}

/**
 * Columns are signed, so greater ids become {@link MAX_ID}. No row has it, so lookups find nothing and comparisons stay
 * correct.
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

/** The parser recognises the fault of {@link unionOfKinds} by this message. */
export const UNKNOWN_KIND = 'unknown kind';

/** Reports an unknown kind at the object, as Discord does, and not at its discriminator. */
export const unionOfKinds: typeof z.discriminatedUnion = (discriminator, members) =>
  z.discriminatedUnion(discriminator, members, {
    error: ({ input }) => ((Object(input)[discriminator] ?? null) === null ? undefined : UNKNOWN_KIND),
  });
