// Builds the portal: `dist/pages` with its files, each also compressed, and the patterns of its routes. The server uses
// the patterns to distinguish pages from unknown paths. Also builds the page of a sandbox in `dist/sandbox-page`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, runnerImport } from 'vite';

const root = resolve(import.meta.dirname, '../portal');
const outDir = resolve(root, '../dist/pages');

const sandbox = join(root, 'sandbox');
await build({ root: sandbox, configFile: join(sandbox, 'vite.config.ts') });
await build({ root, configFile: join(root, 'vite.config.ts') });
for (const folder of [outDir, resolve(root, '../dist/sandbox-page')]) filesIn(folder).forEach(compress);
// Written last, because this file marks a complete build.
writeFileSync(join(outDir, 'routes.json'), JSON.stringify(await routePatterns()));

/** Such as `/applications/$applicationId/general`. */
async function routePatterns() {
  const { module } = await runnerImport(join(root, 'src/routes/tree.ts'), { root, logLevel: 'warn' });
  return [...new Set(patternsBelow(module.routeTree, ''))];
}

function patternsBelow({ options, children }, above) {
  const path = [above, options.path].filter((part) => part && part !== '/').join('/');
  const below = Object.values(children ?? {});
  return below.length === 0 ? [path] : below.flatMap((child) => patternsBelow(child, path));
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(js|css|html|svg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  );
}
