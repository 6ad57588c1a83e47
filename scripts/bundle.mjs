// Builds the program of `npm start`: `dist/main.js` and `dist/chunks`, with its libraries bundled. Node.js would take
// longer to find, read and link three thousand small files than to run them. Dynamic imports (`import()`) are separate
// files.
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const outdir = resolve(root, 'dist');

/**
 * Packages that are loaded from `node_modules`: native code, code that reads files next to itself, and optional
 * packages.
 */
const EXTERNAL = [
  'better-sqlite3',
  '@node-rs/argon2',
  'sharp',
  'pino',
  '@graphql-yoga/render-graphiql',
  'pg-native',
  'cloudflare:sockets',
];

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

rmSync(resolve(outdir, 'chunks'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
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
