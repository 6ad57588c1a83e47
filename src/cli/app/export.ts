import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { examples } from '../examples.js';
import { exitWith, Failure } from '../failure.js';
import { askServer } from '../remote/graphql.js';
import { type ServerOptions, withServer } from '../remote/options.js';
import { chooseApplication } from './choose.js';
import { TO_STDOUT } from './file.js';
import { writeYaml } from './yaml-file.js';

interface Options extends ServerOptions {
  force?: true;
}

const NOTE = '# Settings, global commands and webhooks. `causeway app plan` shows what a change would do.\n';

const FILE = 'query ApplicationFile($id: ID!) { application(id: $id) { name file } }';

export function addExportCommand(app: Command): void {
  withServer(app.command('export'))
    .summary('write the application to the file')
    .description(
      'Writes settings, global commands and webhooks of the application to the file, without secrets. With `--file -` it prints them.',
    )
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      examples(
        ['causeway app export --application 1412345678901234567', 'write causeway.app.yaml'],
        ['causeway app export --force', 'write it again'],
      ),
    )
    .action((options: Options) => exitWith(() => exportFile(options)));
}

async function exportFile(options: Options): Promise<number> {
  const { file: path, force } = options;
  const id = await chooseApplication(options);
  const { application } = await askServer<{ application: { name: string; file: unknown } }>(options, FILE, { id });
  const text = NOTE + writeYaml(application.file);
  if (path === TO_STDOUT) process.stdout.write(text);
  else {
    await write(path, text, force === true);
    process.stdout.write(`Wrote ${application.name} (${id}) to ${path}.\n`);
  }
  return 0;
}

async function write(path: string, text: string, isForced: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: isForced ? 'w' : 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Failure(`${path} exists; pass --force to replace it, or --file to name another`);
    throw new Failure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
