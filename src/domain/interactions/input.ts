import { z } from 'zod';
import { characters, fault, maybe, plainText } from '../input.js';

/** The most text that an option takes, and that a modal's input takes, in characters (Discord's documentation). */
const OPTION_LENGTH = 6_000;
const INPUT_LENGTH = 4_000;

const OPTIONS = 25;
const VALUES = 25;

/** The most parts of a modal, and the most inputs of one of its rows, with room for what clients send beside. */
const PARTS = 40;

/** Names and custom ids: longer ones are nobody's. */
const KEY_LENGTH = 100;

const key = limitedText(KEY_LENGTH);

const type = maybe(z.number().int());

function limitedText(max: number) {
  return plainText().refine(
    (text) => text.length <= max || characters(text) <= max,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
  );
}

/** Somebody's value: text is checked as such, anything else is taken as it is. */
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

/** What one of a command's parameters was given. */
const parameter = z.object({ name: key, type, value: maybe(givenValue(OPTION_LENGTH)), focused: maybe(z.boolean()) });

const subcommand = parameter.extend({ options: maybe(z.array(parameter).max(OPTIONS)) });

const group = parameter.extend({ options: maybe(z.array(subcommand).max(OPTIONS)) });

/** What a command is run with, as the wire's `data.options` has it: parameters, a subcommand, or a group with one. */
export const InvokedOptions = z.array(group).max(OPTIONS);

export type InvokedOption = z.output<typeof parameter> & { options?: InvokedOption[] | undefined };

/** What was chosen in a select: values of its options, or ids. */
export const ChosenValues = z.array(givenValue(KEY_LENGTH).transform(String)).max(VALUES);

const input = z.object({
  type,
  custom_id: maybe(key),
  value: maybe(givenValue(INPUT_LENGTH)),
  values: maybe(ChosenValues),
});

/** What a modal was filled in with, as the wire has it: rows with inputs, and labels with one each. */
export const SubmittedComponents = z
  .array(input.extend({ components: maybe(z.array(input).max(PARTS)), component: maybe(input) }))
  .max(PARTS);

export type SubmittedInput = z.output<typeof input>;

export type SubmittedPart = z.output<typeof SubmittedComponents>[number];
