import { describe, expect, it } from 'vitest';
import { ConfigError, misspeltSettings, readConfig } from '../src/config.js';

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
  it.each(['chat', 'ftp://chat.example', '//chat.example'])('with %s stops the start with one fault', (address) => {
    expect(faultsOf({ [name]: address })).toEqual([expect.stringMatching(`^${name} must be a full URL`)]);
  });

  it.each(['u:secret@chat.example', 'u@chat.example', ':secret@chat.example', 'chat.example/path'])(
    'with more than an origin (%s) stops the start and is not repeated, since it may have a password',
    (rest) => {
      const [fault, ...more] = faultsOf({ [name]: `${protocol}://${rest}` });
      expect(fault).toMatch(`${name} must be an origin (protocol, host and port) without a user, password`);
      expect(fault).not.toContain('secret');
      expect(more).toEqual([]);
    },
  );

  it.each(['?', '?a=b', '#', '#top', '/?a=b'])('followed by %s stops the start', (rest) => {
    expect(faultsOf({ [name]: `${protocol}://chat.example${rest}` })).toEqual([
      expect.stringMatching(`^${name} must be an origin`),
    ]);
  });

  it.each([
    ['chat.example', 'chat.example'],
    ['chat.example/', 'chat.example'],
    ['Chat.Example:8443', 'chat.example:8443'],
    ['chat.example:443/', 'chat.example'],
  ])('%s is read as the origin that browsers use', (given, read) => {
    expect(readConfig({ [name]: `${protocol}://${given}` })).toMatchObject({ [key]: `${protocol}://${read}` });
  });
});

describe('an unknown variable', () => {
  it.each([
    ['LOG_LEVL', 'LOG_LEVEL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['TRUST_PROXIES', null],
    ['BOT_TOKEN', null],
    ['LOG_LEVEL', null],
    ['HOME', null],
    ['HOSTNAME', null],
    ['PATH', null],
    ['npm_config_loglevel', null],
  ])('%s is reported as a misspelling of %s', (given, meant) => {
    expect(misspeltSettings({ [given]: 'x' })).toEqual(meant === null ? [] : [[given, meant]]);
  });
});

describe('REDIS_URL', () => {
  it.each(['redis://there', 'redis://there/', 'rediss://:secret@there:1/12'])('may be %s', (REDIS_URL) => {
    expect(readConfig({ REDIS_URL }).redisUrl).toBe(REDIS_URL);
  });

  it('with a database that is not a number stops the start', () => {
    expect(faultsOf({ REDIS_URL: 'redis://:secret@there/some' })).toEqual([
      'REDIS_URL must have only a database number as its path',
    ]);
  });
});

describe('REDIS_PREFIX', () => {
  it.each([
    ['', 'causeway:'],
    ['staging', 'staging:'],
    ['chat.example:4000_a-b:', 'chat.example:4000_a-b:'],
  ])('%j makes keys and channels begin with %s', (REDIS_PREFIX, prefix) => {
    expect(readConfig({ REDIS_PREFIX }).redisPrefix).toBe(prefix);
  });

  it.each(['a b', 'a*', 'é', 'a'.repeat(65)])('of %s stops the start', (REDIS_PREFIX) => {
    expect(faultsOf({ REDIS_PREFIX })).toEqual([expect.stringMatching('^REDIS_PREFIX must be 1 to 64')]);
  });
});

describe('ALLOW_PRIVATE_ENDPOINTS', () => {
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
  ])('with %j allows private endpoints: %s', (environment, allowed) => {
    expect(readConfig(environment).allowPrivateEndpoints).toBe(allowed);
  });

  it.each(['yes', 'true', '1'])('%s is not a valid value', (value) => {
    expect(faultsOf({ ALLOW_PRIVATE_ENDPOINTS: value })).toEqual(['ALLOW_PRIVATE_ENDPOINTS must be on or off']);
  });
});

describe('the mail settings', () => {
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
  ])('%j are accepted', (environment, expected) => {
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

  it('are not repeated in the log if they are invalid, since they may have a password', () => {
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
  ])('%j is accepted', (environment, trustProxy) => {
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

describe('BLOB_URL', () => {
  it.each([
    ['s3://bucket', ''],
    ['s3://bucket/', ''],
    ['s3://bucket/chat', 'chat/'],
    ['s3://bucket/chat.example/_a-b/', 'chat.example/_a-b/'],
  ])('%s is accepted and gives keys the prefix "%s"', (BLOB_URL, prefix) => {
    expect(readConfig({ BLOB_URL }).blobs).toMatchObject({ bucket: 'bucket', prefix });
  });

  it.each(['a b', 'a//b', '/a', 'a//', '.hidden', 'a/.hidden', 'a%2Fb', 'a*', 'é'])(
    'with the path "%s" stops the start and names the allowed characters',
    (path) => {
      expect(faultsOf({ BLOB_URL: `s3://bucket/${path}` })).toEqual([
        expect.stringMatching(/^BLOB_URL must be s3:.* PATH may contain letters, digits, -, _ and \.$/),
      ]);
    },
  );
});

describe('SECRET_KEYS', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(32));

  it.each([
    ['one key', `${first}`, [first]],
    ['two keys, the newest first', `${first},${second}`, [first, second]],
    ['two with spaces', ` ${first} , ${second} `, [first, second]],
    ['a new key before that of the database', `${first},database`, [first, 'database']],
    ['that of the database before an older key', `database,${first}`, ['database', first]],
  ])('may be %s', (_what, SECRET_KEYS, keys) => {
    expect(readConfig({ SECRET_KEYS }).secretKeys).toEqual(keys);
  });

  it.each([
    ['three keys', `${first},${second},${third}`],
    ['a key twice', `${first},${first}`],
    ['a key and nothing', `${first},`],
    ['a key of 31 characters', `${first?.slice(1)}`],
    ['a good key and a short one', `${first},${second?.slice(1)}`],
  ])('of %s stop the start and are not repeated', (_what, SECRET_KEYS) => {
    const [fault, ...more] = faultsOf({ SECRET_KEYS });
    expect(fault).toMatch(/^SECRET_KEYS must be one key, or two different keys separated by a comma/);
    expect(fault).not.toContain('aaaa');
    expect(more).toEqual([]);
  });
});

describe('days of retention', () => {
  it('keep messages and audit logs unless set, and mails for 30 days', () => {
    expect(readConfig({}).retention).toEqual({ auditLogDays: 0, messageDays: 0, outboxDays: 30 });
    const days = { AUDIT_LOG_DAYS: '1', MESSAGE_DAYS: '7', OUTBOX_DAYS: '0' };
    expect(readConfig(days).retention).toEqual({ auditLogDays: 1, messageDays: 7, outboxDays: 0 });
  });

  it.each([
    ['MESSAGE_DAYS', '6', 7],
    ['MESSAGE_DAYS', '3651', 7],
    ['AUDIT_LOG_DAYS', '-1', 1],
    ['OUTBOX_DAYS', '1.5', 1],
  ])('%s=%s stops the start', (name, value, least) => {
    const text = `${name} must be a whole number of days from ${least} to 3650, or 0 to keep everything`;
    expect(faultsOf({ [name]: value })).toEqual([text]);
  });
});
