import { z } from 'zod';
import { characters, fault, maybe, plainText, snowflake } from '../../input.js';
import { isUnicodeEmoji } from '../content/emoji.js';

/** Texts of components are not trimmed, since white space can be layout or part of an identifier. */

/** A missing id, until {@link numberComponents} assigns one. */
export const NO_ID = 0;

const componentId = maybe(
  z
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1),
).transform((id) => id ?? NO_ID);

export function component<Type extends number, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), id: componentId, ...shape });
}

/** Lengths are in characters. */
export function text(min: number, max: number) {
  return plainText().refine(
    (value) => characters(value) >= min && characters(value) <= max,
    min === 0
      ? fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
      : fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
  );
}

/** Empty text counts as missing. */
export function optionalText(max: number) {
  return maybe(text(0, max)).transform((value) => value || undefined);
}

export const customId = text(1, 100);

export const offByDefault = maybe(z.boolean()).transform((on) => on ?? false);

export const onByDefault = maybe(z.boolean()).transform((on) => on ?? true);

/** A failed check skips later ones, which would report further faults. */
export const WHERE_WRONG = { abort: true } as const;

export function countOf(min: number, max: number, byDefault: number) {
  return maybe(z.number().int().min(min, WHERE_WRONG).max(max, WHERE_WRONG)).transform((count) => count ?? byDefault);
}

export const idText = snowflake().transform(String);

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

/** @param code Discord's error code */
export function addFault(context: z.RefinementCtx, path: PropertyKey[], code: string, message: string): void {
  context.addIssue({ code: 'custom', path, message, params: { code } });
}

const REQUIRED = 'This field is required';

export function addRequired(context: z.RefinementCtx, field: string): void {
  addFault(context, [field], 'BASE_TYPE_REQUIRED', REQUIRED);
}
