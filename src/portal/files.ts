import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StartError } from '../config.js';
import type { AppContext } from '../context.js';
import { packageRoot } from '../infra/package-root.js';

export interface BuiltFile {
  type: string;
  etag: string;
  /** By `content-encoding`. */
  bodies: Record<Encoding, Buffer>;
  /** Whether the file name contains a content hash. */
  isImmutable: boolean;
}

type Encoding = 'br' | 'gzip' | 'identity';

/** A folder of files for browsers, which `npm run build` makes. */
export interface BuiltFiles {
  folder: string;
  /** By path below the folder. */
  files: ReadonlyMap<string, BuiltFile>;
  /** `index.html` */
  shell: BuiltFile;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * @param name of a folder in `dist`
 * @throws {StartError} if it was not built
 */
export function readFiles(name: string): BuiltFiles {
  const folder = join(packageRoot(), 'dist', name);
  if (!existsSync(join(folder, 'index.html'))) throw notBuilt(folder);
  const files = new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path).split(sep).join('/'), readFile(path)]),
  );
  const shell = files.get('index.html');
  if (!shell) throw notBuilt(folder);
  return { folder, files, shell };
}

function notBuilt(folder: string): StartError {
  return new StartError(`the portal is not built: ${join(folder, 'index.html')} is missing; run \`npm run build\``);
}

function readFile(path: string): BuiltFile {
  const identity = readFileSync(path);
  return {
    type: TYPES[extname(path)] ?? '',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    bodies: { identity, br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) },
    isImmutable: path.includes(`${sep}assets${sep}`),
  };
}

export function sendFile(
  app: AppContext,
  file: BuiltFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
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
