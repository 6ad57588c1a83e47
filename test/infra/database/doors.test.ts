import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callContext } from '../../../src/context.js';
import type { CallContext, Write } from '../../../src/domain/call.js';
import { DomainError } from '../../../src/domain/errors.js';
import { Writes } from '../../../src/domain/writes.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { hearGuild } from '../../harness/bus.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createGuild } from '../../harness/world.js';

let server: TestServer;
let call: CallContext;

beforeAll(async () => {
  server = await startServer();
  call = callContext(server.app, { kind: 'anonymous' });
});
afterAll(() => server.stop());

const row = (identifier: string) => ({
  data: {
    id: randomUUID(),
    identifier,
    value: 'x',
    expiresAt: new Date(),
    createdAt: new Date(),
    updatedAt: new Date(),
  },
});

const countOf = (identifier: string) => call.read.authVerification.count({ where: { identifier } });

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A transaction that has written a row and ends when the test says so. */
function openTransaction(identifier: string, by = call) {
  const written = gate();
  const end = gate();
  const done = by.write(async ({ db }) => {
    await db.authVerification.create(row(identifier));
    written.open();
    await end.opened;
    if (identifier.endsWith('rolled back')) throw new Error('rolled back');
  });
  return { written: written.opened, end: end.open, done };
}

describe('during an open transaction', () => {
  test('a plain read sees only committed data and does not wait', async () => {
    const transaction = openTransaction('read');
    await transaction.written;
    expect(await countOf('read')).toBe(0);
    transaction.end();
    await transaction.done;
    expect(await countOf('read')).toBe(1);
  });

  test('a plain write that was acknowledged survives a rollback', async () => {
    const transaction = openTransaction('rolled back');
    await transaction.written;
    const plain = call.writeOne((db) => db.authVerification.create(row('plain')));
    const failed = expect(transaction.done).rejects.toThrow('rolled back');
    transaction.end();
    await failed;
    await plain;
    expect([await countOf('plain'), await countOf('rolled back')]).toEqual([1, 0]);
  });

  test('a hundred of both at once: all acknowledged rows are there, and no rolled-back ones', async () => {
    const work = Array.from({ length: 100 }, (_, n) => {
      if (n % 2 === 0) return call.writeOne((db) => db.authVerification.create(row('mixed plain')));
      return call.write(async ({ db }) => {
        await db.authVerification.create(row('mixed transaction'));
        await db.authVerification.create(row('mixed transaction'));
        if (n % 4 === 1) throw new Error('rolled back');
      });
    });
    const results = await Promise.allSettled(work);
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(25);
    expect([await countOf('mixed plain'), await countOf('mixed transaction')]).toEqual([50, 50]);
  });
});

describe('events', () => {
  test('are published after the commit, in order, and never after a rollback', async () => {
    const guild = await createGuild(server.app);
    const { events, close } = hearGuild(server, guild.id);
    const heard = () => events.map(({ type }) => type);
    const record = async ({ db, record: note }: Write) => {
      const role = await db.role.findUniqueOrThrow({ where: { id: guild.id } });
      note({ type: 'GUILD_ROLE_CREATE', role });
      note({ type: 'GUILD_ROLE_DELETE', guildId: guild.id, roleId: role.id });
      expect(heard()).toEqual([]);
    };
    const failing = call.write(async (write) => {
      await record(write);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await call.write(record);
    expect(heard()).toEqual(['GUILD_ROLE_CREATE', 'GUILD_ROLE_DELETE']);
    close();
  });
});

describe('a transaction that could not begin in time', () => {
  test('is refused as OVERLOADED and leaves nothing locked', async () => {
    // On PostgreSQL, a transaction waits for a connection and not for other transactions.
    const server = await startServer({ env: { DATABASE_POOL: '1' } });
    const call = callContext(server.app, { kind: 'anonymous' });
    const countOf = (identifier: string) => call.read.authVerification.count({ where: { identifier } });
    const transaction = openTransaction('slow', call);
    await transaction.written;
    const parts = { ...server.app, db: { ...server.app.db, writer: impatient(server.app.db.writer) } };
    const late = callContext({ ...parts, writes: new Writes(parts) }, { kind: 'anonymous' });
    const waiting = Array.from({ length: 5 }, () =>
      late.write(({ db }) => db.authVerification.create(row('late'))).catch((error: unknown) => error),
    );
    for (const error of await Promise.all(waiting)) {
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ code: 'OVERLOADED' });
    }
    transaction.end();
    await transaction.done;
    await call.write(({ db }) => db.authVerification.create(row('after')));
    await call.writeOne((db) => db.authVerification.create(row('after')));
    expect([await countOf('slow'), await countOf('late'), await countOf('after')]).toEqual([1, 0, 2]);
    await server.stop();
  });

  type Writer = TestServer['app']['db']['writer'];

  /** The same client with a time limit of 50 ms for the begin of a transaction. */
  function impatient(writer: Writer): Writer {
    const begin = writer.$transaction.bind(writer) as (work: unknown, options?: object) => unknown;
    const $transaction = (work: unknown, options: object) => begin(work, { ...options, maxWait: 50 });
    return new Proxy(writer, {
      get: (target, name) => (name === '$transaction' ? $transaction : Reflect.get(target, name)),
    });
  }
});

describe('a limit that counts rows', () => {
  test('holds when twenty try at once', async () => {
    const LIMIT = 5;
    const addOne = () =>
      call.write(
        async ({ db }) => {
          const count = await db.authVerification.count({ where: { identifier: 'counted' } });
          if (count >= LIMIT) throw new DomainError('LIMIT_EXCEEDED', 'no more');
          await db.authVerification.create(row('counted'));
        },
        { streams: [topics.user(1n)] },
      );
    const results = await Promise.allSettled(Array.from({ length: 20 }, addOne));
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['LIMIT_EXCEEDED']));
    expect(await countOf('counted')).toBe(LIMIT);
    expect(codes).toHaveLength(20 - LIMIT);
  });
});

describe('the read-only client', () => {
  type Reader = TestServer['app']['db']['reader'];
  const where = { identifier: 'kept' };
  const data = { value: 'changed' };

  test.each<[string, (reader: Reader) => Promise<unknown>]>([
    ['create', (reader) => reader.authVerification.create(row('kept'))],
    ['createMany', (reader) => reader.authVerification.createMany(row('kept'))],
    ['updateMany', (reader) => reader.authVerification.updateMany({ where, data })],
    ['updateManyAndReturn', (reader) => reader.authVerification.updateManyAndReturn({ where, data })],
    ['deleteMany', (reader) => reader.authVerification.deleteMany({ where })],
    ['$executeRaw', (reader) => reader.$executeRaw`DELETE FROM "AuthVerification"`],
    ['$queryRaw', (reader) => reader.$queryRaw`DELETE FROM "AuthVerification" RETURNING "id"`],
    ['$transaction', (reader) => reader.$transaction((db) => db.authVerification.deleteMany({ where }))],
  ])('cannot write by %s', async (_name, write) => {
    const { reader, writer } = server.app.db;
    await writer.authVerification.deleteMany({ where });
    await writer.authVerification.create(row('kept'));
    await expect(write(reader)).rejects.toThrow();
    expect(await reader.authVerification.findMany({ where })).toMatchObject([{ value: 'x' }]);
  });

  test('reads in every way', async () => {
    const { reader } = server.app.db;
    expect(await reader.$queryRaw`SELECT 1 AS one`).toEqual([{ one: expect.anything() }]);
    expect(await reader.authVerification.findFirst({ where: { identifier: 'nothing' } })).toBeNull();
  });
});
