import { LargeScript } from '../http/pages/large-script.js';

/** 9 MB of text. */
export function createGraphiqlScript(): LargeScript {
  return new LargeScript('/graphql/files', 'graphiql', loadScript);
}

/** Shown if the page is opened without an operation. */
const WELCOME = `# Run GraphQL operations on this instance.
#
# Sign in with the link above, or get a token
# from POST /auth/sign-in/email and add it
# under Headers, below:
#   { "authorization": "Bearer …" }
#
# Press Ctrl+Enter to run an operation and
# Ctrl+Space to complete a name. The book
# icon on the left opens the documentation.

{
  me { id username }
  applications { id name }
}
`;

/** `?query=…#variables=…` in the URL sets the content. Variables may be private, so they are stored per tab. */
export async function graphiqlPage(script: LargeScript, options: object = {}): Promise<string> {
  const path = await script.path();
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
<nav>Causeway <a href="/oauth2/sign-in">Sign in</a> <a href="/">Home</a></nav>
<noscript>GraphiQL requires JavaScript.</noscript>
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

async function loadScript(): Promise<string> {
  return scriptOf(await import('@graphql-yoga/render-graphiql/graphiql'));
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
