import { type Mode, misspeltSettings, readConfig, StartError } from './config.js';
import type { Server } from './server.js';
import { describeStartFault, tryAddress } from './start.js';

/** A umask that hides password hashes, messages and mails from other users. */
const FOR_THE_OWNER_ONLY = 0o077;

/** Time beyond `DRAIN_TIMEOUT_MS` after which the process ends in any case. */
const GRACE_MS = 1_000;

/** Repeated signals within this time are ignored: npm repeats Ctrl-C. */
const ONE_WISH_MS = 500;

/** A second signal ends the process immediately. */
function nextSignal(drainTimeoutMs: number): Promise<NodeJS.Signals> {
  const deadlineMs = drainTimeoutMs + GRACE_MS;
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
  return new Promise((resolve) => {
    const begin = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, begin).on(name, ignore);
      setTimeout(() => signals.forEach((name) => void process.off(name, ignore)), ONE_WISH_MS);
      setTimeout(() => fail(`shutdown did not finish within ${deadlineMs / 1000} s of ${signal}`), deadlineMs);
      resolve(signal);
    };
    for (const name of signals) process.on(name, begin);
  });
}

function ignore(): void {}

function fail(reason: string, exitCode = 1): void {
  process.stderr.write(`causeway: ${reason}\n`);
  process.exit(exitCode);
}

/**
 * Runs the platform until a signal or its cloud ends it.
 * @throws {StartError} with what to do
 */
export async function runServer(mode: Mode): Promise<void> {
  const config = readConfig(process.env, mode);
  process.umask(FOR_THE_OWNER_ONLY);
  const signalled = nextSignal(config.drainTimeoutMs);
  await tryAddress(config);
  // Imported late, so that configuration errors appear immediately.
  const { awaitStores } = await import('./infra/processes/await-stores.js');
  const interrupted = new AbortController();
  void signalled.then(() => interrupted.abort());
  await awaitStores(config, interrupted.signal);
  if (interrupted.signal.aborted) return;
  const { createServer } = await import('./server.js');
  const starting = createServer(config);
  // An unenrolled box may wait for its cloud indefinitely.
  const server = config.box ? await Promise.race([starting, signalled.then(() => null)]) : await starting;
  if (server === null) return;
  const { log } = server.app;
  for (const [given, meant] of misspeltSettings()) log.warn(`${given} is not a setting; did you mean ${meant}?`);
  const origin = await server.start();
  const { operationsUrl: operations, listeningAt } = server.app.addresses;
  const aside = config.publicUrl === `http://localhost:${config.port}` ? '' : ` (listening at ${listeningAt})`;
  log.info(
    {
      origin,
      operations,
      graphql: `${origin}/graphql`,
      rest: `${origin}/api/v10`,
      gateway: server.app.addresses.gatewayUrl,
    },
    `ready at ${origin}${aside}`,
  );
  void showSetupPage(server);
  const end = await Promise.race([signalled, server.refused]);
  if (end instanceof Error) log.error(`stopping: ${end.message}`);
  else log.info({ signal: end }, 'stopping');
  await server.stop();
  log.info('stopped');
  if (end instanceof Error) throw end;
}

/** A failure is only logged: it must not end a process that serves. */
async function showSetupPage({ app: { log }, setupPage }: Server): Promise<void> {
  try {
    const page = await setupPage();
    if (page !== null) log.info(`This instance has no operator yet. To become the first one, open ${page}`);
  } catch (error) {
    log.warn({ err: error }, 'Could not look for an operator of this instance');
  }
}

/** Ends the process after `work`, with `process.exitCode` or that of an error. Only bugs are reported with a stack. */
export async function exitAfter(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    process.exit();
  } catch (error) {
    fail(
      describeStartFault(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
      error instanceof StartError ? error.exitCode : 1,
    );
  }
}
