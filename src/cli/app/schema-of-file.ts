import { applicationFile } from '../../domain/application-files/index.js';
import { DomainError, type FieldFault } from '../../domain/errors.js';
import { jsonSchema } from '../../domain/json-schema.js';
import { parseInTurns } from '../../domain/parse-input.js';

/** Instances decide whether they have built-in commands, so that their names are allowed here. */
const SCHEMA = applicationFile({ hasBuiltIns: false });

export async function checkFile(content: unknown): Promise<FieldFault[]> {
  try {
    await parseInTurns(SCHEMA, content);
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
}

/** For editors: unlike the server's, it also closes the objects of commands. */
export function schemaOfFile(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Causeway application',
    ...closed(jsonSchema(SCHEMA)),
  };
}

function closed<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closed) as Schema;
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return { ...('properties' in schema ? { additionalProperties: false } : {}), ...inner } as Schema;
}
