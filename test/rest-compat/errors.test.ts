import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError, ERROR_CODES, invalidInput } from '../../src/domain/errors.js';
import { nestFaults, renderRestError } from '../../src/rest-compat/errors.js';
import { parseJson } from '../../src/rest-compat/json.js';

const fault = (path: string, code = 'X') => ({ path, code, message: code });

describe('nested faults', () => {
  test('follow each path, with indices as text and leaves under _errors', () => {
    expect(
      JSON.parse(
        JSON.stringify(nestFaults([fault('a.0.b', 'ONE'), fault('a.0.b', 'TWO'), fault('a', 'THREE'), fault('')])),
      ),
    ).toEqual({
      _errors: [{ code: 'X', message: 'X' }],
      a: {
        _errors: [{ code: 'THREE', message: 'THREE' }],
        0: {
          b: {
            _errors: [
              { code: 'ONE', message: 'ONE' },
              { code: 'TWO', message: 'TWO' },
            ],
          },
        },
      },
    });
  });

  test('accept any field name without touching prototypes', () => {
    const segment = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', '_errors', ''));
    const paths = fc.array(fc.array(segment).map((steps) => steps.join('.')));
    fc.assert(
      fc.property(paths, (list) => {
        JSON.stringify(nestFaults(list.map((path) => fault(path))));
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(Object.prototype).not.toHaveProperty('_errors');
      }),
    );
  });
});

describe('domain errors', () => {
  test.each(ERROR_CODES)('%s has a 4xx status, or 503 for overload, and hides its cause', (code) => {
    const refusal = renderRestError(new DomainError(code, 'for all to see', { cause: new Error('secret') }));
    expect(refusal?.status).toBeGreaterThanOrEqual(400);
    expect(refusal?.status).toBeLessThan(code === 'OVERLOADED' ? 504 : 500);
    expect(JSON.stringify(refusal)).not.toContain('secret');
  });

  test('include their faults', () => {
    expect(renderRestError(invalidInput(fault('content')))?.body).toMatchObject({
      code: 50035,
      message: 'Invalid Form Body',
      errors: { content: { _errors: [{ code: 'X' }] } },
    });
  });

  test('are the only errors that are rendered', () => {
    expect(renderRestError(new Error('a fault of ours'))).toBeNull();
  });
});

const isExact = (value: unknown) => !/9007199254740992|\d{17}/.test(JSON.stringify(value) ?? '');

describe('parseJson', () => {
  test('agrees with JSON.parse on values that are exact in a double', () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(isExact), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
        expect(parseJson(`{"long":1234567890123456789,"value":${text}}`)).toEqual({
          long: 1234567890123456789n,
          value: JSON.parse(text),
        });
      }),
    );
  });

  test('keeps every digit of a whole number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (id) => {
        expect(parseJson(`[${id},-${id}]`)).toEqual([id, -id]);
      }),
    );
    expect(parseJson(`[${'9'.repeat(400)}, 1.5, 1e3, 12345678901234567.5]`)).toEqual([
      Number.POSITIVE_INFINITY,
      1.5,
      1000,
      12345678901234568,
    ]);
  });
});
