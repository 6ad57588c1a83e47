import { ComponentType, TextInputStyle } from 'discord-api-types/v10';
import { z } from 'zod';
import { fileTypes } from '../../file-types.js';
import { maybe, unionOfKinds } from '../../input.js';
import { addFault, component, countOf, customId, offByDefault, onByDefault, optionalText, text } from './fields.js';
import { checkRequired, distinctOptions, modalSelect } from './interactive.js';
import { textDisplay } from './layout.js';
import { checkDistinct, numberComponents } from './tree.js';

/** Components of a modal (Discord's documentation, Component Reference). */

const MAX_INPUT = 4_000;

const inputShape = {
  custom_id: customId,
  style: z.literal([TextInputStyle.Short, TextInputStyle.Paragraph]),
  min_length: countOf(0, MAX_INPUT, 0),
  max_length: countOf(1, MAX_INPUT, MAX_INPUT),
  required: onByDefault,
  value: optionalText(MAX_INPUT),
  placeholder: optionalText(100),
};

function checkLengths(
  { min_length: min, max_length: max }: { min_length: number; max_length: number },
  context: z.RefinementCtx,
): void {
  if (min <= max) return;
  addFault(context, ['min_length'], 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
}

const textInput = component(ComponentType.TextInput, inputShape).superRefine(checkLengths);

/** A text input in an action row has its own label. */
const labelledInput = component(ComponentType.TextInput, { ...inputShape, label: text(1, 45) }).superRefine(
  checkLengths,
);

const actionRow = component(ComponentType.ActionRow, {
  components: z.tuple([unionOfKinds('type', [labelledInput])]),
});

const MAX_FILES = 10;

const fileUpload = component(ComponentType.FileUpload, {
  custom_id: customId,
  min_values: countOf(0, MAX_FILES, 1),
  max_values: countOf(1, MAX_FILES, 1),
  required: onByDefault,
  file_types: fileTypes(),
})
  .superRefine(checkRequired)
  .superRefine(checkRange);

const MAX_BOXES = 10;

const boxOption = z.object({
  value: text(1, 100),
  label: text(1, 100),
  description: optionalText(100),
  default: offByDefault,
});

const radioGroup = component(ComponentType.RadioGroup, {
  custom_id: customId,
  options: distinctOptions(boxOption, { min: 2, max: MAX_BOXES }),
  required: onByDefault,
});

const checkboxGroup = component(ComponentType.CheckboxGroup, {
  custom_id: customId,
  options: distinctOptions(boxOption, { min: 1, max: MAX_BOXES }),
  min_values: countOf(0, MAX_BOXES, 1),
  max_values: maybe(z.number().int().min(1).max(MAX_BOXES)),
  required: onByDefault,
})
  .superRefine(checkRequired)
  .transform(({ max_values, ...group }) => ({ ...group, max_values: max_values ?? group.options.length }))
  .superRefine(checkRange);

const checkbox = component(ComponentType.Checkbox, { custom_id: customId, default: offByDefault });

function checkRange(
  { min_values: min, max_values: max }: { min_values: number; max_values: number },
  context: z.RefinementCtx,
): void {
  if (min <= max) return;
  addFault(context, ['min_values'], 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
}

const label = component(ComponentType.Label, {
  label: text(1, 45),
  description: optionalText(100),
  component: unionOfKinds('type', [textInput, modalSelect, fileUpload, radioGroup, checkboxGroup, checkbox]),
});

/** Parsing fills in ids and Discord's defaults. `min_values` is 1 by default, even for an optional component. */
export const modalContent = z.object({
  custom_id: customId,
  title: text(1, 45),
  components: z
    .array(unionOfKinds('type', [actionRow, label, textDisplay]))
    .min(1)
    .max(5)
    .superRefine(checkDistinct)
    .transform(numberComponents),
});

export type ModalContent = z.output<typeof modalContent>;
