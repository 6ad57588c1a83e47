import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { Lazy } from '../infra/lazy.js';

/** File names contain a content hash. */
const FOLDER = '/graphql/files';

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Higher levels take several times as long for 5% less. */
const BROTLI_QUALITY = 5;

/** 9 MB of text, kept as 4 MB in both compressions. */
interface Script {
  path: string;
  br: Buffer;
  gzip: Buffer;
}

const script = new Lazy(makeScript);

/** Shown if the page is opened without an operation. */
const WELCOME = `# GraphiQL: operations run here, against
# this instance.
#
# Sign in with the link above to run them
# as that person. Or put the token of a
# session, which /auth/sign-in/email answers,
# under Headers, below:
#   { "authorization": "Bearer …" }
#
# Ctrl+Enter runs, Ctrl+Space completes, and
# the book on the left shows all there is.

{
  me { id username }
  applications { id name }
}
`;

/** `?query=…#variables=…` in the URL sets the content. Variables may be private, so they are stored per tab. */
export async function graphiqlPage(options: object = {}): Promise<string> {
  const { path } = await script.get();
  const [given, welcome] = [options, WELCOME].map(inScript);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>GraphiQL – Causeway</title>
<style>
body { display: flex; flex-direction: column; height: 100vh; margin: 0; }
nav { display: flex; gap: 1.25rem; padding: .5rem 1rem; font: 600 .875rem system-ui, sans-serif; color: #565c69; background: #eef0f4; }
nav a { color: #3f4fd6; }
#root { flex: 1; min-height: 0; }
#root .graphiql-container { height: 100%; }
@media (prefers-color-scheme: dark) { nav { color: #a9b0bd; background: #14161b; } nav a { color: #8c9bff; } }
</style>
</head>
<body class="no-focus-outline">
<nav>Causeway <a href="/oauth2/sign-in">Sign in</a> <a href="/">Start page</a></nav>
<noscript>GraphiQL is a program, which needs JavaScript.</noscript>
<div id="root"></div>
<script src="${path}"></script>
<script>
const options = ${given};
if (!new URLSearchParams(location.search).has('query')) options.query = ${welcome};
const variables = new URLSearchParams(location.hash.slice(1)).get('variables');
if (variables !== null) Object.assign(options, { variables, storage: sessionStorage });
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), options);
</script>
</body>
</html>
`;
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

export function mountGraphiqlFiles(http: FastifyInstance): void {
  http.get<{ Params: { name: string } }>(`${FOLDER}/:name`, async ({ params, headers }, reply) => {
    const made = await script.get();
    // The page is from another version, such as an old tab.
    if (made.path !== `${FOLDER}/${params.name}`) return reply.callNotFound();
    reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': FOR_EVER,
      vary: 'accept-encoding',
    });
    const encoding = encodingFor(headers['accept-encoding']);
    if (encoding) return reply.header('content-encoding', encoding).send(made[encoding]);
    const plain = createGunzip();
    plain.end(made.gzip);
    return reply.send(plain);
  });
}

/** RFC 9110, section 12.5.3; null if the client accepts neither. */
function encodingFor(accepted = ''): 'br' | 'gzip' | null {
  const taken = accepted.split(',').filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one));
  const names = taken.map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}

async function makeScript(): Promise<Script> {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const text = Buffer.from(scriptOf(parts));
  const name = `graphiql-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.js`;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return {
    path: `${FOLDER}/${name}`,
    br: await promisify(brotliCompress)(text, { params }),
    gzip: await promisify(gzip)(text),
  };
}

type Parts = Record<'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker', string>;

/** Replaces the inline parts of Yoga's page. */
function scriptOf({ js, css, editorWorkerService, jsonWorker, graphqlWorker }: Parts): string {
  const workers = { editorWorkerService, json: jsonWorker, graphql: graphqlWorker };
  return `{
const style = document.createElement('style');
style.textContent = ${JSON.stringify(css)};
document.head.prepend(style);
const texts = ${JSON.stringify(workers)};
const addressOf = (text) => URL.createObjectURL(new Blob([text], { type: 'application/javascript' }));
const workers = Object.fromEntries(Object.entries(texts).map(([label, text]) => [label, addressOf(text)]));
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
}
${js}`;
}
