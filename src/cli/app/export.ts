import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { examples } from '../examples.js';
import { exitWith, Failure } from './failure.js';
import { readFileAt } from './file.js';
import { askServer } from './graphql.js';
import { type ServerOptions, withServer } from './options.js';
import { writeYaml } from './yaml-file.js';

interface Options extends ServerOptions {
  force?: true;
}

const TO_STDOUT = '-';

const NOTE = '# Settings, global commands and webhooks. `causeway app plan` shows what a change would do.\n';

const FILE = 'query ApplicationFile($id: ID!) { application(id: $id) { name file } }';

const OWN = 'query OwnApplications { applications { id name } }';

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
  const id = options.application ?? (await namedIn(path)) ?? (await onlyOne(options));
  const { application } = await askServer<{ application: { name: string; file: unknown } }>(options, FILE, { id });
  const text = NOTE + writeYaml(application.file);
  if (path === TO_STDOUT) process.stdout.write(text);
  else {
    await write(path, text, force === true);
    process.stdout.write(`Wrote ${application.name} (${id}) to ${path}.\n`);
  }
  return 0;
}

/** The application of an existing file. */
async function namedIn(path: string): Promise<string | undefined> {
  const file = path === TO_STDOUT ? null : await readFileAt(path).catch(() => null);
  const content = file && 'content' in file ? file.content : null;
  const named: unknown =
    typeof content === 'object' && content !== null ? Reflect.get(content, 'application') : undefined;
  return named === undefined || named === null ? undefined : String(named);
}

async function onlyOne(options: Options): Promise<string> {
  const { applications } = await askServer<{ applications: { id: string; name: string }[] }>(options, OWN, {});
  const [first, ...others] = applications;
  if (!first) throw new Failure(`you have no application at ${options.url}`);
  if (others.length === 0) return first.id;
  const lines = applications.map(({ id, name }) => `  ${id}  ${name}`);
  throw new Failure(`pass --application with one of these IDs\n${lines.join('\n')}`);
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
