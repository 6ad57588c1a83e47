import { describe, expect, test } from 'vitest';
import { ownAddress, PATHS, withParameters } from '../../../src/oauth/screen/addresses.js';

describe('a redirect URI', () => {
  test.each([
    ['https://a.example/x', 'https://a.example/x?code=1+2'],
    ['https://a.example/x?', 'https://a.example/x?code=1+2'],
    ['https://a.example/x?a=b', 'https://a.example/x?a=b&code=1+2'],
    ['https://a.example/x?a=b&', 'https://a.example/x?a=b&code=1+2'],
    ['https://a.example/ü', 'https://a.example/%C3%BC?code=1+2'],
    ['com.example.app:/x', 'com.example.app:/x?code=1+2'],
  ])('%s keeps its query and gets the parameters of the result', (uri, expected) => {
    expect(withParameters(uri, { code: '1 2', state: null })).toBe(expected);
  });

  test("of Causeway's own pages has the request in its query", () => {
    expect(ownAddress(PATHS.signIn, { client_id: '1', state: 'a&b', scope: '', prompt: undefined })).toBe(
      '/oauth2/sign-in?client_id=1&state=a%26b&scope=',
    );
  });
});
