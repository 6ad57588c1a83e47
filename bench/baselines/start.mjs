// The baseline of a start: bare Fastify with one route, and one Prisma client that has sent a query. It migrates
// nothing.
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import fastify from 'fastify';
import { PrismaClient } from '../../dist/infra/database/generated/sqlite/client.js';

const adapter = new PrismaBetterSqlite3({ url: `file:${process.env.DATA_DIR}/causeway.db` });
const db = new PrismaClient({ adapter });
await db.$queryRaw`SELECT 1`;
const http = fastify();
http.get('/users/:id', ({ params }) => db.user.findUnique({ where: { id: BigInt(params.id) } }));
const origin = await http.listen({ port: 0 });
process.once('SIGTERM', () => process.exit(0));
process.stdout.write(`${JSON.stringify({ origin })}\n`);
