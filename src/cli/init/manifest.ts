import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { StartError } from '../../config.js';

const Texts = z.record(z.string(), z.string());

const Manifest = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  private: z.boolean().optional(),
  type: z.string().optional(),
  engines: Texts.optional(),
  scripts: Texts.default({}),
  dependencies: Texts.default({}),
  devDependencies: Texts.default({}),
});

/** A `package.json`. */
export type Manifest = z.infer<typeof Manifest>;

/** @throws if it is not one */
export function parseManifest(json: string): Manifest {
  return Manifest.parse(JSON.parse(json));
}

/**
 * @returns null if the file does not exist
 * @throws {StartError}
 */
export async function readManifest(file: string): Promise<Manifest | null> {
  try {
    return parseManifest(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StartError(`${file} is not valid. Correct it, or name another folder: ${reason}`);
  }
}

/** The project keeps its fields and dependencies. Its scripts, and the settings that they need, are the template's. */
export function mergeManifests(template: Manifest, own: Manifest | null): Manifest {
  if (own === null) return template;
  return {
    ...template,
    ...own,
    type: template.type,
    scripts: { ...own.scripts, ...template.scripts },
    dependencies: { ...template.dependencies, ...own.dependencies },
    devDependencies: { ...template.devDependencies, ...own.devDependencies },
  };
}
