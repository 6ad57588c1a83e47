import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { Check } from './checks/check.js';
import { examples } from './examples.js';

interface Options {
  box?: true;
  json?: true;
  sendMail?: string;
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('check everything that the platform needs here')
    .description(
      'Checks Node.js, packages, settings, this machine, the database, Redis, the S3 store, the mail server, the clock ' +
        'and the proxy. Run it as the user and with the settings of the service, before a start or next to a running ' +
        'process. It changes no data. It ends with 0 if no check fails, and warnings are no failures.',
    )
    .option('--box', 'check the settings of a box and its way to the cloud')
    .option('--send-mail <address>', 'send a test mail to this address')
    .option('--json', 'print the checks as JSON')
    .addHelpText(
      'after',
      examples(
        ['causeway doctor', 'check the environment of this shell'],
        ['causeway doctor --send-mail you@example.com', 'also send a mail'],
        ['causeway doctor --json | jq .ok', 'print true if no check fails'],
      ),
    )
    .action(async ({ box, json, sendMail }: Options) => {
      const { runChecks } = await import('./checks/index.js');
      const checks = await runChecks(box ? 'box' : 'cloud', sendMail === undefined ? {} : { sendMail });
      const isOk = checks.every(({ state }) => state !== 'failure');
      const text = json ? `${JSON.stringify({ ok: isOk, checks }, null, 2)}\n` : asText(checks);
      // A pipe may still hold the output when the write returns.
      process.stdout.write(text, () => process.exit(isOk ? 0 : 1));
    });
}

const COLORS = { ok: 'green', warning: 'yellow', failure: 'red', skipped: 'gray' } as const;

const WIDTH = Math.max(...Object.keys(COLORS).map((state) => state.length));

function asText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  const lines = checks.map(({ id, state, message, advice }) => {
    const text = [message, ...(advice === undefined ? [] : [`→ ${advice}`])].join('\n');
    const indent = ' '.repeat(WIDTH + width + 4);
    return `${inColor(state)}  ${id.padEnd(width)}  ${text.replaceAll(/\n\s*/g, `\n${indent}`)}\n`;
  });
  return [...lines, summaryOf(checks)].join('');
}

function summaryOf(checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  return `\nfailures: ${count('failure')}, warnings: ${count('warning')}, ok: ${count('ok')}, skipped: ${count('skipped')}\n`;
}

function inColor(state: Check['state']): string {
  const text = state.padEnd(WIDTH);
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(COLORS[state], text) : text;
}
