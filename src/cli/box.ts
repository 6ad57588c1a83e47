import type { Command } from 'commander';
import { examples } from './examples.js';

export function addBoxCommand(program: Command): void {
  program
    .command('box')
    .summary('run a self-hosted server that belongs to a cloud')
    .description('Runs a box until SIGINT or SIGTERM. Its first start needs the enrolment token from the portal.')
    .addHelpText(
      'after',
      examples(
        ['CLOUD_URL=https://cloud.example BOX_TOKEN=… causeway box', 'enrol the box and run it'],
        ['CLOUD_URL=https://cloud.example causeway box', 'run it again'],
      ),
    )
    .action(async () => {
      const { exitAfter, runServer } = await import('../program.js');
      await exitAfter(() => runServer('box'));
    });
}
