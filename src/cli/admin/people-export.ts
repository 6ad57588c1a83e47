import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { examples } from '../examples.js';
import { Failure } from '../failure.js';
import { type ActOptions, run, withReason } from './act.js';
import { askInstance, download, withInstance } from './connection.js';
import { findPerson } from './find.js';
import { print } from './output.js';

interface ExportOptions extends ActOptions {
  output?: string;
}

interface Exported {
  operatorExportPerson: { url: string; expiresAt: string };
}

const EXPORT = `mutation ($personId: ID!, $reason: String!) {
  operatorExportPerson(input: { personId: $personId, reason: $reason }) { url expiresAt }
}`;

const FOR_THE_OWNER_ONLY = 0o600;

export function addExportCommand(people: Command): void {
  withReason(withInstance(people.command('export')))
    .description('Writes the data of a person to a new ZIP archive.')
    .argument('<person>', 'ID, username or email address')
    .option('--output <file>', 'the archive; default: ID.zip in this folder')
    .addHelpText(
      'after',
      examples(['causeway admin people export ada --reason "asked for it" --output ada.zip', 'write ada.zip']),
    )
    .action((given: string, options: ExportOptions) =>
      run(async () => {
        const { id, name } = await findPerson(options, given);
        const { output = `${id}.zip`, reason } = options;
        if (existsSync(output)) throw new Failure(`${output} exists; remove it, or pass --output with another name`);
        const { operatorExportPerson } = await askInstance<Exported>(options, EXPORT, { personId: id, reason });
        await save(await download(options, operatorExportPerson.url), output);
        print(options, { personId: id, file: output }, `Wrote the data of ${name} (${id}) to ${output}.`);
      }),
    );
}

/** Leaves no incomplete file. @throws {Failure} */
async function save(archive: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: FOR_THE_OWNER_ONLY });
  let isOpen = false;
  file.once('open', () => {
    isOpen = true;
  });
  try {
    await pipeline(archive, file);
  } catch (error) {
    if (isOpen) await rm(path, { force: true });
    throw new Failure(`${path} could not be written: ${error instanceof Error ? error.message : error}`);
  }
}
