import type { Command } from 'commander';
import { examples } from '../examples.js';
import { exitWith } from '../failure.js';
import { type FileOptions, withFile } from '../remote/options.js';
import { faultLines, readFileAt } from './file.js';
import type { Fault } from './yaml-file.js';

interface Options extends FileOptions {
  json?: true;
}

export function addValidateCommand(app: Command): void {
  withFile(app.command('validate'))
    .summary('check the file without a server')
    .description(
      'Checks the file offline. An instance can refuse more: names of its built-in commands, and channels that do not exist.',
    )
    .option('--json', 'print the faults as JSON')
    .addHelpText('after', examples(['causeway app validate', 'check causeway.app.yaml']))
    .action(({ file: path, json }: Options) =>
      exitWith(async () => {
        const faults = await faultsOf(path);
        const isOk = faults.length === 0;
        if (json) process.stdout.write(`${JSON.stringify({ ok: isOk, faults }, null, 2)}\n`);
        else if (isOk) process.stdout.write(`${path} is valid.\n`);
        else process.stderr.write(`causeway: ${path} is not valid\n${faultLines(path, faults)}\n`);
        return isOk ? 0 : 1;
      }),
    );
}

async function faultsOf(path: string): Promise<Fault[]> {
  const file = await readFileAt(path);
  if ('faults' in file) return file.faults;
  const { checkFile } = await import('./schema-of-file.js');
  return (await checkFile(file.content)).map(({ path: field, message }) => ({
    line: file.lineOf(field),
    path: field,
    message,
  }));
}
