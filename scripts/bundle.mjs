// Builds the program of `npm start` (`dist/main.js`) and the command line (`dist/cli.js`), which share `dist/chunks`, with
// their libraries bundled. Node.js would take longer to find, read and link three thousand small files than to run them.
// Dynamic imports (`import()`) are separate files. `dist/native` has the binary of the SQLite driver, which a package cannot compile where it is installed.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const outdir = resolve(root, 'dist');

const require = createRequire(import.meta.url);

/**
 * Packages that are loaded from `node_modules`: native code, optional packages, and `bindings`, with which better-sqlite3
 * looks for its binary unless it gets a path.
 */
const EXTERNAL = ['@node-rs/argon2', 'sharp', 'bindings', 'pg-native', 'cloudflare:sockets'];

/**
 * Prisma's query compiler is WebAssembly in a base64 text, which is larger to read and stays in memory. This plugin
 * stores it as a binary file.
 */
const binaryQueryCompiler = {
  name: 'binary-query-compiler',
  setup({ onResolve, onLoad }) {
    const namespace = 'query-compiler';
    onLoad({ filter: /query_compiler_\w+\.\w+\.wasm-base64\.mjs$/, namespace: 'file' }, ({ path }) => ({
      contents: `import { readFileSync } from 'node:fs';
import file from ${JSON.stringify(`${namespace}:${path}`)};
export const wasm = readFileSync(new URL(file, import.meta.url));`,
      resolveDir: root,
    }));
    onResolve({ filter: /^query-compiler:/ }, ({ path }) => ({
      path: path.slice(namespace.length + 1).replace('.wasm-base64.mjs', '.wasm'),
      namespace,
    }));
    onLoad({ filter: /./, namespace }, async ({ path }) => {
      const { wasm } = await import(path.replace(/\.wasm$/, '.wasm-base64.mjs'));
      return { contents: Buffer.from(wasm, 'base64'), loader: 'file' };
    });
  },
};

/**
 * Prisma's graph of the schema has thousands of small objects with the numbers of strings as keys. V8 stores these as
 * arrays with a place for every smaller number. A far key, which no string has, makes it store hash tables: 13 MiB less.
 */
const smallQueryGraph = {
  name: 'small-query-graph',
  setup({ onLoad }) {
    onLoad({ filter: /@prisma\/client\/runtime\/client\.m?js$/ }, ({ path }) => {
      const parts = readFileSync(path, 'utf8').split('let i=this.#i(),o={};');
      if (parts.length !== 3) throw new Error(`${path} reads its graph in another way: adapt scripts/bundle.mjs`);
      return { contents: parts.join('let i=this.#i(),o={65535:void 0};'), loader: 'js' };
    });
  },
};

const driver = {
  version: require('better-sqlite3/package.json').version,
  binary: join(dirname(require.resolve('better-sqlite3/package.json')), 'build/Release/better_sqlite3.node'),
};

rmSync(resolve(outdir, 'chunks'), { recursive: true, force: true });
copyDriver();
await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', cli: 'src/cli/main.ts' },
  outdir,
  chunkNames: 'chunks/[name]-[hash]',
  assetNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  define: { 'import.meta.bundledDriver': JSON.stringify(driver.version) },
  plugins: [binaryQueryCompiler, smallQueryGraph],
  sourcemap: 'linked',
  sourcesContent: false,
  // CommonJS libraries load Node's own modules with `require`, which ES modules lack.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});

/** The name says which Node.js can load the binary (`src/infra/database/sqlite-driver.ts`). */
function copyDriver() {
  const { platform, arch, versions } = process;
  const folder = resolve(outdir, 'native');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    require(driver.binary);
  } catch (error) {
    console.warn(`dist/native is empty, because better-sqlite3 is not built for this Node.js: ${error.message}`);
    return;
  }
  const major = versions.node.split('.', 1)[0];
  copyFileSync(driver.binary, join(folder, `${platform}-${arch}-node${major}-abi${versions.modules}.node`));
}
