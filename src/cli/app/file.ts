import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.js';
import type { Refusal } from '../remote/graphql.js';
import type { ServerOptions } from '../remote/options.js';
import { type Fault, readYaml, type YamlFile } from './yaml-file.js';

/** In the place of a path. */
export const TO_STDOUT = '-';

/** @throws {Failure} if the file cannot be read */
export async function readFileAt(path: string): Promise<YamlFile | { faults: Fault[] }> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Failure(`${path} could not be read: ${error instanceof Error ? error.message : error}`);
  });
  return readYaml(text);
}

/** @throws {Failure} if the file is not YAML */
export async function readValidFile(path: string): Promise<YamlFile> {
  const file = await readFileAt(path);
  if ('faults' in file) throw faulty(path, file.faults);
  return file;
}

export function faulty(path: string, faults: readonly Fault[]): Failure {
  return new Failure(`${path} is not valid, and nothing was changed\n${faultLines(path, faults)}`);
}

/** In the form that editors and terminals turn into links. */
export function faultLines(path: string, faults: readonly Fault[]): string {
  const inOrder = faults.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  const lines = inOrder.map(({ line, path: field, message }) => {
    const place = line === null ? path : `${path}:${line}`;
    return `  ${place}: ${field === '' ? '' : `${field}: `}${message}`;
  });
  return lines.join('\n');
}

/** Faults of the sent file, by their lines. */
export function faultsIn({ fields }: Refusal, file: YamlFile): Fault[] {
  return Object.entries(fields).flatMap(([path, faults]) => {
    const field = path.replace(/^file\.?/, '');
    return faults.map(({ message }) => ({ line: file.lineOf(field), path: field, message }));
  });
}

/** @throws {Failure} if neither the option nor the file names one */
export function applicationOf({ application, file }: ServerOptions, { content }: YamlFile): string {
  const named =
    application ?? (typeof content === 'object' && content !== null ? Reflect.get(content, 'application') : null);
  if (named !== null && named !== undefined) return String(named);
  throw new Failure(`${file} names no application; add the line "application: ID", or pass --application ID`);
}
