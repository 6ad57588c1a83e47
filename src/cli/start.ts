import type { Command } from 'commander';
import { examples } from './examples.js';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .summary('run the platform')
    .description('Runs the platform until SIGINT or SIGTERM. Its data is in DATA_DIR, which is ./data by default.')
    .addHelpText(
      'after',
      examples(
        ['causeway start', 'serve http://localhost:4000'],
        ['PORT=8080 DATA_DIR=/var/lib/causeway causeway start', 'use another port and folder'],
      ),
    )
    .action(async () => {
      const { exitAfter, runServer } = await import('../program.js');
      await exitAfter(() => runServer('cloud'));
    });
}
