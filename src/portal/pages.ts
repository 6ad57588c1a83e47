import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuiltFiles, readFiles } from './files.js';

/** The built portal. Its paths are those below `/portal/`, and its shell is the HTML document of every page. */
export interface Pages extends BuiltFiles {
  /** @param path below `/portal` */
  isRoute(path: string): boolean;
}

/** @throws {StartError} if the portal was not built */
export function readPages(): Pages {
  const built = readFiles('pages');
  const routes = JSON.parse(readFileSync(join(built.folder, 'routes.json'), 'utf8')) as string[];
  const patterns = routes.map(patternOf);
  return { ...built, isRoute: (path) => patterns.some((pattern) => pattern.test(path)) };
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
