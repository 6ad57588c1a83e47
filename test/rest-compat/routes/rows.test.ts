import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Actor } from '../../../src/domain/call.js';
import { DomainError, ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import { tooManyRequests } from '../../../src/http/too-many-requests.js';
import { requireCaller } from '../../../src/rest-compat/credentials.js';
import { renderRestError } from '../../../src/rest-compat/errors.js';
import { bucketId } from '../../../src/rest-compat/rate-limiting.js';
import { type Caller, CLOUD, onServerOf, type Route, route } from '../../../src/rest-compat/route.js';
import { isInPath, type Scheme, schemesFor } from '../../../src/rest-compat/schemes.js';
import { routes } from '../../../src/rest-compat/table.js';

const MIB = 1024 * 1024;

const table = routes.map((row) => [`${row.method} ${row.path}`, row] as const);

const MESSAGES = '/channels/:channelId/messages';
const MEMBERS = '/guilds/:guildId/members';
const FOLLOW_UPS = '/webhooks/:webhookId/:webhookToken';
const ANSWERS = [`${FOLLOW_UPS}/messages/@original`, `${FOLLOW_UPS}/messages/:messageId`];

/** Buckets that differ from the default: points in seconds. */
const UNUSUAL: Record<string, [points: number, seconds: number]> = {
  [`POST ${MESSAGES}`]: [5, 5],
  [`PATCH ${MESSAGES}/:messageId`]: [5, 5],
};

describe('every route', () => {
  test.each(table)('%s has the limit of its kind, for each id that its path begins with', (name, row) => {
    const { limit, major } = row.bucket;
    const usual = row.method === 'GET' ? [30, 10] : [10, 10];
    expect([limit.points, limit.seconds]).toEqual(UNUSUAL[name] ?? usual);
    const isOfToken = row.callers.some(isInPath);
    expect(major).toEqual(row.paramNames.slice(0, isOfToken ? 2 : 1));
  });

  test('has its own bucket, except aliases and the mutations of pins, reactions, responses, webhooks and member roles', () => {
    const sharing = new Map<string, string[]>();
    for (const [name, { bucket }] of table) {
      sharing.set(bucket.limit.name, [...(sharing.get(bucket.limit.name) ?? []), name]);
    }
    const shared = [...sharing.values()].filter((names) => names.length > 1).map((names) => names.toSorted());
    expect(shared.toSorted()).toEqual(
      [
        ['GET /applications/@me', 'GET /oauth2/applications/@me'],
        ['PATCH /applications/@me', 'PATCH /oauth2/applications/@me'],
        [`GET ${MEMBERS}/@me`, `GET ${MEMBERS}/:userId`, 'GET /users/@me/guilds/:guildId/member'],
        [`PATCH ${MEMBERS}/@me`, `PATCH ${MEMBERS}/@me/nick`],
        [`PUT ${MEMBERS}/:userId/roles/:roleId`, `DELETE ${MEMBERS}/:userId/roles/:roleId`],
        ['PATCH /webhooks/:webhookId', 'DELETE /webhooks/:webhookId'],
        [`PATCH ${FOLLOW_UPS}`, `DELETE ${FOLLOW_UPS}`],
        ['', '/slack', '/github'].map((service) => `POST ${FOLLOW_UPS}${service}`),
        ANSWERS.map((path) => `GET ${path}`),
        ['PATCH', 'DELETE'].flatMap((method) => ANSWERS.map((path) => `${method} ${path}`)),
        ['GET /channels/:channelId/messages/pins', 'GET /channels/:channelId/pins'],
        table.flatMap(([name, { method }]) => (name.includes('/pins') && method !== 'GET' ? [name] : [])),
        table.flatMap(([name, { method }]) => (name.includes('/reactions') && method !== 'GET' ? [name] : [])),
      ]
        .map((names) => names.toSorted())
        .toSorted(),
    );
  });

  test.each(table)('%s accepts a body of 1 MiB, or more if the body has an image', (_name, row) => {
    const { properties = {} } = row.body ? z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' }) : {};
    expect(row.maxJsonBytes).toBe('icon' in properties || 'avatar' in properties ? 14 * MIB : MIB);
  });

  test('shows secrets or accepts files only if it is listed', () => {
    const those = (is: (row: Route) => boolean) => table.filter(([, row]) => is(row)).map(([name]) => name);
    expect(those((row) => row.showsSecret)).toEqual([
      'POST /channels/:channelId/webhooks',
      `GET ${FOLLOW_UPS}`,
      `PATCH ${FOLLOW_UPS}`,
      'POST /developer-portal/applications/:applicationId/reset-secret',
    ]);
    expect(those((row) => row.admitFiles !== null)).toEqual([
      'POST /interactions/:interactionId/:interactionToken/callback',
      `POST ${FOLLOW_UPS}`,
      ...ANSWERS.map((path) => `PATCH ${path}`),
      `POST ${MESSAGES}`,
      `PATCH ${MESSAGES}/:messageId`,
    ]);
  });
});

describe('a route definition', () => {
  const bucket = { limit: { name: 'x', points: 1, seconds: 1 }, major: [] as string[] };
  const spec = {
    method: 'GET',
    path: '/x/:guildId/y/:id',
    summary: 'Test',
    callers: [],
    bucket,
    where: CLOUD,
    params: z.looseObject({}),
    run: async () => 5,
  } as const;

  test('has defaults for omitted parts', () => {
    const made = route(spec);
    expect(made).toMatchObject({
      body: null,
      admitFiles: null,
      maxJsonBytes: MIB,
      statuses: [204],
      showsSecret: false,
    });
    expect(made.paramNames).toEqual(['guildId', 'id']);
    expect(made.query.parse({ any: 'thing' })).toEqual({ any: 'thing' });
    expect(route({ ...spec, render: (n) => n }).statuses).toEqual([200]);
    expect(route({ ...spec, render: (n) => n, status: 201 }).statuses).toEqual([201]);
  });

  test('is refused if its bucket or location uses a missing path parameter', () => {
    expect(() => route({ ...spec, bucket: { ...bucket, major: ['guildId', 'no'] } })).toThrow(
      'GET /x/:guildId/y/:id: the path has no parameter no',
    );
    expect(() => route({ ...spec, where: onServerOf('channelId') })).toThrow('the path has no parameter channelId');
    expect(() => route({ ...spec, where: onServerOf('guildId') })).not.toThrow();
  });
});

/** The status and number of every refusal (Discord's documentation, Opcodes and Status Codes). */
const REFUSALS: Record<ErrorCode, [status: number, code: number]> = {
  UNAUTHENTICATED: [401, 0],
  SUSPENDED: [401, 0],
  MALFORMED_CREDENTIAL: [401, 50014],
  INVALID_ACCESS_TOKEN: [401, 50025],
  ACCESS_TOKEN_REFUSED: [403, 50025],
  FORBIDDEN: [403, 50013],
  BANNED: [403, 40007],
  MISSING_ACCESS: [403, 50001],
  MISSING_PERMISSIONS: [403, 50013],
  BOTS_REFUSED: [403, 20001],
  CANNOT_MESSAGE_USER: [403, 50007],
  DIRECT_CHANNEL: [403, 50003],
  SYSTEM_MESSAGE: [403, 50021],
  ONLY_BOTS: [403, 20002],
  NOT_OWN_APPLICATION: [403, 20012],
  NOT_FOUND: [404, 0],
  UNKNOWN_APPLICATION: [404, 10002],
  UNKNOWN_BAN: [404, 10026],
  UNKNOWN_CHANNEL: [404, 10003],
  UNKNOWN_COMMAND: [404, 10063],
  UNKNOWN_COMMAND_PERMISSIONS: [404, 10066],
  UNKNOWN_EMOJI: [400, 10014],
  UNKNOWN_GUILD: [404, 10004],
  UNKNOWN_GUILD_EMOJI: [404, 10014],
  UNKNOWN_INSTALLATION: [404, 0],
  UNKNOWN_INTERACTION: [404, 10062],
  UNKNOWN_INVITE: [404, 10006],
  UNKNOWN_MEMBER: [404, 10007],
  UNKNOWN_MESSAGE: [404, 10008],
  UNKNOWN_OVERWRITE: [404, 10009],
  UNKNOWN_PERSONAL_TOKEN: [404, 0],
  UNKNOWN_ROLE: [404, 10011],
  UNKNOWN_SESSION: [404, 0],
  UNKNOWN_SOUND: [404, 10097],
  UNKNOWN_STICKER: [404, 10060],
  UNKNOWN_TEAM: [404, 10039],
  UNKNOWN_TEAM_MEMBER: [404, 10040],
  UNKNOWN_BOX: [404, 0],
  UNKNOWN_TEAM_INVITATION: [404, 0],
  UNKNOWN_USER: [404, 10013],
  UNKNOWN_VOICE_STATE: [404, 10065],
  UNKNOWN_WEBHOOK: [404, 10015],
  INVALID_WEBHOOK_TOKEN: [401, 50027],
  INVITE_CODE_TAKEN: [400, 50020],
  WIDGET_DISABLED: [403, 50004],
  INVALID_RECIPIENT: [400, 50033],
  INVALID_INPUT: [400, 50035],
  INVALID_JSON: [400, 50109],
  INVALID_ROLE: [400, 50028],
  WRONG_CHANNEL_TYPE: [400, 50008],
  BULK_DELETE_COUNT: [400, 50016],
  BULK_DELETE_TOO_OLD: [400, 50034],
  EMPTY_MESSAGE: [400, 50006],
  SEVERAL_PARENTS: [400, 40009],
  NOT_MESSAGE_AUTHOR: [403, 50005],
  NOT_IN_VOICE: [400, 40032],
  NOBODY_BANNED: [400, 500000],
  ALREADY_ACKNOWLEDGED: [400, 40060],
  COMMAND_NAME_TAKEN: [400, 40041],
  TOO_MANY_COMMANDS: [400, 30032],
  TOO_MANY_COMMAND_CREATES: [400, 30034],
  TOO_MANY_FOLLOW_UPS: [400, 40094],
  TOO_MANY_ATTACHMENTS: [400, 30015],
  TOO_MANY_EMOJIS: [400, 30008],
  TOO_MANY_ANIMATED_EMOJIS: [400, 30018],
  TOO_MANY_PRUNES: [400, 30040],
  TOO_MANY_PINS: [400, 30003],
  TOO_MANY_WEBHOOKS: [400, 30007],
  TOO_MANY_CHANNELS: [400, 30013],
  TOO_MANY_OVERWRITES: [400, 30060],
  TOO_MANY_REACTIONS: [403, 30010],
  FILE_TOO_LARGE: [413, 50045],
  REQUEST_TOO_LARGE: [413, 40005],
  INVALID_REQUEST: [400, 50035],
  INVALID_RESET_TOKEN: [400, 0],
  INVALID_CLIENT: [401, 0],
  INVALID_GRANT: [400, 0],
  INVALID_SCOPE: [400, 50035],
  UNAUTHORIZED_CLIENT: [400, 0],
  UNSUPPORTED_GRANT_TYPE: [400, 0],
  UNSUPPORTED_RESPONSE_TYPE: [400, 0],
  REGISTRATION_CLOSED: [403, 0],
  ACCESS_DENIED: [403, 0],
  MISSING_SCOPE: [403, 50026],
  CONFLICT: [409, 0],
  LIMIT_EXCEEDED: [400, 30000],
  RATE_LIMITED: [429, 40062],
  SLOW_MODE: [429, 20016],
  OVERLOADED: [503, 130000],
  OUTCOME_UNKNOWN: [409, 0],
};

describe('a refusal', () => {
  test.each(ERROR_CODES)('%s has its status, number and message', (code) => {
    const rendered = renderRestError(new DomainError(code, 'words'));
    expect([rendered?.status, rendered?.body.code]).toEqual(REFUSALS[code]);
    // Libraries recognize an invalid token by the HTTP reason phrase.
    expect(rendered?.body.message).toBe(code === 'UNAUTHENTICATED' ? '401: Unauthorized' : 'words');
    if (rendered?.status !== 429) expect(rendered).not.toHaveProperty('headers');
    expect(rendered?.body).not.toHaveProperty('errors');
  });

  test('with a retry time rounds it up to whole seconds', () => {
    expect(renderRestError(new DomainError('OVERLOADED', 'busy', { retryAfterMs: 1_001 }))?.headers).toEqual({
      'retry-after': '2',
    });
  });

  test.each([
    [0, '1', 0.001],
    [1, '1', 0.001],
    [1_000, '1', 1],
    [1_001, '2', 1.001],
    [1_234.5678, '2', 1.235],
  ])('by a rate limit that ends in %d ms has its headers and body', (ms, header, seconds) => {
    const user = { 'retry-after': header, 'x-ratelimit-scope': 'user', via: '1.1 causeway' };
    expect(tooManyRequests(ms, {})).toEqual({
      status: 429,
      headers: user,
      body: { message: 'You are being rate limited.', code: 0, retry_after: seconds, global: false },
    });
    expect(tooManyRequests(ms, { scope: 'global' })).toMatchObject({
      headers: { ...user, 'x-ratelimit-scope': 'global', 'x-ratelimit-global': 'true' },
      body: { global: true },
    });
    expect(renderRestError(new DomainError('RATE_LIMITED', 'slow down', { retryAfterMs: ms }))).toEqual({
      status: 429,
      headers: user,
      body: { message: 'slow down', code: 40062, retry_after: seconds, global: false },
    });
  });
});

test('a bucket has one stable name that does not reveal its limit', () => {
  const limit = { name: 'typing', points: 1, seconds: 1 };
  expect(bucketId(limit)).toMatch(/^[0-9a-f]{32}$/);
  expect([bucketId({ ...limit }), bucketId({ ...limit, name: 'other' }) === bucketId(limit)]).toEqual([
    bucketId(limit),
    false,
  ]);
});

const user = {
  id: 1n,
  username: 'a',
  handle: null,
  globalName: null,
  avatarHash: null,
  bot: false,
  deletedAt: null,
};
const token = (...scopes: ('identify' | 'guilds')[]): Actor => ({
  kind: 'token',
  user,
  applicationId: 5n,
  scopes,
  expiresAt: new Date(),
});
const bot: Actor = { kind: 'bot', user, applicationId: 5n, messageContentIntent: true };
const person: Actor = { kind: 'person', user };
const nobody: Actor = { kind: 'anonymous' };

describe('the caller check of a route', () => {
  const taken = 'taken';

  test.each<[callers: Caller[], actor: Actor, outcome: ErrorCode | typeof taken]>([
    [[], bot, taken],
    [[], nobody, taken],
    [[], token('identify'), taken],
    [['webhookToken'], bot, taken],
    [['interactionToken', 'webhookToken'], token(), taken],
    [['bot'], bot, taken],
    [['bot'], person, taken],
    [['bot'], token('identify'), 'ONLY_BOTS'],
    [['session'], person, taken],
    [['session'], bot, 'BOTS_REFUSED'],
    [['session'], token('identify'), 'FORBIDDEN'],
    [['session', 'token'], token('identify'), taken],
    [['session', { scope: 'guilds' }], token('guilds'), taken],
    [['session', { scope: 'guilds' }], token('identify'), 'MISSING_SCOPE'],
    [['token'], token(), taken],
    [['token'], bot, 'BOTS_REFUSED'],
    [[{ scope: 'identify' }], token('identify'), taken],
    [[{ scope: 'identify' }], token('guilds'), 'MISSING_SCOPE'],
    [['bot', { scope: 'identify' }], token('guilds', 'identify'), taken],
    [['bot', { scope: 'identify' }], token(), 'MISSING_SCOPE'],
    [['bot', 'webhookToken'], token('identify'), 'ONLY_BOTS'],
    [['session', 'webhookToken'], bot, 'BOTS_REFUSED'],
  ])('with %j for a $kind: %s', (callers, actor, outcome) => {
    const codeOf = () => {
      try {
        requireCaller(callers, actor);
        return taken;
      } catch (error) {
        return error instanceof DomainError ? error.code : error;
      }
    };
    expect(codeOf()).toBe(outcome);
  });
});

describe('the credential schemes of a route', () => {
  const scheme = (of: Scheme['of'], where: Scheme['in'] = 'header'): Scheme => ({ in: where, of, claim: () => null });
  const [bots, bearers, others] = [scheme(['bot']), scheme(['session', 'token']), scheme([])];
  const [cookies, paths] = [scheme(['session'], 'cookie'), scheme(['webhookToken'], 'path')];
  const all = [bots, bearers, others, cookies, paths];

  test.each<[callers: Caller[], asked: Scheme[]]>([
    [[], [bots]],
    [['bot'], [bots, bearers, others]],
    [['session'], [bots, bearers, others, cookies]],
    [[{ scope: 'email' }], [bots, bearers, others]],
    [['webhookToken'], [paths]],
    [
      ['webhookToken', 'bot'],
      [bots, bearers, others, paths],
    ],
  ])('that accepts %j are selected by caller', (callers, asked) => {
    const indices = (of: readonly Scheme[]) => of.map((one) => all.indexOf(one));
    expect(indices(schemesFor(callers, all))).toEqual(indices(asked));
  });

  test('must recognize each of its callers', () => {
    expect(() => schemesFor(['bot', 'interactionToken'], all)).toThrow(
      'no authentication scheme supports the caller "interactionToken"',
    );
  });
});
