import type { Command } from 'commander';
import { examples } from '../examples.js';
import { addApplyCommand } from './apply.js';
import { addExportCommand } from './export.js';
import { addPlanCommand } from './plan.js';
import { addSchemaCommand } from './schema.js';
import { addValidateCommand } from './validate.js';

export function addAppCommand(program: Command): void {
  const app = program
    .command('app')
    .summary('manage an application as a file')
    .description('Exports an application to a file, and applies the file: settings, global commands and webhooks.')
    .addHelpText(
      'after',
      examples(
        ['causeway app export', 'write causeway.app.yaml'],
        ['causeway app plan', 'show what a changed file would do'],
        ['causeway app apply', 'apply it'],
      ),
    );
  for (const add of [addExportCommand, addValidateCommand, addPlanCommand, addApplyCommand, addSchemaCommand]) add(app);
}
