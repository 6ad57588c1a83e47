import type { Option } from './command-body.js';

/** Maximum of options per level, and of choices per option. */
export const MOST = 25;

export const SUBCOMMAND = 1;
export const GROUP = 2;
export const TEXT = 3;

/** In menu order. */
export const OPTION_TYPES: readonly { type: number; text: string }[] = [
  { type: TEXT, text: 'Text' },
  { type: 4, text: 'Integer' },
  { type: 10, text: 'Number' },
  { type: 5, text: 'Boolean' },
  { type: 6, text: 'User' },
  { type: 7, text: 'Channel' },
  { type: 8, text: 'Role' },
  { type: 9, text: 'User or role' },
  { type: 11, text: 'File' },
  { type: SUBCOMMAND, text: 'Subcommand' },
  { type: GROUP, text: 'Subcommand group' },
];

/** Type-specific fields. Default: only `required`. */
const SPECIAL: Record<number, readonly (keyof Option)[]> = {
  [SUBCOMMAND]: ['options'],
  [GROUP]: ['options'],
  [TEXT]: ['required', 'choices', 'autocomplete', 'min_length', 'max_length'],
  4: ['required', 'choices', 'autocomplete', 'min_value', 'max_value'],
  10: ['required', 'choices', 'autocomplete', 'min_value', 'max_value'],
  7: ['required', 'channel_types'],
  11: ['required', 'file_types'],
};

const SHARED: readonly (keyof Option)[] = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
];

export function isFolder({ type }: Pick<Option, 'type'>): boolean {
  return type === SUBCOMMAND || type === GROUP;
}

export function has(type: number, field: keyof Option): boolean {
  return (SPECIAL[type] ?? ['required']).includes(field);
}

/** @param parent null for the command */
export function typesWithin(parent: number | null): readonly { type: number; text: string }[] {
  if (parent === null) return OPTION_TYPES;
  return OPTION_TYPES.filter((one) => (parent === GROUP ? one.type === SUBCOMMAND : !isFolder(one)));
}

export function typeName(type: number): string {
  return OPTION_TYPES.find((one) => one.type === type)?.text ?? `Type ${type}`;
}

/** Drops fields that the new type does not have. */
export function retyped(option: Option, type: number): Option {
  const kept = Object.entries(option).filter(([field]) => isKept(type, field as keyof Option));
  const changed = { ...Object.fromEntries(kept), type } as Option;
  if (changed.options) changed.options = changed.options.filter((inner) => isWithin(type, inner.type));
  if (changed.choices && type !== option.type) delete changed.choices;
  return changed;
}

function isKept(type: number, field: keyof Option): boolean {
  return SHARED.includes(field) || has(type, field);
}

function isWithin(parent: number, type: number): boolean {
  return typesWithin(parent).some((one) => one.type === type);
}

/** Default values (undefined, null, false or an empty list) remove the field. */
export function withField<Field extends keyof Option>(option: Option, field: Field, value: Option[Field]): Option {
  const { [field]: _, ...rest } = option;
  const isSaid =
    value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
  return (isSaid ? { ...option, [field]: value } : rest) as Option;
}

/** Appends an option of the last one's type, or else of the first allowed type. */
export function added(options: readonly Option[], parent: number | null): Option[] {
  if (options.length >= MOST) return [...options];
  const beside = options[options.length - 1]?.type;
  const type = beside ?? typesWithin(parent)[0]?.type ?? TEXT;
  return [...options, { type, name: freeName(options), description: '' }];
}

function freeName(options: readonly Option[]): string {
  const taken = new Set(options.map(({ name }) => name));
  const numbers = Array.from({ length: options.length + 1 }, (_, index) => `option-${index + 1}`);
  return numbers.find((name) => !taken.has(name)) ?? '';
}

export function replaced(options: readonly Option[], index: number, option: Option): Option[] {
  return options.map((one, at) => (at === index ? option : one));
}

export function removed<Item>(items: readonly Item[], index: number): Item[] {
  return items.filter((_, at) => at !== index);
}

/** Returns the same order if the target is outside the list. */
export function moved<Item>(items: readonly Item[], index: number, by: number): Item[] {
  const target = index + by;
  const item = items[index];
  if (item === undefined || target < 0 || target >= items.length) return [...items];
  const others = removed(items, index);
  return [...others.slice(0, target), item, ...others.slice(target)];
}
