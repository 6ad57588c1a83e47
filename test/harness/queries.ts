import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { callContext } from '../../src/context.js';
import type { CallContext } from '../../src/domain/call.js';
import { Writes } from '../../src/domain/writes.js';
import { PrismaClient as PostgresClient } from '../../src/infra/database/generated/postgresql/client.js';
import { PrismaClient } from '../../src/infra/database/generated/sqlite/client.js';
import type { Database } from '../../src/infra/database/index.js';
import { sqliteReader, sqliteWriter } from '../../src/infra/database/sqlite.js';
import type { TestServer } from './server.js';

const log: [{ emit: 'event'; level: 'query' }] = [{ emit: 'event', level: 'query' }];

export interface CountedCalls {
  call: CallContext;
  statements(work: () => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

export function countQueries({ app }: TestServer, actor: CallContext['actor']): CountedCalls {
  const made: string[] = [];
  const heard = ({ query }: { query: string }) => {
    if (!/^(BEGIN|COMMIT)|^\s*(WITH "turn" AS MATERIALIZED \(\s*SELECT "key"|UPDATE \S*"StreamClock")/.test(query))
      made.push(query);
  };
  const { databaseUrl } = app.config;
  const { close, ...doors } = databaseUrl === null ? sqliteDoors(app, heard) : postgresDoors(databaseUrl, heard);
  const counted = { ...app, db: { ...app.db, ...doors } };
  const writes = new Writes(counted);
  const call = callContext({ ...counted, writes }, actor);
  return {
    call,
    async statements(work) {
      made.length = 0;
      await work();
      return [...made];
    },
    close,
  };
}

type Heard = (event: { query: string }) => void;
type Doors = Pick<Database, 'reader' | 'writer' | 'close'>;

function sqliteDoors({ config, clock }: TestServer['app'], heard: Heard): Doors {
  const file = join(config.dataDir, 'causeway.db');
  const reader = new PrismaClient({ adapter: sqliteReader(file, clock), log });
  const writer = new PrismaClient({ adapter: sqliteWriter(file, clock), log });
  reader.$on('query', heard);
  writer.$on('query', heard);
  return { reader, writer, close: async () => void (await Promise.all([reader.$disconnect(), writer.$disconnect()])) };
}

function postgresDoors(url: string, heard: Heard): Doors {
  const client = new PostgresClient({ adapter: new PrismaPg({ connectionString: url, max: 2 }), log });
  client.$on('query', heard);
  const door = client as unknown as Database['reader'];
  return { reader: door, writer: door, close: () => client.$disconnect() };
}
