import { type FastifyInstance, fastify } from 'fastify';
import { refuseOtherMethods } from '../methods.js';
import { LargeScript } from './large-script.js';

/**
 * https://guides.scalar.com/scalar/scalar-api-references/configuration. Nothing is loaded from or sent to other hosts.
 */
const CONFIGURATION = {
  url: '/openapi.json',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The API reference of `/openapi.json`, which works offline. */
export function mountReference(http: FastifyInstance): void {
  const script = new LargeScript('/reference/files', 'scalar', loadScript);
  http.register(async (scope) => {
    refuseOtherMethods(scope, () => {
      script.mount(scope);
      scope.get('/reference', async (_request, reply) =>
        reply
          .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
          .send(page(await script.path())),
      );
    });
  });
}

function page(scriptPath: string): string {
  const configuration = JSON.stringify(CONFIGURATION).replaceAll("'", '&#39;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference – Causeway</title>
</head>
<body>
<noscript>The API reference needs JavaScript. The OpenAPI document is at /openapi.json.</noscript>
<script id="api-reference" data-configuration='${configuration}'></script>
<script src="${scriptPath}"></script>
</body>
</html>
`;
}

/** The plugin is the smallest package that contains Scalar's script, and has no other access to it. */
async function loadScript(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const http = fastify();
  await http.register(scalar, { configuration: { url: CONFIGURATION.url } });
  const { payload } = await http.inject('/reference/js/scalar.js');
  await http.close();
  return payload;
}
