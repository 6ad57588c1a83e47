import { Failure } from '../failure.js';
import { askServer } from '../remote/graphql.js';
import type { ServerOptions } from '../remote/options.js';
import { readFileAt, TO_STDOUT } from './file.js';

const OWN = 'query OwnApplications { applications { id name } }';

/**
 * The application of `--application` or of the file, otherwise the only one of the caller.
 * @throws {Failure} if there is none, or several
 */
export async function chooseApplication(options: ServerOptions): Promise<string> {
  return options.application ?? (await namedIn(options.file)) ?? onlyOne(options);
}

async function namedIn(path: string): Promise<string | undefined> {
  const file = path === TO_STDOUT ? null : await readFileAt(path).catch(() => null);
  const content = file && 'content' in file ? file.content : null;
  const named: unknown =
    typeof content === 'object' && content !== null ? Reflect.get(content, 'application') : undefined;
  return named === undefined || named === null ? undefined : String(named);
}

async function onlyOne(options: ServerOptions): Promise<string> {
  const { applications } = await askServer<{ applications: { id: string; name: string }[] }>(options, OWN, {});
  const [first, ...others] = applications;
  if (!first) throw new Failure(`you have no application at ${options.url}`);
  if (others.length === 0) return first.id;
  const lines = applications.map(({ id, name }) => `  ${id}  ${name}`);
  throw new Failure(`pass --application with one of these IDs\n${lines.join('\n')}`);
}
