import { type Fields, fieldsOf, listOf, numberOf, numbersOf, textOf, webAddress } from '../json.js';

export type Offer = 'options' | 'user' | 'role' | 'mentionable' | 'channel';

export interface Choice {
  value: string;
  label: string;
  description: string | undefined;
  isDefault: boolean;
}

interface Keyed {
  customId: string;
}

export interface SelectPart extends Keyed {
  kind: 'select';
  offer: Offer;
  placeholder: string;
  choices: Choice[];
  channelTypes: number[];
  min: number;
  max: number;
  isOff: boolean;
  type: number;
}

export interface TextInputPart extends Keyed {
  kind: 'input';
  label: string;
  placeholder: string;
  value: string;
  isLong: boolean;
  isRequired: boolean;
  maxLength: number;
}

export type Part =
  | { kind: 'group'; parts: Part[]; isFramed: boolean }
  | { kind: 'text'; text: string }
  | { kind: 'line' }
  | { kind: 'file'; url: string; text: string; isPicture: boolean }
  | ({ kind: 'button'; label: string; style: number; isOff: boolean } & Keyed)
  | { kind: 'link'; label: string; url: string }
  | { kind: 'label'; label: string; description: string | undefined; part: Part }
  | ({ kind: 'files'; min: number; max: number } & Keyed)
  | ({ kind: 'check'; isOn: boolean } & Keyed)
  | ({ kind: 'choices'; choices: Choice[]; max: number; isRequired: boolean; type: number } & Keyed)
  | SelectPart
  | TextInputPart;

/** Component types of the wire format. */
const GROUPS = new Set([1, 9, 17]);
const OFFERS = new Map<number, Offer>([
  [3, 'options'],
  [5, 'user'],
  [6, 'role'],
  [7, 'mentionable'],
  [8, 'channel'],
]);

/** Drops unsupported components. */
export function partsOf(value: unknown): Part[] {
  return listOf(value).flatMap(partsIn);
}

function partsIn(fields: Fields): Part[] {
  const type = numberOf(fields.type) ?? 0;
  const offer = OFFERS.get(type);
  if (offer) return [selectOf(fields, offer, type)];
  if (GROUPS.has(type)) return [groupOf(fields, type)];
  return READERS[type]?.(fields) ?? [];
}

function groupOf(fields: Fields, type: number): Part {
  const accessory = fields.accessory ? partsIn(fieldsOf(fields.accessory)) : [];
  return { kind: 'group', parts: [...partsOf(fields.components), ...accessory], isFramed: type === 17 };
}

const READERS: Record<number, (fields: Fields) => Part[]> = {
  2: buttonOf,
  4: (fields) => [inputOf(fields)],
  10: ({ content }) => [{ kind: 'text', text: textOf(content) ?? '' }],
  11: (fields) => fileOf(fieldsOf(fields.media).url, fields.description, true),
  12: ({ items }) => listOf(items).flatMap(({ media, description }) => fileOf(fieldsOf(media).url, description, true)),
  13: (fields) => fileOf(fieldsOf(fields.file).url, fields.name, false),
  14: () => [{ kind: 'line' }],
  18: labelOf,
  19: (fields) => [
    {
      kind: 'files',
      customId: keyOf(fields),
      min: numberOf(fields.min_values) ?? 1,
      max: numberOf(fields.max_values) ?? 1,
    },
  ],
  21: (fields) => [choicesOf(fields, 1)],
  22: (fields) => [choicesOf(fields, numberOf(fields.max_values) ?? listOf(fields.options).length)],
  23: (fields) => [{ kind: 'check', customId: keyOf(fields), isOn: fields.default === true }],
};

function keyOf({ custom_id }: Fields): string {
  return textOf(custom_id) ?? '';
}

function buttonOf(fields: Fields): Part[] {
  const emoji = textOf(fieldsOf(fields.emoji).name);
  const label = [emoji, textOf(fields.label)].filter(Boolean).join(' ') || 'Button';
  const style = numberOf(fields.style) ?? 1;
  const url = webAddress(fields.url);
  if (style === 5) return url ? [{ kind: 'link', label, url }] : [];
  return [{ kind: 'button', customId: keyOf(fields), label, style, isOff: fields.disabled === true }];
}

function selectOf(fields: Fields, offer: Offer, type: number): SelectPart {
  return {
    kind: 'select',
    type,
    offer,
    customId: keyOf(fields),
    placeholder: textOf(fields.placeholder) ?? 'Make a selection',
    choices: choicesIn(fields),
    channelTypes: numbersOf(fields.channel_types),
    min: fields.required === false ? 0 : (numberOf(fields.min_values) ?? 1),
    max: numberOf(fields.max_values) ?? 1,
    isOff: fields.disabled === true,
  };
}

function choicesIn({ options }: Fields): Choice[] {
  return listOf(options).map((one) => ({
    value: textOf(one.value) ?? '',
    label: textOf(one.label) ?? textOf(one.value) ?? '',
    description: textOf(one.description),
    isDefault: one.default === true,
  }));
}

function choicesOf(fields: Fields, max: number): Part {
  const type = numberOf(fields.type) ?? 21;
  return {
    kind: 'choices',
    type,
    customId: keyOf(fields),
    choices: choicesIn(fields),
    max,
    isRequired: fields.required !== false,
  };
}

function inputOf(fields: Fields): TextInputPart {
  return {
    kind: 'input',
    customId: keyOf(fields),
    label: textOf(fields.label) ?? '',
    placeholder: textOf(fields.placeholder) ?? '',
    value: textOf(fields.value) ?? '',
    isLong: fields.style === 2,
    isRequired: fields.required !== false,
    maxLength: numberOf(fields.max_length) ?? 4_000,
  };
}

function labelOf(fields: Fields): Part[] {
  const [part] = fields.component ? partsIn(fieldsOf(fields.component)) : [];
  if (!part) return [];
  return [{ kind: 'label', label: textOf(fields.label) ?? '', description: textOf(fields.description), part }];
}

function fileOf(address: unknown, text: unknown, isPicture: boolean): Part[] {
  const url = webAddress(address);
  return url ? [{ kind: 'file', url, text: textOf(text) ?? url, isPicture }] : [];
}
