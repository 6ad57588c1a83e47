/**
 * The rooms of the house and which may know which (docs/architecture.md). Arrows point one way:
 * cli → sandbox → server, and cli, main → program → server → entrypoints → wire → domain → infra.
 */
const FACES = ['accounts', 'cdn', 'gateway', 'oauth', 'portal', 'relay', 'rest-compat', 'schema'];

const mayImport = (room, allowed) => ({
  name: `${room}-imports-only-${allowed.length ? allowed.join('-') : 'packages'}`,
  severity: 'error',
  from: { path: `^src/${room}` },
  to: { path: '^src/', pathNot: [room, ...allowed].map((name) => `^src/${name}`) },
});

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: { pathNot: 'generated' }, to: { circular: true } },
    mayImport('infra', ['config\\.ts']),
    mayImport('domain', ['infra']),
    mayImport('wire', ['domain', 'infra']),
    mayImport('context\\.ts', ['config\\.ts', 'domain', 'http', 'infra']),
    mayImport('config\\.ts', []),
    mayImport('entrypoint\\.ts', []),
    mayImport('http', ['infra', 'domain', 'config\\.ts', 'context\\.ts', 'entrypoint\\.ts']),
    mayImport('main\\.ts', ['program\\.ts', 'config\\.ts']),
    mayImport('program\\.ts', ['start\\.ts', 'config\\.ts', 'server\\.ts', 'infra/processes/await-stores\\.ts']),
    mayImport('cli', ['program\\.ts', 'start\\.ts', 'config\\.ts', 'domain', 'infra', 'sandbox']),
    mayImport('testing', ['sandbox/protocol\\.ts']),
    mayImport('start\\.ts', ['config\\.ts']),
    ...FACES.map((entrypoint) =>
      mayImport(entrypoint, ['domain', 'wire', 'http', 'infra', 'context\\.ts', 'config\\.ts', 'entrypoint\\.ts']),
    ),
    {
      name: 'a-noun-is-known-by-its-index',
      comment: 'Outside the domain, what a noun offers is what its index.ts exports.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/domain/' },
      to: { path: '^src/domain/[^/]+/', pathNot: '/index\\.ts$' },
    },
    {
      name: 'nouns-know-files-of-each-other',
      comment: 'Within the domain an index.ts would make circles.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^src/domain/[^/]+/index\\.ts$' },
    },
    {
      name: 'verbs-take-typed-values',
      comment: 'A caller’s input is parsed once, at the entrypoint; the domain exports its schemas.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^src/domain/parse-input\\.ts$' },
    },
    {
      name: 'only-the-program-starts-the-server',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(program\\.ts|sandbox/)' },
      to: { path: '^src/server\\.ts' },
    },
    {
      name: 'nothing-else-knows-the-sandbox',
      comment: 'Test clients know the types of its control API, and the command line starts it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|testing|sandbox)/' },
      to: { path: '^src/(sandbox|testing)/' },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'npm-start-loads-no-commander',
      severity: 'error',
      from: { path: '^src/main\\.ts' },
      to: { path: 'node_modules/commander/', reachable: true },
    },
    {
      name: 'only-the-adapter-knows-ws',
      severity: 'error',
      from: { path: '^src/(gateway|relay)/', pathNot: 'ws-adapter\\.ts$' },
      to: { path: 'node_modules/(@types/)?ws/' },
    },
    {
      name: 'rows-know-no-server',
      comment: 'A box runs the rows of a request that reached it over the relay.',
      severity: 'error',
      from: { path: '^src/rest-compat/', pathNot: '^src/rest-compat/http\\.ts$' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'the-database-client-belongs-to-infra',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(infra|schema/generated)' },
      to: { path: '^src/infra/database/generated' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
};
