import type { DBAdapter, Where } from 'better-auth';
import { hashSecret } from '../infra/crypto/secrets.js';

/** Stores only hashes of session tokens. Sessions that are read by token contain the token, others the hash. */
export function hashingSessionTokens(adapter: DBAdapter): DBAdapter {
  const wrapped: DBAdapter = {
    ...adapter,
    async create<T extends Record<string, unknown>, R = T>(query: CreateQuery<T>): Promise<R> {
      const { token } = query.data as { token?: unknown };
      if (query.model !== 'session' || typeof token !== 'string') return adapter.create<T, R>(query);
      const row = await adapter.create<T, R>({ ...query, data: { ...query.data, token: hashSecret(token) } });
      return { ...row, token };
    },
    async findOne<T>(query: Parameters<DBAdapter['findOne']>[0]) {
      return withToken(await adapter.findOne<T>(hashed(query)), query);
    },
    findMany: (query) => adapter.findMany(hashed(query)),
    async update<T>(query: Parameters<DBAdapter['update']>[0]) {
      return withToken(await adapter.update<T>(hashed(query)), query);
    },
    updateMany: (query) => adapter.updateMany(hashed(query)),
    delete: (query) => adapter.delete(hashed(query)),
    deleteMany: (query) => adapter.deleteMany(hashed(query)),
    consumeOne: (query) => adapter.consumeOne(hashed(query)),
    transaction: (work) => work(wrapped),
  };
  return wrapped;
}

interface CreateQuery<T> {
  model: string;
  data: Omit<T, 'id'>;
}

interface Query {
  model: string;
  where?: Where[] | undefined;
}

function hashed<T extends Query>(query: T): T {
  if (query.model !== 'session' || !query.where) return query;
  return { ...query, where: query.where.map(hashedCondition) };
}

function hashedCondition(condition: Where): Where {
  if (condition.field !== 'token') return condition;
  const { value } = condition;
  if (typeof value === 'string') return { ...condition, value: hashSecret(value) };
  return Array.isArray(value) ? { ...condition, value: value.map((token) => hashSecret(String(token))) } : condition;
}

function withToken<T>(row: T | null, query: Query): T | null {
  if (query.model !== 'session' || row === null) return row;
  const asked = query.where?.find((condition) => condition.field === 'token')?.value;
  return typeof asked === 'string' ? { ...row, token: asked } : row;
}
