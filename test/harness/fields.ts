import type { z } from 'zod';

/** The path of a leaf in a schema. */
export interface Field {
  path: (string | number)[];
  /** A value with `leaf` at that path, and with all required fields. */
  valueWith(leaf: unknown): unknown;
}

export interface Beside {
  samples: Record<string, unknown>;
  /** Optional fields that must be there together with `field`. Missing ones are ignored. */
  alsoBeside(field: string): readonly string[];
}

/**
 * Every field of a schema. Each kind of object is visited once, at its first place, because the same kind of component
 * may be in many places.
 * @param met the kinds that were visited before; new ones are added
 */
export function fieldsOf(schema: z.ZodType, { samples, alsoBeside }: Beside, met = new Set<object>()): Field[] {
  function walk(at: z.ZodType): Field[] {
    const { shape, kinds, entry } = structureOf(at);
    if (shape) return inObject(shape);
    if (kinds.length > 0) return kinds.flatMap(walkOnce);
    if (!entry) return [{ path: [], valueWith: (leaf) => leaf }];
    return walk(entry).map((field) => ({ path: [0, ...field.path], valueWith: (leaf) => [field.valueWith(leaf)] }));
  }

  function walkOnce(kind: z.ZodType): Field[] {
    const { shape } = structureOf(kind);
    if (!shape) return walk(kind);
    if (met.has(shape)) return [];
    met.add(shape);
    return inObject(shape);
  }

  function inObject(shape: Shape): Field[] {
    return Object.entries(shape).flatMap(([name, value]) =>
      walk(value).map((field) => ({
        path: [name, ...field.path],
        valueWith: (leaf) => ({ ...fill(shape, alsoBeside(name)), [name]: field.valueWith(leaf) }),
      })),
    );
  }

  /** Includes those of `more` that the object has. */
  function fill(shape: Shape, more: readonly string[]): Record<string, unknown> {
    const needed = Object.entries(shape).filter(
      ([name, value]) => more.includes(name) || !value.safeParse(undefined).success,
    );
    return Object.fromEntries(needed.map(([name, value]) => [name, sampleOf(name, value)]));
  }

  function sampleOf(name: string, of: z.ZodType): unknown {
    const { shape, kinds, entry, values } = structureOf(of);
    const [kind] = kinds;
    if (shape) return fill(shape, alsoBeside(''));
    if (kind) return sampleOf(name, kind);
    if (entry) return [sampleOf(name, entry)];
    return values ? values[0] : samples[name];
  }

  const { kinds } = structureOf(schema);
  return kinds.length > 0 ? kinds.flatMap(walk) : walk(schema);
}

export function namesIn(schema: z.ZodType): string[] {
  return Object.keys(structureOf(schema).shape ?? {});
}

type Shape = Record<string, z.ZodType>;

interface Structure {
  shape: Shape | undefined;
  kinds: z.ZodType[];
  entry: z.ZodType | undefined;
  values: unknown[] | undefined;
}

interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  items?: z.ZodType[];
  options?: z.ZodType[];
  shape?: Shape;
  values?: unknown[];
}

function structureOf(schema: z.ZodType): Structure {
  const { type, innerType, in: input, out, element, items, options = [], shape, values } = schema.def as Definition;
  if (innerType) return structureOf(innerType);
  if (type === 'pipe' && input && out) return structureOf(isOpen(input) && !isOpen(out) ? out : input);
  const kinds = type === 'union' ? options.filter(isObject) : [];
  return { shape, kinds, entry: element ?? items?.[0], values };
}

/** Whether a schema accepts any value. */
function isOpen(schema: z.ZodType): boolean {
  const { type, element } = schema.def as Definition;
  return type === 'transform' || type === 'unknown' || (element !== undefined && isOpen(element));
}

function isObject(schema: z.ZodType): boolean {
  const { shape, kinds } = structureOf(schema);
  return shape !== undefined || kinds.length > 0;
}
