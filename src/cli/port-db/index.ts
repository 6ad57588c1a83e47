import { type Command, InvalidArgumentError } from 'commander';
import { readConfig, StartError } from '../../config.js';
import { examples } from '../examples.js';
import { exitWith, Failure } from '../failure.js';
import type { Copy } from './copy.js';

interface Options {
  to: string;
  json?: true;
}

export function addPortDbCommand(program: Command): void {
  program
    .command('port-db')
    .summary('copy the SQLite database into PostgreSQL')
    .description(
      'Copies the SQLite database in DATA_DIR into an empty PostgreSQL database and compares both. Stop the instance ' +
        'first. The SQLite database stays as it is. After an interruption, run the same command again: it continues.',
    )
    .requiredOption('--to <url>', 'the PostgreSQL database, such as postgresql://user@host/name', parseUrl)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        ['causeway port-db --to postgresql://causeway@127.0.0.1/causeway', 'copy the database of ./data'],
        ['PGPASSWORD=… DATA_DIR=/var/lib/causeway causeway port-db --to …', 'keep the password out of the arguments'],
      ),
    )
    .action((options: Options) => exitWith(() => portDatabase(options)));
}

function parseUrl(text: string): string {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
  if (!isPostgres) throw new InvalidArgumentError('It must be a URL that begins with postgresql://.');
  return text;
}

const INTERRUPTED = 130;

async function portDatabase({ to, json }: Options): Promise<number> {
  process.once('SIGINT', () => {
    process.stderr.write('\ncauseway: interrupted. Run the same command again to continue.\n');
    process.exit(INTERRUPTED);
  });
  try {
    const { DATA_DIR, DATABASE_URL } = process.env;
    if (DATABASE_URL && DATABASE_URL !== to) {
      throw new Failure('DATABASE_URL is set, so this instance does not use SQLite. Unset it to copy from DATA_DIR');
    }
    const { dataDir } = readConfig({ DATA_DIR }, 'cloud');
    const { copyDatabase } = await import('./copy.js');
    const { Progress } = await import('./progress.js');
    const copy = await copyDatabase(dataDir, to, new Progress());
    process.stdout.write(json ? `${JSON.stringify(copy, null, 2)}\n` : asText(copy, dataDir));
    return 0;
  } catch (error) {
    throw await failureOf(error);
  }
}

async function failureOf(error: unknown): Promise<unknown> {
  if (error instanceof StartError) return new Failure(error.message, error.exitCode);
  const { isRefusedByPostgres } = await import('./target.js');
  const { isDriverUnavailable } = await import('../../infra/database/faults.js');
  if (!isRefusedByPostgres(error) && !isDriverUnavailable(error)) return error;
  const { message } = error as Error;
  return new Failure(`the copy stopped at an error of --to: ${message}. Run the same command again to continue`);
}

function asText({ tables, rows, replaced }: Copy, dataDir: string): string {
  const lines = [
    `Copied ${rows} rows of ${tables} tables. Both databases have the same rows.`,
    ...(replaced > 0 ? [`${replaced} values had the character U+0000, which is now U+FFFD.`] : []),
    '',
    'Next steps:',
    '1. Set DATABASE_URL to the URL of --to, and start the instance.',
    `2. Keep DATA_DIR at ${dataDir}: files and mails stay there. Files in a bucket stay in the bucket.`,
    '3. To run several processes, also set REDIS_URL (docs/operations.md, "Several processes").',
    '4. Back up PostgreSQL from now on.',
    `Bots identify again. When the instance works, delete causeway.db and the files causeway.db-* there.`,
  ];
  return `${lines.join('\n')}\n`;
}
