import { z } from 'zod';
import { characters, fault, maybe, plainText } from '../../input.js';

/** In characters (Discord's documentation). */
const OPTION_LENGTH = 6_000;
const INPUT_LENGTH = 4_000;

const OPTIONS = 25;
const VALUES = 25;

/** Exceeds Discord's limits, since clients may add parts. */
const PARTS = 40;

const KEY_LENGTH = 100;

const key = limitedText(KEY_LENGTH);

const type = maybe(z.number().int());

function limitedText(max: number) {
  return plainText().refine(
    (text) => text.length <= max || characters(text) <= max,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
  );
}

/** `maxLength` applies to text only. */
function givenValue(maxLength: number) {
  const text = limitedText(maxLength);
  return z.union([z.string(), z.number(), z.bigint(), z.boolean()]).transform((value, context) => {
    if (typeof value !== 'string') return value;
    const { data, error } = text.safeParse(value);
    for (const issue of error?.issues ?? []) {
      if (issue.code === 'custom') context.addIssue({ code: 'custom', message: issue.message, params: issue.params });
    }
    return data ?? z.NEVER;
  });
}

const parameter = z.object({ name: key, type, value: maybe(givenValue(OPTION_LENGTH)), focused: maybe(z.boolean()) });

const subcommand = parameter.extend({ options: maybe(z.array(parameter).max(OPTIONS)) });

const group = parameter.extend({ options: maybe(z.array(subcommand).max(OPTIONS)) });

/** In wire format (`data.options`): parameters, a subcommand, or a group with a subcommand. */
export const InvokedOptions = z.array(group).max(OPTIONS);

export type InvokedOption = z.output<typeof parameter> & { options?: InvokedOption[] | undefined };

/** Option values or ids. */
export const ChosenValues = z.array(givenValue(KEY_LENGTH).transform(String)).max(VALUES);

const input = z.object({
  type,
  custom_id: maybe(key),
  value: maybe(givenValue(INPUT_LENGTH)),
  values: maybe(ChosenValues),
});

/** In wire format: rows with inputs, and labels with one input each. */
export const SubmittedComponents = z
  .array(input.extend({ components: maybe(z.array(input).max(PARTS)), component: maybe(input) }))
  .max(PARTS);

export type SubmittedInput = z.output<typeof input>;

export type SubmittedPart = z.output<typeof SubmittedComponents>[number];
