import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { isInviteCode } from '../domain/invites/index.js';
import type { Entrypoint } from '../entrypoint.js';
import { mountFavicon } from './favicon.js';
import { sendFile } from './files.js';
import { type Pages, readPages } from './pages.js';

/** @throws {StartError} if the portal was not built */
export function createPortalEntrypoint(app: AppContext): Entrypoint {
  const pages = readPages();
  return {
    mount(http) {
      mountFavicon(http);
      http.get('/', async (_request, reply) => reply.redirect('/portal', 302));
      http.get<{ Params: { code: string } }>('/invite/:code', async ({ params: { code } }, reply) =>
        isInviteCode(code) ? reply.redirect(`/portal/invite/${code}`, 302) : reply.callNotFound(),
      );
      http.get('/portal', async (request, reply) => sendShell(app, pages, request, reply, ''));
      http.get<{ Params: { '*': string } }>('/portal/*', async (request, reply) => {
        const path = request.params['*'];
        const file = pages.files.get(path);
        return file ? sendFile(app, file, request, reply) : sendShell(app, pages, request, reply, path);
      });
    },
  };
}

/** Sends the app shell, which shows its own page for unknown paths. */
function sendShell(
  app: AppContext,
  { shell, isRoute }: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  reply.code(isRoute(path) ? 200 : 404);
  return sendFile(app, shell, request, reply);
}
