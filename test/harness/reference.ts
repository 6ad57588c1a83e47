import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { DEVIATIONS } from './deviations.js';

const fixture = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8'));

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
ajv.addSchema(fixture('reference-schemas.json'), 'reference');

function validatorOf(schema: string): ValidateFunction {
  const validate = ajv.getSchema(`reference#/$defs/${schema}`);
  if (!validate) throw new Error(`the fixture has no schema ${schema}`);
  return validate;
}

/** The faults of a body, each as `path message`. */
function faultsIn(validate: ValidateFunction, body: unknown): string[] {
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export function expectReference(schema: string, body: unknown): void {
  expect(faultsIn(validatorOf(schema), body).map((fault) => `${schema}${fault}`)).toEqual([]);
}

export interface Operation {
  /** As in the document: `GET /guilds/{guild_id}`. */
  name: string;
  pattern: RegExp;
  /** The shape of the response by status; null for none. */
  answers: Record<string, object | null>;
}

const operations: Operation[] = Object.entries(
  fixture('reference-operations.json').operations as Record<string, Pick<Operation, 'answers'>>,
)
  .map(([name, { answers }]) => ({ name, answers, pattern: patternOf(name) }))
  // Literal paths come before those with parameters.
  .sort((one, other) => parametersIn(one) - parametersIn(other));

/** The document lacks the route `/applications/detectable`. */
function patternOf(name: string): RegExp {
  const escaped = name.replace(/[.+@]/g, '\\$&').replace('{application_id}', '(?!detectable$)[^/]+');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function parametersIn({ name }: Operation): number {
  return name.split('{').length;
}

export function operationOf(method: string, path: string): Operation | undefined {
  return operations.find(({ pattern }) => pattern.test(`${method} ${path}`));
}

const validators = new Map<string, ValidateFunction>();

export const REFERENCE_OPERATIONS: readonly Operation[] = operations;

/**
 * The faults of a response by the reference platform's OpenAPI document, without known deviations. A success is checked
 * for status and shape, a refusal for its shape. Empty if the document does not have the operation.
 * @param path below `/api/v10`, without a query
 */
export function referenceFaults(method: string, path: string, status: number, body: unknown): string[] {
  const operation = operationOf(method, path);
  if (!operation || status < 200 || status > 499) return [];
  return status < 300 ? successFaults(operation, status, body) : refusalFaults(operation, status, body);
}

function successFaults({ name, answers }: Operation, status: number, body: unknown): string[] {
  const schema = answers[status];
  const faults =
    schema === undefined
      ? [`is answered ${status}, not ${Object.keys(answers).join(' or ')}`]
      : schema === null
        ? []
        : faultsIn(validatorFor(`${name} ${status}`, schema), body);
  return faults.filter((fault) => !isKnown(name, fault)).map((fault) => `${name}: ${fault}`);
}

function refusalFaults({ name }: Operation, status: number, body: unknown): string[] {
  const schema = status === 429 ? 'RatelimitedResponse' : 'ErrorResponse';
  return faultsIn(validatorOf(schema), withNumberedFaults(body)).map((fault) => `${name} ${status}: ${fault}`);
}

/**
 * A refusal with numbers in place of the text codes within `_errors`. The document declares all codes as numbers, but
 * Discord's documentation (API Reference, Error Messages) and its responses have text there.
 */
function withNumberedFaults(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body ?? null), (key, value) =>
    key === '_errors' && Array.isArray(value) ? value.map(withNumber) : value,
  );
}

const withNumber = (fault: { code?: unknown }) => ({ ...fault, code: typeof fault.code === 'string' ? 0 : 'no text' });

function isKnown(operation: string, fault: string): boolean {
  return DEVIATIONS.some((known) => known.operation.test(operation) && known.fault.test(fault));
}

function validatorFor(key: string, schema: object): ValidateFunction {
  const known = validators.get(key);
  if (known) return known;
  // References within the document must lead to its schemas.
  const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"reference#/$defs/')));
  validators.set(key, made);
  return made;
}
