import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, StartError } from './config.js';

/** By Node's error code. */
const START_FAULTS: Record<string, (error: Error & { port?: number; address?: string }) => string> = {
  EADDRINUSE: ({ port }) =>
    `port ${port} is already in use; stop the program that uses it, or set PORT to another port (0 picks a free one)`,
  EADDRNOTAVAIL: ({ address }) =>
    `this machine does not have the address ${address}; set HOST to an address of this machine`,
  ENOTFOUND: ({ message }) => `the host name in HOST could not be resolved: ${message}`,
  EACCES: ({ message }) => `permission denied: ${message}`,
};

/** Null for unexpected errors. */
export function describeStartFault(error: unknown): string | null {
  if (error instanceof StartError) return error.message;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return START_FAULTS[error.code]?.(error) ?? null;
  }
  return null;
}

/** Reports a busy port before opening anything else. */
export async function tryAddress({ host, port, socketFd, metricsPort }: Config): Promise<void> {
  if (socketFd === null) await tryPort(host, port);
  if (metricsPort === null) return;
  try {
    await tryPort(host, metricsPort);
  } catch (cause) {
    throw new StartError(`METRICS_PORT ${metricsPort} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

async function tryPort(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  await new Promise((resolve) => probe.close(resolve));
}
