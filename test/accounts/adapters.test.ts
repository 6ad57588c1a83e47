import type { DBAdapter } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { beforeEach, describe, expect, test } from 'vitest';
import { passingOutages, withoutOutage } from '../../src/accounts/outages.js';
import { hashingSessionTokens } from '../../src/accounts/session-tokens.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { DatabaseUnavailable } from '../../src/infra/database/faults.js';

interface Row {
  id: string;
  token: string;
  userId: string;
}

describe('the token of a session', () => {
  let plain: DBAdapter;
  let adapter: DBAdapter;
  beforeEach(() => {
    plain = memoryAdapter({ session: [], user: [], account: [], verification: [] })({});
    adapter = hashingSessionTokens(plain);
  });

  const by = (field: string, value: string | string[], operator: 'eq' | 'in' = 'eq') => ({
    model: 'session',
    where: [{ field, value, operator }],
  });
  const make = (token: string, on = adapter) => {
    const times = { expiresAt: new Date(), createdAt: new Date(), updatedAt: new Date() };
    return on.create<Record<string, unknown>, Row>({ model: 'session', data: { token, userId: 'ada', ...times } });
  };
  const stored = async () => (await plain.findMany<Row>({ model: 'session' })).map(({ token }) => token).sort();

  test('is stored as its hash, and returned to callers who know it', async () => {
    expect((await make('one')).token).toBe('one');
    expect(await stored()).toEqual([hashSecret('one')]);
    expect((await adapter.findOne<Row>(by('token', 'one')))?.token).toBe('one');
    expect(await adapter.findOne<Row>(by('token', 'two'))).toBeNull();
    expect(await adapter.findOne<Row>(by('token', hashSecret('one')))).toBeNull();
    expect((await adapter.findOne<Row>(by('userId', 'ada')))?.token).toBe(hashSecret('one'));
  });

  test('is matched, updated and deleted by its hash', async () => {
    for (const token of ['one', 'two', 'three', 'four']) await make(token);
    const found = await adapter.findMany<Row>(by('token', ['one', 'two'], 'in'));
    expect(found.map(({ token }) => token).sort()).toEqual(['one', 'two'].map(hashSecret).sort());
    const updated = await adapter.update<Row>({ ...by('token', 'one'), update: { userId: 'bob' } });
    expect(updated).toMatchObject({ token: 'one', userId: 'bob' });
    await adapter.updateMany({ ...by('token', 'two'), update: { userId: 'bob' } });
    expect(await adapter.findMany<Row>(by('userId', 'bob'))).toHaveLength(2);
    await adapter.delete(by('token', 'one'));
    await adapter.deleteMany(by('token', 'two'));
    expect(await stored()).toEqual(['three', 'four'].map(hashSecret).sort());
    await adapter.transaction(async (within) => make('five', within as DBAdapter));
    expect(await stored()).toEqual(['three', 'four', 'five'].map(hashSecret).sort());
  });

  test('is not hashed in other tables', async () => {
    const seen: unknown[] = [];
    const keep = (query: unknown) => Promise.resolve(void seen.push(query));
    const other = hashingSessionTokens({ create: keep, findOne: keep } as unknown as DBAdapter);
    const query = { model: 'device', where: [{ field: 'token', value: 'x' }] };
    const row = { model: 'device', data: { token: 'x' } };
    await other.findOne(query);
    await other.create(row);
    expect(seen).toEqual([query, row]);
  });
});

describe('an outage of the database', () => {
  const failing = (error: unknown) =>
    passingOutages({ id: 'one', findOne: () => Promise.reject(error) } as unknown as DBAdapter);

  test('is rethrown by the library; other errors are unchanged', async () => {
    const outage = new DatabaseUnavailable(null);
    await expect(failing(outage).findOne({ model: 'user', where: [] })).rejects.toMatchObject({
      statusCode: 503,
      cause: outage,
    });
    const fault = new Error('a fault');
    await expect(failing(fault).findOne({ model: 'user', where: [] })).rejects.toBe(fault);
    expect(failing(fault).id).toBe('one');
  });

  test("is recognized from the library's response", () => {
    expect(() => withoutOutage(new Response(null, { status: 503 }))).toThrow(DatabaseUnavailable);
    for (const status of [200, 401, 500]) expect(withoutOutage(new Response(null, { status })).status).toBe(status);
  });
});
