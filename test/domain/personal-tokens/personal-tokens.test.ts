import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changePassword } from '../../../src/domain/accounts/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { limits } from '../../../src/domain/limits.js';
import {
  createPersonalToken,
  isPersonalToken,
  listPersonalTokens,
  NewPersonalToken,
  revokePersonalToken,
} from '../../../src/domain/personal-tokens/index.js';
import { CACHE_MS } from '../../../src/infra/caching/subscribed-cache.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { ManualClock } from '../../harness/clock.js';
import { outboxOf } from '../../harness/mails.js';
import { outcome } from '../../harness/outcome.js';
import { type Person, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { callOf, userOf } from '../../harness/world.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const clock = new ManualClock();
let server: TestServer;
let ada: Person;
let call: CallContext;
let people = 0;
beforeAll(async () => {
  server = await startServer({ clock });
});
beforeEach(async () => {
  people += 1;
  ada = await signUp(server, `ada${people}`);
  call = callOf(server.app, await userOf(server.app, ada));
});
afterAll(() => server.stop());

const create = (input: object = {}) => createPersonalToken(call, NewPersonalToken.parse({ name: 'CI', ...input }));
const authenticate = (token: string) => server.app.personalTokens.authenticate(token);
const isValid = async (token: string) => (await authenticate(token)) !== null;
const isRemembered = async (token: string) => (await statementsOf(() => authenticate(token))).length === 0;
const rowOf = (id: bigint) => server.app.db.reader.personalToken.findUniqueOrThrow({ where: { id } });
const TEN = Array.from({ length: 10 }, (_, n) => n);

describe('a new personal token', () => {
  it('is recognisable, stored only as a hash, and announced by mail', async () => {
    const { token, personalToken } = await create({ name: 'Deploys of Ada' });
    expect(token).toMatch(/^cw_pat_[\w-]{43}$/);
    expect(isPersonalToken(token)).toBe(true);
    const row = await rowOf(personalToken.id);
    expect(row).toMatchObject({ name: 'Deploys of Ada', hash: hashSecret(token), last4: token.slice(-4) });
    expect(JSON.stringify(Object.values(row).map(String))).not.toContain(token.slice(7, -4));
    const [mail] = await outboxOf(server, ada.email);
    expect(mail?.headers.subject).toEqual(['A personal token was created']);
    expect(mail?.body).toContain(`"Deploys of Ada" was created for ${ada.name}`);
    expect(mail?.body).not.toContain(token);
  });

  it.each([
    [{}, 90],
    [{ expiresInDays: 1 }, 1],
    [{ expiresInDays: 366 }, 366],
    [{ expiresInDays: null }, null],
  ])('made with %j expires in %j days', async (input, days) => {
    const { personalToken } = await create(input);
    expect(personalToken.expiresAt?.getTime() ?? null).toBe(days === null ? null : clock.now() + days * DAY_MS);
  });

  it.each([{ name: '' }, { name: 'x'.repeat(81) }, { expiresInDays: 0 }, { expiresInDays: 367 }])(
    'cannot have %j',
    (input) => {
      expect(NewPersonalToken.safeParse({ name: 'CI', ...input }).success).toBe(false);
    },
  );

  it('is refused beyond the limit, also if ten are created at once', async () => {
    const userId = BigInt(ada.id);
    const data = Array.from({ length: limits.personalTokensPerPerson - 1 }, (_, n) => {
      const id = server.app.nextId();
      return { id, userId, name: 'CI', hash: `${n} of ${ada.id}`, last4: 'abcd' };
    });
    await server.app.db.writer.personalToken.createMany({ data });
    const ended = await Promise.all(TEN.map(() => outcome(create())));
    expect(ended.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'LIMIT_EXCEEDED'), 'ok']);
    expect(await listPersonalTokens(call)).toHaveLength(limits.personalTokensPerPerson);
  });
});

describe('a personal token', () => {
  it('authenticates its owner, and is cached for half a minute', async () => {
    const { token, personalToken } = await create();
    expect(await authenticate(token)).toMatchObject({
      kind: 'person',
      user: { username: ada.name },
      personalTokenId: personalToken.id,
    });
    clock.advance(CACHE_MS - 1);
    expect(await isRemembered(token)).toBe(true);
    clock.advance(2);
    expect(await isRemembered(token)).toBe(false);
  });

  it('is invalid if one character differs', async () => {
    const { token } = await create();
    expect(await isValid(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
  });

  it('is invalid from the time at which it expires, also if it is cached', async () => {
    const { token } = await create({ expiresInDays: 1 });
    clock.advance(DAY_MS - 10);
    expect(await isValid(token)).toBe(true);
    clock.advance(9);
    expect(await isRemembered(token)).toBe(true);
    clock.advance(1);
    expect(await isValid(token)).toBe(false);
  });

  it('is invalid after its owner was deleted', async () => {
    const { token } = await create();
    await server.app.db.writer.user.update({ where: { id: BigInt(ada.id) }, data: { deletedAt: new Date() } });
    expect(await isValid(token)).toBe(false);
  });

  it('stores its last use, accurate to a minute', async () => {
    const { token, personalToken } = await create();
    const lastUsedAt = async () => (await rowOf(personalToken.id)).lastUsedAt?.getTime();
    expect(await lastUsedAt()).toBeUndefined();
    await authenticate(token);
    await server.app.personalTokenUses.settle();
    const first = clock.now();
    expect(await lastUsedAt()).toBe(first);
    clock.advance(MINUTE_MS - 1);
    await authenticate(token);
    expect(await lastUsedAt()).toBe(first);
    await server.app.personalTokenUses.settle();
    expect(await lastUsedAt()).toBe(first + MINUTE_MS - 1);
  });

  it('shows the current name of its owner', async () => {
    const { token } = await create();
    await authenticate(token);
    await server.app.db.writer.user.update({ where: { id: BigInt(ada.id) }, data: { globalName: 'Ada L.' } });
    server.app.publish({ type: 'PERSON_UPDATED', userId: BigInt(ada.id) });
    expect(await authenticate(token)).toMatchObject({ user: { globalName: 'Ada L.' } });
  });

  it('stays valid when the password changes, and the mail says so', async () => {
    const { token } = await create();
    await changePassword(call, { userId: BigInt(ada.id), passwordHash: 'another', keptSession: null });
    expect(await isValid(token)).toBe(true);
    const bodies = (await outboxOf(server, ada.email)).map(({ body }) => body);
    expect(bodies).toContainEqual(expect.stringContaining('Personal tokens stay valid.'));
  });
});

describe('a revoked personal token', () => {
  it('is invalid at once, without effect on others', async () => {
    const [one, other] = [await create(), await create()];
    await Promise.all([authenticate(one.token), authenticate(other.token)]);
    await revokePersonalToken(call, one.personalToken.id);
    expect([await isValid(one.token), await isValid(other.token)]).toEqual([false, true]);
    expect((await listPersonalTokens(call)).map(({ id }) => id)).toEqual([other.personalToken.id]);
  });

  it('is invalid after its revocation, even while requests use it', async () => {
    for (const _ of TEN) {
      const { token, personalToken } = await create();
      const uses = TEN.map(() => authenticate(token));
      const revoking = revokePersonalToken(call, personalToken.id);
      const later = TEN.map(() => authenticate(token));
      await revoking;
      expect(await isValid(token)).toBe(false);
      await Promise.all([...uses, ...later]);
      expect(await isValid(token)).toBe(false);
    }
  });

  it.each([
    ['was revoked', () => server.app.publish({ type: 'SESSION_ENDED', userId: BigInt(ada.id) })],
    ['may have been revoked', () => server.app.bus.lose(topics.sessions)],
  ])('is not cached if it %s while it was read', async (_how, end) => {
    const { token } = await create();
    const found = authenticate(token);
    end();
    expect(await found).not.toBeNull();
    expect([await isRemembered(token), await isRemembered(token)]).toEqual([false, true]);
  });

  it('was revoked once if ten callers revoke it', async () => {
    const { personalToken } = await create();
    const ended = await Promise.all(TEN.map(() => outcome(revokePersonalToken(call, personalToken.id))));
    expect(ended.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'UNKNOWN_PERSONAL_TOKEN'), 'ok']);
  });
});

describe('personal tokens', () => {
  it('of other people can be neither listed nor revoked', async () => {
    const { token, personalToken } = await create();
    const bob = callOf(server.app, await userOf(server.app, await signUp(server, `bob${people}`)));
    expect(await listPersonalTokens(bob)).toEqual([]);
    expect(await outcome(revokePersonalToken(bob, personalToken.id))).toBe('UNKNOWN_PERSONAL_TOKEN');
    expect(await isValid(token)).toBe(true);
  });

  it('cannot be managed with a personal token', async () => {
    const { token, personalToken } = await create();
    const actor = await authenticate(token);
    const withToken = { ...call, actor: actor ?? call.actor };
    expect(
      await Promise.all([
        outcome(listPersonalTokens(withToken)),
        outcome(createPersonalToken(withToken, { name: 'More', expiresInDays: null })),
        outcome(revokePersonalToken(withToken, personalToken.id)),
      ]),
    ).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });
});
