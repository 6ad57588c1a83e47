import { ConfigError, type Mode } from './config.js';
import { exitAfter, runServer } from './program.js';

/** @throws {ConfigError} */
function readMode(args: readonly string[]): Mode {
  const [first, second] = args;
  if (first === undefined) return 'cloud';
  if (first === 'box' && second === undefined) return 'box';
  const unknown = first === 'box' ? second : first;
  throw new ConfigError([`unknown argument ${unknown}: settings are environment variables, see docs/configuration.md`]);
}

void exitAfter(() => runServer(readMode(process.argv.slice(2))));
