import { z } from 'zod';
import { characters, fault, maybe, plainText, snowflake } from '../../input.js';
import { isUnicodeEmoji } from '../emoji.js';

/** What components are made of. Text is kept with the blanks around it: it is the sender's layout, or what they look things up by. */

/** Stands for a component's number that was not given; it becomes one when all components are known ({@link numberComponents}). */
export const NO_ID = 0;

const componentId = maybe(
  z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1),
).transform((id) => id ?? NO_ID);

/** A component of a type, with what such a one has. */
export function component<Type extends number, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), id: componentId, ...shape });
}

/** Text of `min` to `max` characters. */
export function text(min: number, max: number) {
  return plainText().refine(
    (value) => characters(value) >= min && characters(value) <= max,
    min === 0
      ? fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
      : fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
  );
}

/** Text of at most `max` characters that counts as not given when it is empty. */
export function optionalText(max: number) {
  return maybe(text(0, max)).transform((value) => value || undefined);
}

/** By what its sender tells a component from others. */
export const customId = text(1, 100);

/** A switch that is off unless stated. */
export const offByDefault = maybe(z.boolean()).transform((on) => on ?? false);

/** A switch that is on unless stated. */
export const onByDefault = maybe(z.boolean()).transform((on) => on ?? true);

/** Something that has the wrong size is not looked at any further: what follows from it would be wrong as well. */
export const WHERE_WRONG = { abort: true } as const;

/** A whole number that has a default. */
export function countOf(min: number, max: number, byDefault: number) {
  return maybe(z.number().int().min(min, WHERE_WRONG).max(max, WHERE_WRONG)).transform((count) => count ?? byDefault);
}

/** An id as components have it, decimal text. */
export const idText = snowflake().transform(String);

/** A unicode emoji by its name, or a guild's by its id. */
export const emoji = z
  .object({ id: maybe(idText), name: maybe(text(1, 32)), animated: maybe(z.boolean()) })
  .refine(({ id, name }) => id !== undefined || name !== undefined, {
    ...fault('BASE_TYPE_REQUIRED', 'This field is required'),
    path: ['name'],
    abort: true,
  })
  .refine(({ id, name = '' }) => id !== undefined || isUnicodeEmoji(name), {
    ...fault('COMPONENT_INVALID_EMOJI', 'Invalid emoji'),
    path: ['name'],
  });

/** Adds a fault with a code of the reference platform to what is being parsed. */
export function addFault(context: z.RefinementCtx, path: PropertyKey[], code: string, message: string): void {
  context.addIssue({ code: 'custom', path, message, params: { code } });
}

const REQUIRED = 'This field is required';

export function addRequired(context: z.RefinementCtx, field: string): void {
  addFault(context, [field], 'BASE_TYPE_REQUIRED', REQUIRED);
}
