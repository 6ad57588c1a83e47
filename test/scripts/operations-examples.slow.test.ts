import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { REDIS_URL } from '../harness/redis.js';
import { startServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const run = promisify(execFile);
const EXAMPLES = resolve(import.meta.dirname, '../../examples');
const ANALYZE = '/usr/bin/systemd-analyze';
const missing = existsSync(ANALYZE) ? null : `no ${ANALYZE}`;

describe.skipIf(missing)(needing(missing, 'a unit of examples/systemd'), () => {
  it.each([
    ['causeway.service', 'causeway.service'],
    ['causeway@.service', 'causeway@first.service'],
    ['causeway-box.service', 'causeway-box.service'],
    ['causeway.socket', 'causeway.socket'],
  ])('%s is valid for systemd', async (file, name) => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-units-'));
    // A socket is verified with its service. The program must exist, and may be at another path on this machine.
    for (const [unit, as] of [
      ['causeway.service', 'causeway.service'],
      [file, name],
    ] as const) {
      const text = await readFile(join(EXAMPLES, 'systemd', unit), 'utf8');
      await writeFile(join(folder, as), text.replace('/usr/bin/node', process.execPath));
    }
    const { stdout, stderr } = await run(ANALYZE, ['verify', '--man=no', join(folder, name)]);
    await rm(folder, { recursive: true });
    expect(stdout + stderr).not.toContain(name);
  });
});

const readAlerts = () => readFile(join(EXAMPLES, 'prometheus/alerts.yml'), 'utf8');

it('a server error pages the operator, and an offline box does not', async () => {
  const alerts = (await readAlerts()).split('- alert: ').slice(1);
  const severitiesOf = (status: string) =>
    alerts.flatMap((alert) => {
      const [, operator = '', value = ''] = /status(=~?)"([^"]*)"/.exec(alert) ?? [];
      const isMeant = operator === '=~' ? new RegExp(`^(?:${value})$`).test(status) : value === status;
      return isMeant ? [/severity: (\w+)/.exec(alert)?.[1]] : [];
    });
  expect(severitiesOf('500')).toEqual(['page']);
  expect(severitiesOf('503')).toEqual(['ticket']);
  for (const status of ['200', '404', '502', '504']) expect(severitiesOf(status)).toEqual([]);
});

it('the alerts use existing metrics', async () => {
  const rules = await readAlerts();
  const asked = new Set([...rules.matchAll(/\bcauseway_\w+?(?=(?:_bucket|_count)?\{)/g)].map(([name]) => name));
  const server = await startServer({ env: { REDIS_URL } });
  const shown = await (await fetch(`${server.origin}/metrics`)).text();
  await server.stop();
  expect(asked.size).toBeGreaterThan(5);
  for (const name of asked) expect(shown).toContain(`# TYPE ${name} `);
});
