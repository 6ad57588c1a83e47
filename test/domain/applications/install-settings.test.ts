import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { installSettings, installSettingsColumns } from '../../../src/domain/applications/install-settings.js';
import { privilegedIntents } from '../../../src/domain/applications/privileged-intents.js';
import { installUrl } from '../../../src/domain/applications/settings.js';
import type { Application } from '../../../src/infra/database/index.js';

type Settings = Parameters<typeof installSettingsColumns>[0];

describe('default install settings', () => {
  test.each<[unknown, ReturnType<typeof installSettingsColumns>]>([
    [[], {}],
    [[{ context: 'SERVER', scopes: ['bot'] }], { serverInstallScopes: ['bot'] }],
    [
      [{ context: 'SERVER', scopes: ['bot', 'x', 'bot'], permissions: '8' }],
      { serverInstallScopes: ['bot', 'x'], serverInstallPermissions: '8' },
    ],
    [[{ context: 'SERVER', scopes: [], permissions: null }], { serverInstallScopes: [] }],
    [[{ context: 'USER', scopes: ['identify'] }], { userInstallScopes: ['identify'] }],
    [[{ context: 'USER', scopes: [], permissions: null }], { userInstallScopes: [] }],
    [
      [
        { context: 'USER', scopes: ['identify'] },
        { context: 'SERVER', scopes: ['bot'], permissions: '0' },
      ],
      { userInstallScopes: ['identify'], serverInstallScopes: ['bot'], serverInstallPermissions: '0' },
    ],
  ])('become columns: %j', (input, expected) => {
    expect(installSettingsColumns(installSettings().parse(input) as Settings)).toEqual(expected);
  });

  const scopesOf = (count: number) => Array.from({ length: count }, (_, index) => `scope${index}`);

  test.each<[string, unknown]>([
    [
      'a context twice',
      [
        { context: 'SERVER', scopes: [] },
        { context: 'SERVER', scopes: [] },
      ],
    ],
    ['another context', [{ context: 'BOX', scopes: [] }]],
    ['a bot for a person', [{ context: 'USER', scopes: ['bot'] }]],
    ['permissions for a person', [{ context: 'USER', scopes: [], permissions: '0' }]],
    ['permissions of 33 digits', [{ context: 'SERVER', scopes: [], permissions: '1'.repeat(33) }]],
    ['permissions that are no number', [{ context: 'SERVER', scopes: [], permissions: '' }]],
    ['a scope in capitals', [{ context: 'SERVER', scopes: ['Bot'] }]],
    ['a scope of 65 characters', [{ context: 'SERVER', scopes: ['x'.repeat(65)] }]],
    ['26 scopes', [{ context: 'SERVER', scopes: scopesOf(26) }]],
    ['no scopes', [{ context: 'SERVER' }]],
  ])('are not %s', (_name, input) => {
    expect(installSettings().safeParse(input).success).toBe(false);
  });

  test.each<[string, unknown]>([
    ['32 digits', [{ context: 'SERVER', scopes: [], permissions: '1'.repeat(32) }]],
    ['a scope of 64 characters', [{ context: 'SERVER', scopes: ['x'.repeat(64)] }]],
    ['25 scopes, some twice', [{ context: 'SERVER', scopes: [...scopesOf(25), ...scopesOf(25)] }]],
  ])('may be of %s', (_name, input) => {
    expect(installSettings().safeParse(input).success).toBe(true);
  });
});

const application = (settings: Partial<Application>) =>
  ({
    id: 7n,
    serverInstall: true,
    userInstall: true,
    serverInstallScopes: ['applications.commands', 'rpc', 'bot'],
    serverInstallPermissions: '2048',
    userInstallScopes: ['applications.commands'],
    installLinkMode: 'PROVIDED',
    customInstallUrl: 'https://bot.example/add',
    ...settings,
  }) as Application;

describe('the install link', () => {
  const ORIGIN = 'https://chat.example';
  const both = `${ORIGIN}/oauth2/authorize?client_id=7&permissions=2048&scope=applications.commands%20bot`;

  test.each<[string, Partial<Application>, string | null]>([
    ['of both contexts', {}, `${both}&response_type=code`],
    ['of servers', { userInstall: false }, `${both}&integration_type=0&response_type=code`],
    [
      'of people',
      { serverInstall: false },
      `${ORIGIN}/oauth2/authorize?client_id=7&permissions=0&scope=applications.commands&integration_type=1&response_type=code`,
    ],
    ['without an honoured scope', { serverInstallScopes: ['rpc'] }, null],
    ["of the application's own", { installLinkMode: 'CUSTOM' }, 'https://bot.example/add'],
    ['that is none', { installLinkMode: 'NONE' }, null],
  ])('%s', (_name, settings, expected) => {
    expect(installUrl(application(settings), ORIGIN)).toBe(expected);
  });
});

test('the privileged intents are those that are enabled', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (guildMembersIntent, presencesIntent, messageContentIntent) => {
        const names = privilegedIntents(application({ guildMembersIntent, presencesIntent, messageContentIntent }));
        expect(names.includes('GUILD_MEMBERS')).toBe(guildMembersIntent);
        expect(names.includes('PRESENCES')).toBe(presencesIntent);
        expect(names.includes('MESSAGE_CONTENT')).toBe(messageContentIntent);
      },
    ),
  );
});
