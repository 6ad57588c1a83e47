import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Cached, because rows share schemas and schemas contain each other. */
const shownSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** Of the input. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const shown = shownSchemas.get(schema) ?? showSchema(schema);
  shownSchemas.set(schema, shown);
  return shown;
}

/** `shownAs` (JSON Schema or a Zod schema) replaces the schema's input format. */
function showSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      const { shownAs } = made;
      if (typeof shownAs !== 'object') return;
      for (const key of Object.keys(made)) delete made[key];
      Object.assign(made, shownAs instanceof z.ZodType ? jsonSchema(shownAs) : shownAs);
    },
  });
  return shown;
}
