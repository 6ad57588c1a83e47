import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { isInviteCode } from '../domain/invites/index.js';
import type { Entrypoint } from '../entrypoint.js';
import { mountFavicon } from './favicon.js';
import { type Encoding, type Pages, type PortalFile, readPages } from './pages.js';

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

function sendFile(app: AppContext, file: PortalFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({
    ...headersOfPages(app),
    'content-type': file.type,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (reply.statusCode === 200 && headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  const encoding = encodingFor(headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.send(file.bodies[encoding]);
}

/** RFC 9110, section 12.5.3. */
function encodingFor(accepted = ''): Encoding {
  const taken = accepted.split(',').map((part) => part.trim().split(';'));
  const takes = (name: string) =>
    taken.some(([coding, weight]) => coding === name && !/^\s*q=0(\.0*)?$/.test(weight ?? ''));
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : 'identity';
}

/** Images come from the public URL, even if the client uses another address. */
function headersOfPages({ addresses, config }: AppContext): Record<string, string> {
  const { origin } = new URL(addresses.publicUrl);
  // A box redirects images of its cloud to the cloud.
  const pictureOrigins = [origin, config.box?.cloudUrl].filter((one) => one != null);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' blob:", ...pictureOrigins].join(' '),
    `connect-src 'self' ${origin.replace(/^http/, 'ws')}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
}
