import { describe, expect, test } from 'vitest';
import { DomainError, type ErrorCode } from '../../../src/domain/errors.js';
import type { Page } from '../../../src/http/pages/page.js';
import type { Application, Guild, User } from '../../../src/infra/database/index.js';
import { notice } from '../../../src/oauth/screen/notice.js';
import {
  cancelledPage,
  faultPage,
  installedPage,
  notFoundPage,
  refusalPage,
  refusedClientPage,
  type SignedIn,
  signInPage,
  statusOf,
  whoIsSignedIn,
} from '../../../src/oauth/screen/pages.js';

const query = { client_id: '7', state: 'a&b' };
const ADDRESS = 'client_id=7&amp;state=a%26b';
const application = { id: 7n, name: 'Käfer <b>' } as Application;
const signedIn: SignedIn = { person: { username: 'ada' } as User, csrfToken: 'the token' };
const refusal = new DomainError('RATE_LIMITED', 'Too <many>.', { retryAfterMs: 5_000 });
const guild = { id: 5n, name: 'Harbour' } as Guild;

const shown = ({ body, ...page }: Page) => ({ ...page, text: body.text.replaceAll('\n', ' ') });

test.each<[ErrorCode, number]>([
  ['FORBIDDEN', 403],
  ['REQUEST_TOO_LARGE', 413],
  ['RATE_LIMITED', 429],
  ['OVERLOADED', 503],
  ['INVALID_INPUT', 400],
  ['UNAUTHENTICATED', 400],
])('%s becomes a page with the status %i', (code, status) => {
  expect(statusOf(new DomainError(code, ''))).toBe(status);
});

describe('a page', () => {
  test.each<[string, Page, object, string[], string[]]>([
    [
      'to sign in',
      signInPage({ query, leadsTo: 'https://client.example/' }),
      { status: 200, title: 'Sign in', leadsTo: 'https://client.example/', retryAfter: undefined },
      [
        `action="/oauth2/sign-in?${ADDRESS}"`,
        `href="/oauth2/sign-up?${ADDRESS}"`,
        'value="" autofocus>',
        'current-password" required>',
      ],
      ['role="alert"'],
    ],
    [
      'to sign in again',
      signInPage({ query, leadsTo: null, typed: { email: 'a"b' }, refusal }),
      { status: 429, leadsTo: null, retryAfter: 5 },
      ['value="a&quot;b">', 'current-password" required autofocus>', 'role="alert"><p>Too &lt;many&gt;.</p></div>'],
      [],
    ],
    [
      'without a user and an application',
      notFoundPage(null, null),
      { status: 404, title: 'Not found' },
      ['There is no application at this link.'],
      ['Sign in', 'Sign out'],
    ],
    [
      'for who may have to sign in',
      notFoundPage(query, null),
      { status: 404 },
      [`<a class="button" href="/oauth2/sign-in?${ADDRESS}">Sign in</a>`],
      ['Sign out'],
    ],
    [
      'for who is signed in',
      notFoundPage(query, signedIn),
      { status: 404 },
      ['Signed in as <bdi>ada</bdi>', `action="/oauth2/sign-out?${ADDRESS}"`],
      ['>Sign in<'],
    ],
    [
      'after an installation to a server',
      installedPage({ application, guild, permissions: 0n }, []),
      { status: 200, title: 'Done' },
      ['<bdi>Käfer &lt;b&gt;</bdi> was added to <bdi>Harbour</bdi>.'],
      ['did not get'],
    ],
    [
      'after one that gave less',
      installedPage({ application, guild: null, permissions: 0n }, [
        { bit: 1n, text: 'A' },
        { bit: 2n, text: 'B' },
      ]),
      { status: 200 },
      ['was added to your account.', 'The bot did not get these permissions', '<ul><li>A</li><li>B</li></ul>'],
      [],
    ],
    [
      'after a no',
      cancelledPage(query),
      { status: 200, title: 'Cancelled' },
      ['The application was not authorized', `href="/oauth2/authorize?${ADDRESS}"`],
      [],
    ],
    [
      "of a client's mistake",
      refusedClientPage({
        application,
        refusal,
        redirectUri: 'https://client.example/x',
        address: 'https://client.example/x?error=y&z',
      }),
      { status: 429, title: 'Invalid request' },
      [
        'sent an invalid request: Too &lt;many&gt;.',
        '<bdi>https://client.example</bdi>',
        'href="https://client.example/x?error=y&amp;z"',
      ],
      [],
    ],
    [
      'of a refusal',
      refusalPage(refusal, null),
      { status: 429, title: 'Too many attempts', retryAfter: 5 },
      ['<p>Too &lt;many&gt;.</p>'],
      ['Open the request again'],
    ],
    [
      'of a refusal with a way back',
      refusalPage(new DomainError('FORBIDDEN', 'No.'), query),
      { status: 403, retryAfter: undefined },
      [`<a class="button" href="/oauth2/authorize?${ADDRESS}">Open the request again</a>`],
      [],
    ],
    ['of a fault', faultPage('r<1'), { status: 500, title: 'Something went wrong' }, ['Request ID: r&lt;1'], []],
  ])('%s', (_what, page, facts, present, absent) => {
    const { text, ...beside } = shown(page);
    expect(beside).toMatchObject(facts);
    for (const part of present) expect(text).toContain(part);
    for (const part of absent) expect(text).not.toContain(part);
  });

  test('has forms with the token of the session', () => {
    expect(whoIsSignedIn(signedIn, query).text).toContain('<input type="hidden" name="csrf" value="the token">');
  });
});

test('a notice lists its details if there are any', () => {
  expect(notice('Why.').text).toBe('<div class="notice" role="alert"><p>Why.</p></div>');
  expect(notice('Why.', ['<a>', 'b']).text).toContain('<p>Why.</p><ul><li>&lt;a&gt;</li><li>b</li></ul></div>');
});
