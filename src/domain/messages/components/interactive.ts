import { ButtonStyle, ChannelType, ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { maybe, unionOfKinds } from '../../input.js';
import { urlOf } from '../content/urls.js';
import {
  addFault,
  addRequired,
  component,
  countOf,
  customId,
  emoji,
  idText,
  optionalText,
  text,
  WHERE_WRONG,
} from './fields.js';

/** Interactive components (Discord's documentation, Component Reference). */

const BUTTON_STYLES = [
  ButtonStyle.Primary,
  ButtonStyle.Secondary,
  ButtonStyle.Success,
  ButtonStyle.Danger,
  ButtonStyle.Link,
  ButtonStyle.Premium,
] as const;

const buttonShape = component(ComponentType.Button, {
  style: z.literal(BUTTON_STYLES),
  label: optionalText(80),
  emoji: maybe(emoji),
  custom_id: maybe(customId),
  url: maybe(urlOf(['http', 'https', 'discord'], 512)),
  sku_id: maybe(idText),
  disabled: maybe(z.boolean()),
});

type ButtonShape = z.output<typeof buttonShape>;

export const button = buttonShape.superRefine((sent, context) => {
  switch (sent.style) {
    case ButtonStyle.Link:
      if (sent.custom_id === undefined) requireField(sent, 'url', context);
      else refuseBoth(context);
      refuseFields(sent, ['sku_id'], context);
      return requireLabelOrEmoji(sent, context);
    case ButtonStyle.Premium:
      requireField(sent, 'sku_id', context);
      return refuseFields(sent, ['custom_id', 'label', 'url', 'emoji'], context);
    default:
      if (sent.custom_id === undefined) {
        addFault(context, ['custom_id'], 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required');
      } else if (sent.url !== undefined) refuseBoth(context);
      refuseFields(sent, ['sku_id'], context);
      return requireLabelOrEmoji(sent, context);
  }
});

function requireField(sent: ButtonShape, field: keyof ButtonShape, context: z.RefinementCtx): void {
  if (sent[field] === undefined) addRequired(context, field);
}

function refuseFields(sent: ButtonShape, fields: (keyof ButtonShape)[], context: z.RefinementCtx): void {
  for (const field of fields) {
    if (sent[field] === undefined) continue;
    addFault(context, [field], 'BASE_TYPE_INVALID', `A button of this style cannot have ${field}.`);
  }
}

function refuseBoth(context: z.RefinementCtx): void {
  const code = 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE';
  addFault(context, [], code, 'A custom id and url cannot both be specified');
}

function requireLabelOrEmoji({ label, emoji: shown }: ButtonShape, context: z.RefinementCtx): void {
  if (label === undefined && shown === undefined) addRequired(context, 'label');
}

const MAX_CHOICES = 25;

const selectOption = z.object({
  label: text(1, 100),
  value: text(1, 100),
  description: optionalText(100),
  emoji: maybe(emoji),
  default: maybe(z.boolean()),
});

export function distinctOptions<Option extends z.ZodType<{ value: string }>>(
  option: Option,
  { min, max }: { min: number; max: number },
) {
  return z
    .array(option)
    .min(min, WHERE_WRONG)
    .max(max, WHERE_WRONG)
    .superRefine((options, context) => {
      const seen = new Set<string>();
      for (const [index, { value }] of options.entries()) {
        if (seen.has(value)) {
          const path = [index, 'value'];
          addFault(context, path, 'COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used');
        }
        seen.add(value);
      }
    });
}

function defaultValues<Kind extends string>(...kinds: [Kind, ...Kind[]]) {
  return maybe(z.array(z.object({ id: idText, type: z.literal(kinds) })).max(MAX_CHOICES));
}

const selectShape = {
  custom_id: customId,
  placeholder: optionalText(150),
  min_values: countOf(0, MAX_CHOICES, 1),
  max_values: countOf(1, MAX_CHOICES, 1),
  disabled: maybe(z.boolean()),
  required: maybe(z.boolean()),
};

const selects = [
  component(ComponentType.StringSelect, {
    ...selectShape,
    options: distinctOptions(selectOption, { min: 1, max: MAX_CHOICES }),
  }).superRefine(checkChoosing),
  component(ComponentType.UserSelect, { ...selectShape, default_values: defaultValues('user') }).superRefine(
    checkChoosing,
  ),
  component(ComponentType.RoleSelect, { ...selectShape, default_values: defaultValues('role') }).superRefine(
    checkChoosing,
  ),
  component(ComponentType.MentionableSelect, {
    ...selectShape,
    default_values: defaultValues('user', 'role'),
  }).superRefine(checkChoosing),
  component(ComponentType.ChannelSelect, {
    ...selectShape,
    channel_types: maybe(z.array(z.enum(ChannelType)).max(MAX_CHOICES)),
    default_values: defaultValues('channel'),
  }).superRefine(checkChoosing),
] as const;

interface Choosing {
  min_values: number;
  max_values: number;
  options?: unknown[];
  default_values?: unknown[] | undefined;
}

function checkChoosing(
  { min_values: min, max_values: max, options, default_values: defaults = [] }: Choosing,
  context: z.RefinementCtx,
): void {
  const atMost = (most: number) => `int value should be less than or equal to ${most}.`;
  if (min > max) addFault(context, ['min_values'], 'NUMBER_TYPE_MAX', atMost(max));
  if (options && max > options.length) addFault(context, ['max_values'], 'NUMBER_TYPE_MAX', atMost(options.length));
  if (defaults.length === 0 || (defaults.length >= min && defaults.length <= max)) return;
  addFault(context, ['default_values'], 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

/** `required` applies to modals only. */
export const messageSelect = unionOfKinds('type', selects).transform(({ required: _ignored, ...select }) => select);

export const modalSelect = unionOfKinds('type', selects)
  .superRefine(checkRequired)
  .superRefine(({ disabled }, context) => {
    if (disabled) addFault(context, ['disabled'], 'BASE_TYPE_INVALID', 'Components of a modal cannot be disabled.');
  })
  .transform(({ disabled: _never, required = true, ...select }) => ({ ...select, required }));

export function checkRequired(
  { required = true, min_values: min }: { required?: boolean | undefined; min_values: number },
  context: z.RefinementCtx,
): void {
  if (!required || min > 0) return;
  addFault(context, ['min_values'], 'NUMBER_TYPE_MIN', 'int value should be greater than or equal to 1.');
}
