import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

const fixture = join(import.meta.dirname, '../fixtures/reference-schemas.json');

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    snowflake: /^\d{1,20}$/,
    nonce: true,
    int32: true,
    int64: true,
    double: true,
    uri: (text: string) => URL.canParse(text),
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/,
  },
});
ajv.addSchema(JSON.parse(readFileSync(fixture, 'utf8')), 'reference');

/** Expects `body` to have the shape that the reference platform's OpenAPI document gives to `schema`. */
export function expectReference(schema: string, body: unknown): void {
  const validate = ajv.getSchema(`reference#/$defs/${schema}`);
  if (!validate) throw new Error(`the fixture has no schema ${schema}`);
  validate(body);
  const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${schema}${instancePath} ${message}`);
  expect(faults).toEqual([]);
}
