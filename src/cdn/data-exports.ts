import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { type DataExport, type ExportedFor, exportEntries, isExportable } from '../domain/data-export/index.js';
import { Quota } from '../infra/concurrency/quota.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { requestedAt } from '../wire/data-exports.js';
import { archiveOf } from './archive.js';
import { plain } from './send.js';

interface ExportRequest {
  Params: { personId: string; exportedFor: string };
  Querystring: Record<string, unknown>;
}

/** In this process. Each one reads from the database as fast as its client receives. */
const MAX_EXPORTS = 4;

const RETRY_SECONDS = 30;

/** A client that receives nothing for this long is gone. */
const STALLED_MS = 5 * 60_000;

/** Downloads of people's data, by signed URLs. */
export function mountDataExports(http: FastifyInstance, app: AppContext): void {
  const running = new Quota(1);
  http.get<ExportRequest>('/cdn/data-exports/:personId/:exportedFor', { exposeHeadRoute: false }, (request, reply) =>
    serveExport(app, running, request, reply),
  );
}

async function serveExport(
  app: AppContext,
  running: Quota,
  request: FastifyRequest<ExportRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wanted = wantedExport(request.params);
  const asked = wanted && requestedAt(wanted, request.query, app.addresses, app.clock);
  if (!wanted || asked === null || !(await isExportable(app.db.reader, wanted, asked))) {
    return plain(reply.code(404), 'There is no such download, or its URL has expired: request a new one.');
  }
  if (running.usedInAll >= MAX_EXPORTS) {
    reply.code(503).header('retry-after', RETRY_SECONDS);
    return plain(reply, 'Too many people are downloading their data. Try again in a moment.');
  }
  const release = running.take(String(wanted.personId));
  if (!release) {
    reply.code(429).header('retry-after', RETRY_SECONDS);
    return plain(reply, 'This data is being downloaded already. Wait until that download ends, then try again.');
  }
  return sendArchive(app, wanted, reply, release);
}

function sendArchive(app: AppContext, { personId }: DataExport, reply: FastifyReply, release: Release): FastifyReply {
  const { blobs, clock, db } = app;
  const now = new Date(clock.now());
  const source = { read: db.reader, blobs, userId: personId, publicUrl: app.addresses.publicUrl, startedAt: now };
  const archive = archiveOf(exportEntries(source), now);
  archive.once('close', release);
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy());
  reply.headers({
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="causeway-${personId}-${now.toISOString().slice(0, 10)}.zip"`,
    'cache-control': 'no-store',
  });
  return reply.send(archive);
}

function wantedExport(params: ExportRequest['Params']): DataExport | null {
  const personId = parseSnowflake(params.personId);
  const exportedFor = exportedForOf(params.exportedFor);
  return personId === undefined || exportedFor === undefined ? null : { personId, exportedFor };
}

function exportedForOf(text: string): ExportedFor | undefined {
  return text === 'self' || text === 'machine' ? text : parseSnowflake(text);
}
