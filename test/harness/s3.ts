import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './ports.js';

export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

const BUCKET = 'uploads';

const PROGRAM = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js');

const KEEPS_FOLDERS = fileURLToPath(new URL('s3-keeps-folders.cjs', import.meta.url));

/** The `BLOB_URL` of a path in the bucket. */
export function blobUrlAt(endpoint: string, path = ''): string {
  return `s3://${BUCKET}/${path}?${new URLSearchParams({ endpoint })}`;
}

export interface S3Server {
  endpoint: string;
  /** The `BLOB_URL` of a path, which separates tests in the same bucket. */
  blobUrl(path?: string): string;
  /** Stops it. Its data stays until {@link S3Server.remove}. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Starts an S3 server for a test, and sets its credentials in this process. */
export async function startS3(): Promise<S3Server> {
  Object.assign(process.env, S3_CREDENTIALS);
  const directory = await mkdtemp(join(tmpdir(), 'causeway-s3-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let running: ChildProcess | null = null;
  const start = async () => {
    running = await listening(['-d', directory, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', BUCKET]);
  };
  const stop = async () => {
    if (!running) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    running = null;
    await exited;
  };
  await start();
  return {
    endpoint,
    blobUrl: (path) => blobUrlAt(endpoint, path),
    start,
    stop,
    async remove() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** It encrypts its list tokens with a cipher that OpenSSL counts as legacy. */
async function listening(args: string[]): Promise<ChildProcess> {
  // Its errors go to the output of the test.
  const child = spawn(process.execPath, ['--openssl-legacy-provider', '--require', KEEPS_FOLDERS, PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => line.includes('listening') && resolve());
    child.once('exit', (code) => reject(new Error(`the S3 server ended with ${code} before it listened`)));
  });
  return child;
}
