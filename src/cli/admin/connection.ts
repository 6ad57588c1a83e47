import { type IncomingMessage, request } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { Failure } from '../failure.js';
import { askServer, dataOf, type GraphqlError, NoAnswer, Refusal, readAnswer } from '../remote/graphql.js';
import { USAGE_ERROR } from '../remote/options.js';

/** Options of every command of `causeway admin`. */
export interface AdminOptions {
  url?: string;
  token?: string;
  dataDir: string;
  json?: true;
}

export function withInstance(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of an instance elsewhere; needs a token').env('CAUSEWAY_URL'))
    .addOption(
      new Option('--token <token>', 'personal token for operators; other users of this machine can see options').env(
        'CAUSEWAY_TOKEN',
      ),
    )
    .addOption(
      new Option('--data-dir <path>', 'data folder of the instance on this machine').env('DATA_DIR').default('./data'),
    )
    .option('--json', 'print JSON with the fields of GraphQL');
}

/**
 * Asks the instance at `--url`, or else the one of the data folder.
 * @throws {Refusal} @throws {NoAnswer} @throws {Failure} also for a token without an address
 */
export async function askInstance<Data>(options: AdminOptions, query: string, variables: object = {}): Promise<Data> {
  const { url, token } = options;
  if (url) return askServer<Data>({ url, ...(token === undefined ? {} : { token }) }, query, variables);
  if (token)
    throw new Failure(
      'set CAUSEWAY_URL to act with the token, or unset CAUSEWAY_TOKEN to act on this machine',
      USAGE_ERROR,
    );
  const response = await send(options, 'POST', '/graphql', JSON.stringify({ query, variables }));
  return dataOf<Data>(readAnswer(await text(response), SOURCE, response.statusCode ?? 0), SOURCE, asRefusal);
}

const SOURCE = 'the instance';

function asRefusal({ message, extensions: { code = '', fields } = {} }: GraphqlError): Refusal {
  return new Refusal(message, code, fields);
}

/**
 * Opens a signed URL of the instance.
 * @throws {NoAnswer} @throws {Failure}
 */
export async function download(options: AdminOptions, address: string): Promise<AsyncIterable<Uint8Array>> {
  const { pathname, search, host } = new URL(address);
  if (!options.url) {
    const response = await send(options, 'GET', pathname + search);
    if (response.statusCode === 200) return response;
    throw new Failure(`the download failed with status ${response.statusCode}: ${await text(response)}`);
  }
  const response = await fetch(address).catch(() => {
    throw new NoAnswer(`${host} could not be reached`);
  });
  if (response.ok && response.body) return response.body;
  throw new Failure(`the download failed with status ${response.status}: ${await response.text()}`);
}

/** Through the socket of the running instance. @throws {NoAnswer} */
function send(options: AdminOptions, method: string, path: string, body?: string): Promise<IncomingMessage> {
  const socketPath = join(options.dataDir, 'admin.sock');
  const headers = { host: 'localhost', 'content-type': 'application/json', accept: 'application/json' };
  return new Promise((onResponse, onError) => {
    request({ socketPath, method, path, headers }, onResponse)
      .once('error', (error: NodeJS.ErrnoException) => onError(new NoAnswer(reasonOf(error, socketPath))))
      .end(body);
  });
}

const ELSEWHERE = '; set DATA_DIR or --data-dir to that of the instance, or --url and CAUSEWAY_TOKEN for one elsewhere';

function reasonOf({ code, message }: NodeJS.ErrnoException, socketPath: string): string {
  const path = resolve(socketPath);
  switch (code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return `no instance runs with this data folder (${path})${ELSEWHERE}`;
    case 'EACCES':
    case 'EPERM':
      return `${path} belongs to another user; run the command as the user of the instance`;
    default:
      return `the instance did not answer at ${path}: ${message}`;
  }
}
