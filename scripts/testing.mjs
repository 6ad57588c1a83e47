// Builds `dist/testing`, which test programs import, as an ES module and as CommonJS (for jest), each with its types, and
// the test kit for Python.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const outdir = resolve(root, 'dist/testing');
const compiler = resolve(root, 'node_modules/.bin/tsc');

rmSync(outdir, { recursive: true, force: true });
await Promise.all([
  bundle('esm', {}),
  // A program preloads it, so that it needs no CommonJS.
  bundle('esm', { entryPoints: ['src/testing/clock/index.ts'], outfile: join(outdir, 'esm/clock.js') }),
  // CommonJS has no `import.meta`.
  bundle('cjs', {
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  }),
]);
for (const format of ['esm', 'cjs']) {
  execFileSync(compiler, ['-p', 'tsconfig.testing.json', '--outDir', join(outdir, format, 'types')], {
    cwd: root,
    stdio: 'inherit',
  });
  const type = format === 'esm' ? 'module' : 'commonjs';
  writeFileSync(join(outdir, format, 'package.json'), JSON.stringify({ type }));
}

mkdirSync(join(outdir, 'python'));
copyFileSync(resolve(root, 'src/testing/python/causeway_testing.py'), join(outdir, 'python/causeway_testing.py'));

function bundle(format, options) {
  return build({
    absWorkingDir: root,
    entryPoints: ['src/testing/index.ts'],
    outfile: join(outdir, format, 'index.js'),
    bundle: true,
    external: ['discord-api-types'],
    format,
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  });
}
