import type { Command } from 'commander';
import { examples } from '../examples.js';
import { exitWith } from '../failure.js';

export function addSchemaCommand(app: Command): void {
  app
    .command('schema')
    .summary('print the JSON Schema of the file')
    .description('Prints the JSON Schema of the file, with which editors complete and check it.')
    .addHelpText('after', examples(['causeway app schema > causeway.app.schema.json', 'write it for an editor']))
    .action(() =>
      exitWith(async () => {
        const { schemaOfFile } = await import('./schema-of-file.js');
        process.stdout.write(`${JSON.stringify(schemaOfFile())}\n`);
        return 0;
      }),
    );
}
