import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import { readFiles, sendFile } from '../portal/files.js';

/**
 * A page for the control API. It contains no data; a browser reads the token from the fragment of the address.
 * @throws {StartError} if it was not built
 */
export function mountPage(http: FastifyInstance, app: AppContext): void {
  const { files, shell } = readFiles('sandbox-page');
  http.get('/', { prefixTrailingSlash: 'slash' }, async (request, reply) => sendFile(app, shell, request, reply));
  for (const [path, file] of files) {
    http.get(`/${path}`, async (request, reply) => sendFile(app, file, request, reply));
  }
}
