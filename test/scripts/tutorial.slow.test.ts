import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../harness/ports.js';
import { needing, noSqlite } from '../harness/skipping.js';
import { Terminal } from '../harness/terminal.js';

const root = resolve(import.meta.dirname, '../..');
const blocks = [...readFileSync(join(root, 'docs/tutorial.md'), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(
  ([, text = '']) => text,
);

/** Programs that occupy their terminal, with the output that shows that they are ready. */
const HOLDING: [command: string, ready: RegExp][] = [
  ['npm start', /"msg":"ready/],
  ['npm run box', /"msg":"ready/],
  ['node examples/hello-bot/index.js', /^Hello Bot is online in 1 server\(s\)$/m],
  ['node examples/slash-bot/index.js', /its command \/lunch has the ID \d+$/m],
  ['node examples/http-endpoint/index.js', /^Receiving interactions at /m],
];

/** Results that appear after a moment, by a part of the block. The block is pasted again until the result appears. */
const AWAITED: [asks: string, shows: RegExp][] = [
  ['messages(last: 2)', /"content":"Hello, ada!"/],
  ['interaction(id: $id)', /"state":"ANSWERED","message":\{"content":"Onion tart: ada"\}/],
  ['{ boxes {', /"name":"Cellar","status":"\w+","guilds":\[\{"id":"\d+","name":"Cellar"/],
];

/** Results that the page promises, by a part of the block. */
const SHOWN: [block: string, shows: RegExp][] = [
  ['whyRunnable', /"allowed":true,"rule":"owner"/],
  ['setRolePositions', /"name":"Captains","position":2/],
  ['testInteractionsEndpoint', /"ok":true,.*"interactionsEndpointUrl":"http/s],
  ['"8ball"', /"content":"> Will it rain\?/],
  ['inviteTeamMember', /"state":"PENDING"/],
  ['createWebhook', /"content":"Build 7 is green\."/],
  ['installUrl', /oauth2\/authorize\?client_id=\d+/],
  ['developer-portal/teams', /"name":"Otters"/],
];

/** A folder like a clone after `npm ci`, without runtime data. */
let clone: string;
/** Free ports by the ports that the page names. */
const ports = new Map<string, number>();
const terminals: Terminal[] = [];

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'causeway-tutorial-'));
  const left = ['data', 'box', 'first-steps.env', '.git'];
  for (const name of await readdir(root)) if (!left.includes(name)) await symlink(join(root, name), join(clone, name));
  for (const port of ['3000', '4000', '4001']) ports.set(port, await freePort());
});
afterAll(async () => {
  await Promise.all(terminals.map((terminal) => terminal.close()));
  await rm(clone, { recursive: true, force: true });
});

function openTerminal(env: Record<string, string> = {}): Terminal {
  const { PATH, HOME } = process.env;
  const terminal = new Terminal(clone, { PATH, HOME, ORIGIN: `http://localhost:${ports.get('4000')}`, ...env });
  terminals.push(terminal);
  return terminal;
}

const withFreePorts = (text: string) => text.replace(/\b(?:3000|4000|4001)\b/g, (port) => String(ports.get(port)));

/** The port of a program whose block does not set one, because it uses the default. */
function ownPort(command: string): Record<string, string> {
  if (command === 'npm start') return { PORT: String(ports.get('4000')) };
  if (command.includes('http-endpoint')) return { PORT: String(ports.get('3000')) };
  return {};
}

async function pasteUntil(terminal: Terminal, block: string, shows: RegExp): Promise<void> {
  let shown = '';
  for (const end = Date.now() + 30_000; !shows.test(shown); ) {
    if (Date.now() > end) throw new Error(`this is not shown:\n${block}\nbut:\n${shown}`);
    shown = await terminal.paste(`(\n${block}) || true`);
  }
}

it.skipIf(noSqlite)(
  needing(noSqlite, 'every block of docs/tutorial.md works when pasted in order'),
  async () => {
    let free: Terminal | undefined;
    for (const given of blocks) {
      const block = withFreePorts(given);
      const [command = '', ready] = HOLDING.find(([held]) => block.trimEnd().endsWith(held)) ?? [];
      if (ready) {
        await openTerminal(ownPort(command)).hold(block, ready);
        continue;
      }
      if (block.startsWith('. examples/shell.sh\n')) free = openTerminal();
      if (!free) throw new Error(`nobody opened a terminal for:\n${block}`);
      const [, awaited] = AWAITED.find(([asks]) => block.includes(asks)) ?? [];
      if (awaited) await pasteUntil(free, block, awaited);
      const shown = await free.paste(block);
      for (const [part, shows] of SHOWN) if (block.includes(part)) expect(shown).toMatch(shows);
    }
    expect(await free?.paste("gql '{ nothing }' || echo failed")).toMatch(/^\{"errors":\[.*\nfailed\n$/);
    const { mode } = await stat(join(clone, 'first-steps.env'));
    expect((mode & 0o777).toString(8)).toBe('600');
  },
  300_000,
);

it("every entry of this test's tables matches an existing block", () => {
  const parts = [...HOLDING, ...AWAITED, ...SHOWN].map(([part]) => part);
  const isThere = (part: string) => blocks.some((block) => block.includes(part));
  expect(parts.filter((part) => !isThere(part))).toEqual([]);
});

it('no pasted block has a comment, which zsh reads as arguments, or a prompt', () => {
  expect(blocks.filter((block) => /(^|\s)#|^\$ /m.test(block))).toEqual([]);
});

async function answered(answer: string): Promise<Terminal> {
  const terminal = openTerminal();
  await terminal.paste(`. examples/shell.sh\nANSWER='${answer}'`);
  return terminal;
}

it.each(['{"data":{"me":null}}', 'Bad Gateway', ''])(
  'keep fails if the last answer lacks the value: %s',
  async (answer) => {
    const terminal = await answered(answer);
    expect(await terminal.paste('keep NAME data.me.name || echo failed')).toBe(
      `There is no data.me.name in the last answer: ${answer}\nfailed\n`,
    );
  },
);
