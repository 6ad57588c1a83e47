import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Check } from './checks/check.js';
import { examples } from './examples.js';

interface Options {
  box?: true;
  json?: true;
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('check whether the platform can start here')
    .description(
      'Checks Node.js, native packages, settings, port, data folder, database and Redis. It changes nothing. It fails if a start would fail.',
    )
    .option('--box', 'check the settings of a box')
    .option('--json', 'print the checks as JSON')
    .addHelpText(
      'after',
      examples(
        ['causeway doctor', 'check the environment of this shell'],
        ['causeway doctor --json | jq .ok', 'print true if a start can succeed'],
      ),
    )
    .action(async ({ box, json }: Options) => {
      const { runChecks } = await import('./checks/index.js');
      const checks = await runChecks(box ? 'box' : 'cloud');
      const isOk = checks.every(({ status }) => status !== 'error');
      const text = json ? `${JSON.stringify({ ok: isOk, checks }, null, 2)}\n` : asText(checks);
      // A pipe may still hold the output when the write returns.
      process.stdout.write(text, () => process.exit(isOk ? 0 : 1));
    });
}

const COLORS = { ok: 'green', warning: 'yellow', error: 'red' } as const;

function asText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(({ name, status, message, advice }) => {
    const text = [message, ...(advice === undefined ? [] : [`→ ${advice}`])].join('\n');
    const indent = ' '.repeat('warning'.length + width + 4);
    return `${inColor(status)}  ${name.padEnd(width)}  ${text.replaceAll(/\n\s*/g, `\n${indent}`)}\n`;
  });
  return lines.join('');
}

function inColor(status: Check['status']): string {
  const text = status.padEnd('warning'.length);
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(COLORS[status], text) : text;
}
