import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError, readConfig, StartError } from './config.js';

/** Faults that need one clear line for whoever started the process, by Node's error code. */
const START_FAULTS: Record<string, (error: Error & { port?: number; address?: string }) => string> = {
  EADDRINUSE: ({ port }) =>
    `port ${port} is already in use; stop what listens there, or set PORT to another (0 picks one)`,
  EADDRNOTAVAIL: ({ address }) => `this machine has no address ${address}; set HOST to one it has`,
  ENOTFOUND: ({ message }) => `the host name of HOST is not known here: ${message}`,
  EACCES: ({ message }) => `not permitted: ${message}`,
};

function describeStartFault(error: unknown): string | null {
  if (error instanceof StartError) return error.message;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return START_FAULTS[error.code]?.(error) ?? null;
  }
  return null;
}

/** Tries the address before anything else is opened, so that a busy port is the first thing to be told. */
async function tryAddress({ host, port }: Config): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  await new Promise((resolve) => probe.close(resolve));
}

/** How long after a signal the process ends whatever still runs, in milliseconds. */
const END_DEADLINE_MS = 10_000;

/** Signals that follow within this time are the same wish: a shell's Ctrl-C comes from the terminal and again from npm. */
const ONE_WISH_MS = 500;

/** The first SIGTERM or SIGINT, which begins an orderly end. A later one of either kind ends the process at once. */
function nextSignal(): Promise<NodeJS.Signals> {
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
  return new Promise((resolve) => {
    const begin = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, begin).on(name, ignore);
      setTimeout(() => signals.forEach((name) => void process.off(name, ignore)), ONE_WISH_MS);
      setTimeout(() => fail(`not everything ended within ${END_DEADLINE_MS / 1000} s of ${signal}`), END_DEADLINE_MS);
      resolve(signal);
    };
    for (const name of signals) process.on(name, begin);
  });
}

function ignore(): void {}

function fail(reason: string): void {
  process.stderr.write(`causeway: ${reason}\n`);
  process.exit(1);
}

async function run(): Promise<void> {
  if (process.argv.length > 2) {
    throw new ConfigError([`unknown argument ${process.argv[2]}: settings are environment variables, see the README`]);
  }
  const config = readConfig();
  const signalled = nextSignal();
  await tryAddress(config);
  // Loaded only now, so that a mistake in the configuration is answered at once.
  const { createServer: assemble } = await import('./server.js');
  const server = await assemble(config);
  const { log } = server.app;
  const origin = await server.start();
  log.info(
    { origin, graphql: `${origin}/graphql`, rest: `${origin}/api/v10`, gateway: server.app.addresses.gatewayUrl },
    `ready at ${origin}`,
  );
  const signal = await signalled;
  log.info({ signal }, 'stopping');
  await server.stop();
  log.info('stopped');
}

run().then(
  () => process.exit(0),
  (error: unknown) =>
    fail(describeStartFault(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))),
);
