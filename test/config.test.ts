import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.js';

function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe.each([
  ['PUBLIC_URL', 'https', 'publicUrl'],
  ['GATEWAY_PUBLIC_URL', 'wss', 'gatewayPublicUrl'],
])('%s', (name, protocol, key) => {
  it.each(['chat', 'ftp://chat.example', '//chat.example'])('of %s stops the start with one fault', (address) => {
    expect(faultsOf({ [name]: address })).toEqual([expect.stringMatching(`^${name} must be a full URL`)]);
  });

  it.each(['u:secret@chat.example', 'u@chat.example', ':secret@chat.example', 'chat.example/path'])(
    'that is more than an origin (%s) stops the start, and is not repeated: it may hold a password',
    (rest) => {
      const [fault, ...more] = faultsOf({ [name]: `${protocol}://${rest}` });
      expect(fault).toMatch(`${name} must be an origin: protocol, host and port, without a user, a password`);
      expect(fault).not.toContain('secret');
      expect(more).toEqual([]);
    },
  );

  it.each(['?', '?a=b', '#', '#top', '/?a=b'])('with %s behind it stops the start', (rest) => {
    expect(faultsOf({ [name]: `${protocol}://chat.example${rest}` })).toEqual([
      expect.stringMatching(`^${name} must be an origin`),
    ]);
  });

  it.each([
    ['chat.example', 'chat.example'],
    ['chat.example/', 'chat.example'],
    ['Chat.Example:8443', 'chat.example:8443'],
    ['chat.example:443/', 'chat.example'],
  ])('%s is read as the origin browsers call it', (given, read) => {
    expect(readConfig({ [name]: `${protocol}://${given}` })).toMatchObject({ [key]: `${protocol}://${read}` });
  });
});

describe('private endpoints', () => {
  it.each([
    [{}, true],
    [{ PORT: '0' }, true],
    [{ PUBLIC_URL: 'http://localhost:4000' }, true],
    [{ PUBLIC_URL: 'http://127.0.0.1' }, true],
    [{ PUBLIC_URL: 'http://127.1.2.3' }, true],
    [{ PUBLIC_URL: 'https://[::1]:8443' }, true],
    [{ PUBLIC_URL: 'https://chat.example' }, false],
    [{ PUBLIC_URL: 'http://10.0.0.1' }, false],
    [{ PUBLIC_URL: 'https://localhost.example' }, false],
    [{ PUBLIC_URL: 'https://127.0.0.1.example' }, false],
    [{ PUBLIC_URL: 'https://chat.example', ALLOW_PRIVATE_ENDPOINTS: 'on' }, true],
    [{ ALLOW_PRIVATE_ENDPOINTS: 'off' }, false],
  ])('with %j are allowed: %s', (environment, allowed) => {
    expect(readConfig(environment).allowPrivateEndpoints).toBe(allowed);
  });

  it.each(['yes', 'true', '1'])('%s is no setting of theirs', (value) => {
    expect(faultsOf({ ALLOW_PRIVATE_ENDPOINTS: value })).toEqual(['ALLOW_PRIVATE_ENDPOINTS must be on or off']);
  });
});

describe('mail settings', () => {
  it.each([
    [{}, { smtpUrl: null, mailFrom: 'no-reply@localhost' }],
    [
      { SMTP_URL: '', MAIL_FROM: '' },
      { smtpUrl: null, mailFrom: 'no-reply@localhost' },
    ],
    [{ PUBLIC_URL: 'https://chat.example:8443' }, { smtpUrl: null, mailFrom: 'no-reply@chat.example' }],
    [
      { SMTP_URL: 'smtps://me:secret@mail.example:465', MAIL_FROM: 'portal@chat.example' },
      { smtpUrl: 'smtps://me:secret@mail.example:465', mailFrom: 'portal@chat.example' },
    ],
  ])('%j are read', (environment, expected) => {
    expect(readConfig(environment)).toMatchObject(expected);
  });

  it.each([
    [{ SMTP_URL: 'http://mail.example' }, /^SMTP_URL /],
    [{ SMTP_URL: 'mail.example:25' }, /^SMTP_URL /],
    [{ SMTP_URL: 'mail' }, /^SMTP_URL /],
    [{ SMTP_URL: 'smtp://' }, /^SMTP_URL /],
    [{ MAIL_FROM: 'portal' }, /^MAIL_FROM /],
    [{ MAIL_FROM: 'Portal <portal@chat.example>' }, /^MAIL_FROM /],
    [{ MAIL_FROM: 'a@chat.example\nBcc: b@chat.example' }, /^MAIL_FROM /],
  ])('%j stop the start and name the variable', (environment, fault) => {
    expect(faultsOf(environment)).toEqual([expect.stringMatching(fault)]);
  });

  it('that cannot be used are not repeated in the log, since they may hold a password', () => {
    expect(faultsOf({ SMTP_URL: 'http://me:secret@mail.example' }).join()).not.toContain('secret');
  });
});

describe('TRUST_PROXY', () => {
  const network = (address: string, prefix: number) => ({ address, prefix });

  it.each([
    [{}, null],
    [{ TRUST_PROXY: '' }, null],
    [{ TRUST_PROXY: '1' }, { hops: 1 }],
    [{ TRUST_PROXY: '32' }, { hops: 32 }],
    [{ TRUST_PROXY: '10.0.0.1' }, { networks: [network('10.0.0.1', 32)] }],
    [{ TRUST_PROXY: ' 10.0.0.0/8 ,2001:db8::/32' }, { networks: [network('10.0.0.0', 8), network('2001:db8::', 32)] }],
    [
      { TRUST_PROXY: 'loopback,::2' },
      { networks: [network('127.0.0.0', 8), network('::1', 128), network('::2', 128)] },
    ],
  ])('%j is read', (environment, trustProxy) => {
    expect(readConfig(environment)).toMatchObject({ trustProxy });
  });

  it.each([
    '0',
    '33',
    '-1',
    '1.5',
    'true',
    'on',
    '*',
    'all',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '10.0.0.1,',
    ',',
    '10.0.0.1 10.0.0.2',
    '1,10.0.0.1',
  ])('of "%s" stops the start and names the variable', (value) => {
    expect(faultsOf({ TRUST_PROXY: value })).toEqual([expect.stringMatching(/^TRUST_PROXY must be a number of hops/)]);
  });
});
