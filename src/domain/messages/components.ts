import { z } from 'zod';
import type { Prisma } from '../../infra/database/index.js';
import { fault } from '../input.js';

/** The most text a message's components may be, as JSON. */
const MAX_SIZE = 32_000;

/** How deep components may be nested, counted in JSON values. */
const MAX_DEPTH = 32;

/** A message's components, kept as the sender wrote them, within bounds; their meaning belongs to interactions. */
export const messageComponents = z
  .array(z.looseObject({ type: z.number().int() }))
  .max(40)
  .transform((components, context): Prisma.InputJsonArray => {
    const refuse = (code: string, message: string) => context.addIssue({ code: 'custom', message, params: { code } });
    return components.map((component) => storable(component, MAX_DEPTH, refuse));
  })
  .refine(
    (components) => JSON.stringify(components).length <= MAX_SIZE,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${MAX_SIZE} or fewer in length.`),
  )
  .brand<'MessageComponents'>();

export type MessageComponents = z.output<typeof messageComponents>;

type Refuse = (code: string, message: string) => void;

/** A copy of parsed JSON that both databases can keep: text well-formed and without U+0000, long numbers as text. */
function storable(value: unknown, depth: number, refuse: Refuse): Prisma.InputJsonValue | null {
  if (depth === 0) {
    refuse('BASE_TYPE_INVALID', 'The components are nested too deep.');
    return null;
  }
  switch (typeof value) {
    case 'string':
      if (value.includes('\u0000')) refuse('STRING_TYPE_REGEX', 'The character U+0000 is not allowed.');
      return value.toWellFormed();
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : storableContainer(value, depth - 1, refuse);
    default:
      return null;
  }
}

function storableContainer(value: object, depth: number, refuse: Refuse): Prisma.InputJsonValue {
  if (Array.isArray(value)) return value.map((item) => storable(item, depth, refuse));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      String(storable(name, depth + 1, refuse)),
      storable(member, depth, refuse),
    ]),
  );
}
