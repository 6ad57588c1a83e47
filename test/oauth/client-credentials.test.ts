import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import { readClientCredentials } from '../../src/oauth/client-credentials.js';
import { formValue } from '../../src/oauth/form.js';
import { basic } from '../harness/oauth.js';

const read = (authorization: string | undefined, form: Record<string, string> | [string, string][] = {}) => {
  try {
    return readClientCredentials(authorization, new URLSearchParams(form));
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};
const encoded = (text: string) => Buffer.from(text).toString('base64');

describe('a client identifies itself', () => {
  test.each<[string, string | undefined, Record<string, string>, unknown]>([
    ['in the form', undefined, { client_id: '5', client_secret: 's' }, { clientId: 5n, clientSecret: 's' }],
    ['without a secret', undefined, { client_id: '5' }, { clientId: 5n, clientSecret: undefined }],
    ['with an empty one', undefined, { client_id: '5', client_secret: '' }, { clientId: 5n, clientSecret: undefined }],
    ['by Basic', `Basic ${encoded('5:s')}`, {}, { clientId: 5n, clientSecret: 's' }],
    ['by Basic in any case', `  bASIC   ${encoded('5:s')} `, {}, { clientId: 5n, clientSecret: 's' }],
    ['by both, alike', `Basic ${encoded('5:s')}`, { client_id: '5' }, { clientId: 5n, clientSecret: 's' }],
    ['by both, as different clients', `Basic ${encoded('5:s')}`, { client_id: '6' }, 'INVALID_REQUEST'],
    ['with two secrets', `Basic ${encoded('5:s')}`, { client_secret: 's' }, 'INVALID_REQUEST'],
    ['not at all', undefined, {}, 'INVALID_CLIENT'],
    ['by its secret alone', undefined, { client_secret: 's' }, 'INVALID_CLIENT'],
    ['by what is no id', undefined, { client_id: 'x', client_secret: 's' }, 'INVALID_CLIENT'],
    ['by Basic and what is no id', `Basic ${encoded('x:s')}`, {}, 'INVALID_CLIENT'],
    ['by another scheme', `Bearer ${encoded('5:s')}`, {}, 'INVALID_CLIENT'],
    ['by Basic without a colon', `Basic ${encoded('5')}`, {}, 'INVALID_CLIENT'],
    ['by Basic without an id', `Basic ${encoded(':s')}`, {}, 'INVALID_CLIENT'],
    ['by Basic of something else', 'Basic ???', {}, 'INVALID_CLIENT'],
    ['by Basic with a colon in its secret', `Basic ${encoded('5:a:b')}`, {}, { clientId: 5n, clientSecret: 'a:b' }],
    [
      'by Basic with a secret that is not encoded',
      `Basic ${encoded('5:100%')}`,
      {},
      { clientId: 5n, clientSecret: '100%' },
    ],
    ['by Basic with a space', `Basic ${encoded('5:a+b')}`, {}, { clientId: 5n, clientSecret: 'a b' }],
  ])('%s', (_name, authorization, form, expected) => {
    expect(read(authorization, form)).toEqual(expected);
  });

  test('by Basic with any secret, form-encoded (RFC 6749, section 2.3.1)', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (secret) => {
        expect(read(basic('5', secret).authorization)).toEqual({ clientId: 5n, clientSecret: secret });
      }),
    );
  });

  test.each(['client_id', 'client_secret'])('only once: %s must not be repeated', (name) => {
    const form: [string, string][] = [
      ['client_id', '5'],
      ['client_secret', 's'],
      [name, '5'],
    ];
    expect(read(undefined, form)).toBe('INVALID_REQUEST');
  });
});

test('a form parameter has one value, and an empty one is missing', () => {
  const form = new URLSearchParams('a=1&b=&c=1&c=2&d=0');
  expect(['a', 'b', 'd', 'x'].map((name) => formValue(form, name))).toEqual(['1', undefined, '0', undefined]);
  expect(() => formValue(form, 'c')).toThrow('The parameter c must appear only once.');
});
