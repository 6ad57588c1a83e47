import { describe, expect, test } from 'vitest';
import { DomainError, type ErrorCode, invalidInput } from '../../../src/domain/errors.js';
import type { AuthorizationRequest, InstallableGuild, InstallTarget } from '../../../src/domain/oauth/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import { explain, firstChoice, readChoice } from '../../../src/oauth/screen/decision.js';

describe('the submitted decision', () => {
  const read = (fields: [string, string][]) => readChoice(new URLSearchParams(fields));
  const nothing = { target: null, guildId: null, scopes: [], permissions: 0n };

  test.each<[string, [string, string][], unknown]>([
    ['nothing', [], nothing],
    [
      'a server',
      [
        ['target', 'SERVER'],
        ['guild_id', '5'],
      ],
      { ...nothing, target: 'SERVER', guildId: 5n },
    ],
    ['a person', [['target', 'USER']], { ...nothing, target: 'USER' }],
    [
      'elsewhere',
      [
        ['target', 'user'],
        ['guild_id', 'x'],
      ],
      nothing,
    ],
    [
      'scopes',
      [
        ['scopes', 'bot'],
        ['scopes', 'x'],
      ],
      { ...nothing, scopes: ['bot', 'x'] },
    ],
    [
      'permissions',
      [
        ['permissions', '8'],
        ['permissions', '2048'],
      ],
      { ...nothing, permissions: 2056n },
    ],
    [
      'permissions that are none',
      [
        ['permissions', 'x'],
        ['permissions', '-1'],
        ['permissions', ''],
      ],
      nothing,
    ],
    [
      '32 digits',
      [['permissions', '9'.repeat(32)]],
      { ...nothing, permissions: BigInt('9'.repeat(32)) & ALL_PERMISSIONS },
    ],
    ['33 digits', [['permissions', '9'.repeat(33)]], nothing],
  ])('is parsed for %s', (_name, fields, expected) => {
    expect(read([['decision', 'authorize'], ...fields])).toEqual(expected);
  });

  test('is a refusal, or is invalid without a decision', () => {
    expect(
      read([
        ['decision', 'cancel'],
        ['permissions', 'x'],
      ]),
    ).toBe('cancel');
    expect(() => read([['decision', 'x']])).toThrow('must be authorize or cancel');
    expect(() => read([])).toThrow('must be authorize or cancel');
    expect(() =>
      read([
        ['decision', 'authorize'],
        ['target', 'USER'],
        ['target', 'SERVER'],
      ]),
    ).toThrow('only once');
  });
});

describe('the initial choice of the screen', () => {
  const request = (targets: InstallTarget[]) =>
    ({
      targets,
      guildId: 5n,
      scopes: { SERVER: ['bot'], USER: ['identify'] },
      permissions: 8n,
    }) as unknown as AuthorizationRequest;
  const guild = {} as InstallableGuild;

  test.each<[InstallTarget[], number, InstallTarget | null]>([
    [[], 1, null],
    [['SERVER'], 1, 'SERVER'],
    [['SERVER'], 0, 'SERVER'],
    [['USER'], 1, 'USER'],
    [['SERVER', 'USER'], 1, 'SERVER'],
    [['SERVER', 'USER'], 0, 'USER'],
  ])('for %j, with %i servers, has the target %s', (targets, guilds, target) => {
    expect(firstChoice(request(targets), Array(guilds).fill(guild))).toEqual({
      target,
      guildId: 5n,
      scopes: ['bot', 'identify'],
      permissions: 8n,
    });
  });
});

describe('a refusal', () => {
  test.each<[ErrorCode, string, string]>([
    ['UNKNOWN_GUILD', 'guildId', 'You are not in that server, or it does not exist.'],
    ['MISSING_ACCESS', 'guildId', 'You are not in that server, or it does not exist.'],
    ['MISSING_PERMISSIONS', 'guildId', 'You need the “Manage server” permission in that server.'],
    ['LIMIT_EXCEEDED', 'whole', 'Why.'],
    ['INVALID_INPUT', 'whole', 'Why.'],
  ])('%s is shown at %s', (code, part, text) => {
    expect(explain(new DomainError(code, 'Why.'))).toEqual({ [part]: text });
  });

  test('of fields is shown at each of them once, and other faults above the form', () => {
    const paths = ['target', 'guildId', 'scopes', 'permissions', 'target', 'x', 'y'];
    const faults = paths.map((path, index) => ({ path, code: 'C', message: `${index}` }));
    expect(explain(invalidInput(...faults))).toEqual({
      target: '0',
      guildId: '1',
      scopes: '2',
      permissions: '3',
      whole: '5',
    });
  });
});
