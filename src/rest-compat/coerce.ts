import { z } from 'zod';

/** Returns the value itself if no conversion applies. */
type Coercer = (value: unknown) => unknown;

/** Longer numbers are outside the range of every field. */
const WHOLE_NUMBER = /^-?\d{1,40}$/;

const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);

/**
 * Converts scalars of a JSON body to the types of `schema`, as Discord does: text to integers and booleans, integers to
 * text. The schema rejects everything else later. Long integers arrive as bigints and keep their digits as text. Never
 * mutates `value`.
 */
export function coerceTo(schema: z.core.$ZodType, value: unknown): unknown {
  return coercerOf(schema)?.(value) ?? value;
}

const coercers = new WeakMap<z.core.$ZodType, Coercer | null>();

function coercerOf(schema: z.core.$ZodType): Coercer | null {
  const known = coercers.get(schema);
  if (known !== undefined) return known;
  const coercer = makeCoercer(schema);
  coercers.set(schema, coercer);
  return coercer;
}

function makeCoercer(schema: z.core.$ZodType): Coercer | null {
  const { _zod: internals } = schema as z.core.$ZodTypes;
  const { def } = internals;
  switch (def.type) {
    case 'string':
      return (value) => (isWhole(value) ? String(value) : value);
    case 'number':
      return numberIn;
    case 'boolean':
      return (value) => BOOLEANS.get(value) ?? value;
    case 'literal':
    case 'enum':
      return ofChoices(internals.values ?? new Set());
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return coercerOf(def.innerType);
    case 'pipe':
      return coercerOf(def.in._zod.def.type === 'transform' ? def.out : def.in);
    case 'union':
      // A union of scalars accepts numbers and text without conversion.
      return 'discriminator' in def ? ofKinds(def as z.core.$ZodDiscriminatedUnionDef) : null;
    case 'array':
      return ofList(coercerOf(def.element), mostIn(def));
    case 'tuple':
      return ofTuple(def.items);
    case 'object':
      return ofObject(def.shape);
    case 'record':
      return ofRecord(def);
    case 'unknown':
      return ofShown(schema);
    default:
      return null;
  }
}

function isWhole(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function numberIn(value: unknown): unknown {
  return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ofChoices(choices: ReadonlySet<unknown>): Coercer {
  return (value) => {
    const number = numberIn(value);
    return choices.has(value) || !choices.has(number) ? value : number;
  };
}

function ofKinds({ options, discriminator }: z.core.$ZodDiscriminatedUnionDef): Coercer {
  const kinds = new Map<unknown, z.core.$ZodType>();
  for (const option of options) {
    for (const kind of option._zod.propValues?.[discriminator] ?? []) kinds.set(kind, option);
  }
  return (value) => {
    if (!isObject(value)) return value;
    const kind = value[discriminator];
    const option = kinds.get(kind) ?? kinds.get(numberIn(kind));
    return option ? coerceTo(option, value) : value;
  };
}

function mostIn({ checks = [] }: z.core.$ZodArrayDef): number {
  const limits = checks.map(({ _zod: { def } }) => def as z.core.$ZodCheckMaxLengthDef);
  return Math.min(...limits.map(({ check, maximum }) => (check === 'max_length' ? maximum : Number.POSITIVE_INFINITY)));
}

/** @param max the schema rejects longer lists */
function ofList(coerce: Coercer | null, max: number): Coercer | null {
  return (
    coerce && ((value) => (Array.isArray(value) && value.length <= max ? coerceEntries(value, () => coerce) : value))
  );
}

function ofTuple(items: readonly z.core.$ZodType[]): Coercer {
  const all = items.map(coercerOf);
  return (value) => (Array.isArray(value) ? coerceEntries(value, (index) => all[index] ?? null) : value);
}

function coerceEntries(list: unknown[], coercerAt: (index: number) => Coercer | null): unknown[] {
  const coerced = list.map((entry, index) => coercerAt(index)?.(entry) ?? entry);
  return coerced.some((entry, index) => entry !== list[index]) ? coerced : list;
}

function ofObject(shape: z.core.$ZodShape): Coercer | null {
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const coerce = coercerOf(schema);
    return coerce ? [[name, coerce] as const] : [];
  });
  return fields.length === 0 ? null : (value) => (isObject(value) ? coerceFields(value, fields) : value);
}

function ofRecord({ keyType, valueType }: z.core.$ZodRecordDef): Coercer | null {
  const coerce = coercerOf(valueType);
  const known = keyType._zod.values && [...keyType._zod.values].map(String);
  if (!coerce) return null;
  const fieldsOf = (value: object) => (known ?? Object.keys(value)).map((name) => [name, coerce] as const);
  return (value) => (isObject(value) ? coerceFields(value, fieldsOf(value)) : value);
}

function coerceFields(object: Record<string, unknown>, fields: (readonly [string, Coercer])[]): object {
  let coerced: Record<string, unknown> | undefined;
  for (const [name, coerce] of fields) {
    const field = coerce(object[name]);
    if (field === object[name]) continue;
    coerced ??= { ...object };
    coerced[name] = field;
  }
  return coerced ?? object;
}

/** `shownAs` is the schema that parses the field later. */
function ofShown(schema: z.core.$ZodType): Coercer | null {
  const shownAs = z.globalRegistry.get(schema)?.shownAs;
  return shownAs instanceof z.ZodType ? coercerOf(shownAs) : null;
}
