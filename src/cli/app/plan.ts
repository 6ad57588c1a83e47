import type { Command } from 'commander';
import { examples } from '../examples.js';
import { exitWith } from '../failure.js';
import { type ServerOptions, withServer } from '../remote/options.js';
import { applicationOf, readValidFile } from './file.js';
import { hasChanges, planText, sendFile } from './plans.js';

interface Options extends ServerOptions {
  exitCode?: true;
  json?: true;
}

const CHANGES_EXIT_CODE = 3;

export function addPlanCommand(app: Command): void {
  withServer(app.command('plan'))
    .summary('show what applying the file would change')
    .description('Shows what `causeway app apply` would change, and which command permissions servers would lose.')
    .option('--exit-code', `end with status ${CHANGES_EXIT_CODE} if there are changes`)
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      examples(
        ['causeway app plan', 'compare causeway.app.yaml with the application'],
        ['causeway app plan --exit-code', 'fail in CI if the two differ'],
      ),
    )
    .action((options: Options) =>
      exitWith(async () => {
        const file = await readValidFile(options.file);
        const { application, plan } = await sendFile(options, applicationOf(options, file), file, { dryRun: true });
        const isChanging = hasChanges(plan);
        const text = isChanging
          ? `Plan for ${application.name} (${application.id}):\n\n${planText(plan)}`
          : `No changes: ${application.name} (${application.id}) matches ${options.file}.`;
        const shown = options.json ? JSON.stringify({ application, hasChanges: isChanging, plan }, null, 2) : text;
        process.stdout.write(`${shown}\n`);
        return options.exitCode && isChanging ? CHANGES_EXIT_CODE : 0;
      }),
    );
}
