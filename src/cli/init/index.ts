import { relative } from 'node:path';
import type { Command } from 'commander';
import { examples } from '../examples.js';

interface InitFlags {
  causeway?: string;
}

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('make a bot project with a command, a test and a CI job')
    .description(
      'Makes a project in TypeScript with discord.js that runs and tests its bot in a sandbox. The folder may contain ' +
        'a package.json, which keeps its dependencies. After `npm install`, the project works offline.',
    )
    .option('--causeway <spec>', 'the version, address or tarball of this package; without it, the installed one')
    .argument('[folder]', 'the folder of the project', '.')
    .addHelpText(
      'after',
      examples(
        ['npx --no causeway init', 'in a folder where only this package is installed'],
        ['causeway init lunch-bot', 'in a new folder'],
        ['causeway init lunch-bot --causeway ./causeway.tgz', 'with the package of a tarball'],
      ),
    )
    .action(async (folder: string, { causeway }: InitFlags) => {
      const { exitAfter } = await import('../../program.js');
      await exitAfter(async () => {
        const { createProject } = await import('./project.js');
        const name = await createProject(folder, causeway);
        process.stdout.write(describeNextSteps(name, relative('.', folder)));
      });
    });
}

function describeNextSteps(name: string, folder: string): string {
  const enter = folder === '' ? '' : `  cd ${folder}\n`;
  return `Created ${name}.

Next:

${enter}  npm install
  npm test      run the test
  npm run dev   run the bot in a sandbox, and restart it when a file changes
`;
}
