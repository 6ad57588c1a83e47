import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { StartError } from '../config.js';
import { packageRoot } from '../infra/package-root.js';

export interface PortalFile {
  type: string;
  etag: string;
  /** By `content-encoding`. */
  bodies: Record<Encoding, Buffer>;
  /** Whether the file name contains a content hash. */
  isImmutable: boolean;
}

export type Encoding = 'br' | 'gzip' | 'identity';

/** The built portal (`npm run build`). */
export interface Pages {
  /** By path below `/portal/`. */
  files: ReadonlyMap<string, PortalFile>;
  /** The HTML document of every page. */
  shell: PortalFile;
  /** @param path below `/portal` */
  isRoute(path: string): boolean;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** @throws {StartError} if the portal was not built */
export function readPages(): Pages {
  const folder = builtFolder();
  const files = new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path).split(sep).join('/'), readPortalFile(path)]),
  );
  const shell = files.get('index.html');
  if (!shell) throw notBuilt(folder);
  const patterns = (JSON.parse(readFileSync(join(folder, 'routes.json'), 'utf8')) as string[]).map(patternOf);
  return { files, shell, isRoute: (path) => patterns.some((pattern) => pattern.test(path)) };
}

function builtFolder(): string {
  const built = join(packageRoot(), 'dist/pages');
  if (!existsSync(join(built, 'index.html'))) throw notBuilt(built);
  return built;
}

function notBuilt(folder: string): StartError {
  return new StartError(`the portal is not built: ${join(folder, 'index.html')} is missing; run \`npm run build\``);
}

function readPortalFile(path: string): PortalFile {
  const identity = readFileSync(path);
  return {
    type: TYPES[extname(path)] ?? '',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    bodies: { identity, br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) },
    isImmutable: path.includes(`${sep}assets${sep}`),
  };
}

/** @param route such as `/applications/$applicationId/general` */
function patternOf(route: string): RegExp {
  const parts = route.split('/').filter((part) => part !== '');
  const pattern = parts.map(patternOfPart).join('/');
  return new RegExp(`^/?${pattern}/?$`);
}

function patternOfPart(part: string): string {
  if (!part.startsWith('$')) return part;
  return part.endsWith('Id') ? '\\d+' : '[^/]+';
}
