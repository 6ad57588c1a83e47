import { ApplicationFlags } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError, type FieldFault } from '../../src/domain/errors.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { EditApplication, settingsOf } from '../../src/rest-compat/application-edit.js';
import { imageData } from '../../src/rest-compat/images.js';
import { EditMessageBody, SendMessageBody } from '../../src/rest-compat/message-body.js';
import {
  ids,
  inWireNames,
  parseParams,
  queryBoolean,
  queryId,
  queryInteger,
  queryTime,
} from '../../src/rest-compat/schemas.js';

function faultsOf(schema: z.ZodType, value: unknown): Pick<FieldFault, 'path' | 'code'>[] | null {
  try {
    parseInput(schema, value);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.fields.map(({ path, code }) => ({ path, code }));
  }
}
const codeOf = (schema: z.ZodType, value: unknown) => faultsOf(schema, value)?.[0]?.code ?? null;

describe('a whole number in a query', () => {
  const schema = queryInteger(1, 100, 50);

  test.each([
    [undefined, 50],
    ['', 50],
    ['1', 1],
    ['100', 100],
    ['007', 7],
    [['2', '3'], 2],
    [['', '3'], 50],
    [[], 50],
  ])('is parsed: %j is %i', (text, number) => {
    expect(parseInput(schema, text)).toBe(number);
  });

  test.each([
    ['0', 'NUMBER_TYPE_MIN'],
    ['-1', 'NUMBER_TYPE_MIN'],
    ['101', 'NUMBER_TYPE_MAX'],
    ['999999999999999', 'NUMBER_TYPE_MAX'],
    ['1000000000000000', 'NUMBER_TYPE_COERCE'],
    ['1.5', 'NUMBER_TYPE_COERCE'],
    [' 1', 'NUMBER_TYPE_COERCE'],
    ['1x', 'NUMBER_TYPE_COERCE'],
    ['+1', 'NUMBER_TYPE_COERCE'],
  ])('%j is refused as %s', (text, code) => {
    expect(codeOf(schema, text)).toBe(code);
  });
});

test.each([
  [undefined, false],
  ['', false],
  ['true', true],
  ['True', true],
  ['1', true],
  ['false', false],
  ['False', false],
  ['0', false],
  [['1', '0'], true],
])('the boolean %j in a query is %s', (text, value) => {
  expect(parseInput(queryBoolean, text)).toBe(value);
});

test.each(['TRUE', 'yes', '2', ' 1'])('the text %j in a query is not a boolean', (text) => {
  expect(faultsOf(queryBoolean, text)).not.toBeNull();
});

test('an id in a query may be omitted, empty or repeated', () => {
  expect([undefined, '', '5', ['6', '7']].map((text) => parseInput(queryId, text))).toEqual([
    undefined,
    undefined,
    5n,
    6n,
  ]);
  expect(codeOf(queryId, 'x')).toBe('NUMBER_TYPE_COERCE');
});

describe('a body in wire names', () => {
  const Body = inWireNames({ aLongName: z.string().nullish(), count: z.number().default(1) });

  test('is parsed to domain names, without unknown fields', () => {
    expect(parseInput(Body, { a_long_name: null, count: 2, other: 3 })).toEqual({ aLongName: null, count: 2 });
    expect(parseInput(Body, { aLongName: 'x' })).toEqual({ aLongName: undefined, count: 1 });
  });

  test('drops fields that are only checked', () => {
    const Strict = inWireNames({ aLongName: z.string().nullish() }, { not_here: z.null().optional() });
    expect(parseInput(Strict, { a_long_name: 'x', not_here: null })).toEqual({ aLongName: 'x' });
    expect(faultsOf(Strict, { not_here: 1 })).toMatchObject([{ path: 'not_here' }]);
  });

  test('reports faults at wire names', () => {
    expect(faultsOf(Body, { a_long_name: 1 })).toEqual([{ path: 'a_long_name', code: 'STRING_TYPE_CONVERT' }]);
  });
});

describe('path parameters', () => {
  test('are parsed as ids, and faults use wire names', async () => {
    const schema = ids('guildId', 'userId');
    expect(await parseParams(schema, { guildId: '5', userId: '6' })).toEqual({ guildId: 5n, userId: 6n });
    const refused = parseParams(schema, { guildId: 'x', userId: '6' });
    await expect(refused).rejects.toMatchObject({ fields: [{ path: 'guild_id' }] });
  });
});

describe('image data', () => {
  test.each([
    ['data:image/png;base64,QUJD', 'ABC'],
    ['DATA:IMAGE/svg+xml;BASE64,QUJD', 'ABC'],
    ['data:image/png;base64,', ''],
  ])('is decoded: %s', (text, bytes) => {
    expect(String(parseInput(imageData, text))).toBe(bytes);
  });

  test.each(['', 'QUJD', 'data:text/plain;base64,QUJD', 'data:image/png,QUJD', ' data:image/png;base64,QUJD', 'x'])(
    'is refused: %j',
    (text) => {
      expect(codeOf(imageData, text)).toBe('IMAGE_INVALID');
    },
  );
});

describe('allowed_mentions of a message', () => {
  const exclusive = 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE';

  test.each([
    [{ parse: ['users'], users: ['1'] }, exclusive],
    [{ parse: ['roles'], roles: ['1'] }, exclusive],
    [{ parse: ['users'], users: [] }, null],
    [{ parse: ['roles'], roles: [] }, null],
    [{ parse: ['users'], roles: ['1'] }, null],
    [{ parse: ['roles'], users: ['1'] }, null],
    [{ parse: ['everyone'], users: ['1'], roles: ['1'] }, null],
    [{ users: ['1'], roles: ['1'] }, null],
    [{ parse: null, users: null, roles: null, replied_user: null }, null],
  ])('are validated, %j: %s', (allowed, code) => {
    for (const schema of [SendMessageBody, EditMessageBody]) {
      expect(codeOf(schema, { allowed_mentions: allowed })).toBe(code);
    }
  });
});

test.each(['users', 'roles'])('at most 100 %s can be mentioned explicitly', (kind) => {
  const naming = (count: number) => ({ allowed_mentions: { [kind]: Array(count).fill('1') } });
  for (const schema of [SendMessageBody, EditMessageBody]) {
    expect([codeOf(schema, naming(100)), codeOf(schema, naming(101))]).toEqual([null, 'BASE_TYPE_BAD_LENGTH']);
  }
});

describe('the flags of a message', () => {
  test.each([
    [0, true],
    [0x7f_ff_ff_ff, true],
    [-1, false],
    [0x80_00_00_00, false],
    [1.5, false],
    ['1', false],
  ])('are accepted or refused, %j: %s', (flags, isTaken) => {
    for (const schema of [SendMessageBody, EditMessageBody]) expect(faultsOf(schema, { flags }) === null).toBe(isTaken);
  });
});

describe('a change of an application', () => {
  const changed = (body: object) => settingsOf(parseInput(EditApplication, body));
  const none = { defaultInstallSettings: [] };

  test.each([
    [{}, none],
    [
      { description: 'x', name: 'no effect' },
      { ...none, description: 'x' },
    ],
    [
      { custom_install_url: null, interactions_endpoint_url: null, icon: null },
      { ...none, customInstallUrl: null, interactionsEndpointUrl: null, icon: null },
    ],
    [{ flags: null }, none],
    [{ flags: 0 }, { ...none, privilegedIntents: [] }],
    [{ flags: ApplicationFlags.GatewayPresence }, { ...none, privilegedIntents: [] }],
    [{ flags: ApplicationFlags.GatewayPresenceLimited }, { ...none, privilegedIntents: ['PRESENCES'] }],
    [{ flags: ApplicationFlags.GatewayGuildMembersLimited }, { ...none, privilegedIntents: ['GUILD_MEMBERS'] }],
    [{ flags: ApplicationFlags.GatewayMessageContentLimited }, { ...none, privilegedIntents: ['MESSAGE_CONTENT'] }],
    [{ integration_types_config: null }, none],
    [{ integration_types_config: {} }, { ...none, serverInstall: false, userInstall: false }],
    [{ integration_types_config: { 0: {} } }, { ...none, serverInstall: true, userInstall: false }],
    [{ integration_types_config: { 0: null, 1: {} } }, { ...none, serverInstall: false, userInstall: true }],
    [
      { install_params: { scopes: ['bot'], permissions: 8 } },
      { defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot'], permissions: '8' }] },
    ],
    [
      {
        install_params: { scopes: ['bot'], permissions: '8' },
        integration_types_config: {
          0: { oauth2_install_params: { scopes: ['applications.commands'] } },
          1: { oauth2_install_params: { scopes: ['applications.commands'], permissions: '0' } },
        },
      },
      {
        serverInstall: true,
        userInstall: true,
        defaultInstallSettings: [
          { context: 'SERVER', scopes: ['applications.commands'] },
          { context: 'USER', scopes: ['applications.commands'] },
        ],
      },
    ],
  ])('is converted to settings: %j', (body, settings) => {
    expect(changed(body)).toEqual(settings);
  });
});

describe('a time in a query', () => {
  test.each([
    ['0001-01-01T00:00:00Z', null],
    ['9999-12-31T23:59:59.999Z', null],
    ['0000-12-31T23:59:59.999Z', 'DATE_TIME_TYPE_PARSE'],
    ['-000001-01-01T00:00:00.000Z', 'DATE_TIME_TYPE_PARSE'],
    ['+010000-01-01T00:00:00.000Z', 'DATE_TIME_TYPE_PARSE'],
    ['soon', 'DATE_TIME_TYPE_PARSE'],
  ])('is validated, %j: %j', (text, code) => {
    expect(codeOf(queryTime, text)).toBe(code);
  });
});
