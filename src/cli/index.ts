import { Command } from 'commander';
import { readManifest } from '../infra/package-root.js';
import { addAdminCommand } from './admin/index.js';
import { addAppCommand } from './app/index.js';
import { addBoxCommand } from './box.js';
import { addDoctorCommand } from './doctor.js';
import { addInitCommand } from './init/index.js';
import { addListenCommand } from './listen/index.js';
import { addLogsCommand } from './logs.js';
import { addPortDbCommand } from './port-db/index.js';
import { addSandboxCommand } from './sandbox.js';
import { addStartCommand } from './start.js';
import { addTriggerCommand } from './trigger/index.js';

/** A command imports what it runs when it runs, so that help and usage errors appear at once. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  addStartCommand,
  addBoxCommand,
  addSandboxCommand,
  addInitCommand,
  addAppCommand,
  addListenCommand,
  addTriggerCommand,
  addLogsCommand,
  addAdminCommand,
  addDoctorCommand,
  addPortDbCommand,
];

const USAGE_ERROR = 2;

const EXIT_CODES: [code: number, meaning: string][] = [
  [0, 'the command succeeded'],
  [1, 'the command failed; the error says what to do'],
  [USAGE_ERROR, 'usage error: an unknown command, option or argument'],
  [3, 'there are changes (`causeway app plan --exit-code`)'],
  [78, 'the cloud refused this box for good; do not restart it'],
  [130, 'interrupted; run `causeway port-db` again to continue it'],
];

const SETTINGS = 'Settings are environment variables: docs/configuration.md lists them.';

/** The `causeway` program. It ends the process after help and usage errors. */
export function createProgram(): Command {
  const exitCodes = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`);
  const program = new Command('causeway')
    .description('The bot and app platform of a chat service.')
    .version(readManifest().version)
    .addHelpText('after', ['', 'Exit codes:', ...exitCodes, '', SETTINGS].join('\n'))
    .showHelpAfterError('Run `causeway --help`, or `causeway COMMAND --help`.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'causeway:')) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR));
  for (const add of COMMANDS) add(program);
  return program;
}
