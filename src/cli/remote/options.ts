import { type Command, Option } from 'commander';
import { Failure } from '../failure.js';

export const FILE_NAME = 'causeway.app.yaml';

const DEFAULT_URL = 'http://localhost:4000';

export const USAGE_ERROR = 2;

export interface FileOptions {
  file: string;
}

export interface ServerOptions extends FileOptions {
  url: string;
  token?: string;
  application?: string;
}

export function withFile(command: Command): Command {
  return command.option('--file <path>', 'the file of the application', FILE_NAME);
}

export function withServer(command: Command): Command {
  return withFile(command)
    .option('--application <id>', 'the application; by default the one that the file names')
    .addOption(new Option('--url <url>', 'address of the instance').env('CAUSEWAY_URL').default(DEFAULT_URL))
    .addOption(
      new Option('--token <token>', 'personal token; other users of this machine can see options').env(
        'CAUSEWAY_TOKEN',
      ),
    );
}

/** @throws {Failure} */
export function requireToken({ token = '', url }: Pick<ServerOptions, 'token' | 'url'>): string {
  if (token.trim() !== '') return token.trim();
  throw new Failure(`set CAUSEWAY_TOKEN to a personal token, which you create at ${accountPage(url)}`, USAGE_ERROR);
}

export function accountPage(url: string): string {
  return `${url.replace(/\/+$/, '')}/portal/account`;
}
