import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, StartError } from '../config.js';
import type { AppContext } from '../context.js';
import { DomainError, describeFaults } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import { systemClock } from '../infra/clock.js';
import { randomToken } from '../infra/crypto/secrets.js';
import { packageRoot } from '../infra/package-root.js';
import { createServer } from '../server.js';
import { SandboxClock } from './clock.js';
import { createControlEntrypoint } from './entrypoint.js';
import { interceptBoxes } from './interceptors/boxes.js';
import { interceptEndpoints } from './interceptors/endpoints.js';
import { interceptGateway } from './interceptors/gateway.js';
import { interceptRest } from './interceptors/rest.js';
import { CONTROL_PATH } from './openapi.js';
import type { WorldDescription } from './protocol.js';
import { createClockedRateLimits } from './rate-limits.js';
import { Sandbox } from './sandbox.js';
import { WorldLimits } from './world-limits.js';
import { describeWorld } from './worlds/describe.js';
import { Seed } from './worlds/seed.js';

export interface SandboxOptions {
  /** 0 picks a free one. */
  port: number;
  /** Default: a random one. */
  token?: string | undefined;
  /** A SQLite file with all migrations, which makes the start faster. Default: the one of the build, if there is one. */
  database?: string | undefined;
  /** Settings of the instance, of which only some apply. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface RunningSandbox {
  origin: string;
  /** Of the control API. */
  url: string;
  /** Of the page that controls the sandbox. Contains the token. */
  page: string;
  token: string;
  app: AppContext;
  /** @throws {StartError} for an invalid seed */
  createWorld(seed: unknown): Promise<WorldDescription>;
  /** The calls of bots to routes that do not exist; null if there were none. */
  unknownRoutes(): string | null;
  /** Also removes its data. */
  stop(): Promise<void>;
}

/** `scripts/prepared-database.mjs` makes it. */
const PREPARED = join(packageRoot(), 'dist/prepared.db');

/**
 * Starts the platform with the control API and data that its end removes.
 * @throws {StartError}
 */
export async function startSandbox({
  port,
  token = randomToken(24),
  database = PREPARED,
  env = {},
}: SandboxOptions): Promise<RunningSandbox> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-sandbox-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    if (existsSync(database)) await copyFile(database, join(dataDir, 'causeway.db'));
    const settings = {
      LOG_LEVEL: 'warn',
      BUILT_IN_COMMANDS: 'off',
      DRAIN_TIMEOUT_MS: '4000',
      ...settingsIn(env),
    };
    const config = readConfig({ ...settings, PORT: String(port), DATA_DIR: dataDir });
    const clock = new SandboxClock();
    const limits = new WorldLimits(createClockedRateLimits(clock));
    const sandbox = new Sandbox(clock, limits, { clock, database, env: settings });
    const server = await createServer(config, {
      clock,
      connectionClock: systemClock,
      limits,
      entrypoints: (app) => {
        sandbox.attach(app);
        return [createControlEntrypoint(sandbox, token)];
      },
      interceptors: {
        rest: interceptRest(sandbox),
        gateway: interceptGateway(sandbox),
        endpoints: interceptEndpoints(sandbox),
        boxes: interceptBoxes(sandbox),
      },
    });
    const origin = await server.start();
    return {
      origin,
      url: `${origin}${CONTROL_PATH}`,
      page: `${origin}${CONTROL_PATH}/#token=${token}`,
      token,
      app: server.app,
      createWorld: (seed) => createWorld(sandbox, seed),
      unknownRoutes: () => sandbox.unknownRoutes.describe(),
      async stop() {
        for (const { faults } of sandbox.worlds) faults.clear();
        await Promise.all(sandbox.worlds.map(({ box }) => box?.dispose()));
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function createWorld(sandbox: Sandbox, seed: unknown): Promise<WorldDescription> {
  try {
    return await describeWorld(await sandbox.createWorld(parseInput(Seed, seed)), sandbox.connections);
  } catch (error) {
    throw error instanceof DomainError ? new StartError(`the seed is invalid: ${describeFaults(error)}`) : error;
  }
}

/** The others would keep data, or use services of another installation. */
const SETTINGS = ['LOG_LEVEL', 'BUILT_IN_COMMANDS'];

function settingsIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(SETTINGS.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
