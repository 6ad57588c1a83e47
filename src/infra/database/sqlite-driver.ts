import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { StartError } from '../../config.js';
import { packageRoot } from '../package-root.js';

const require = createRequire(import.meta.url);

interface ConnectionOptions {
  /** Such as `file:/path`. */
  url: string;
  readonly?: boolean;
  /** Longest wait for a lock, in milliseconds. It blocks the event loop. */
  timeout?: number;
}

/** @throws {StartError} if no binary of the driver fits this machine */
export function betterSqlite3(options: ConnectionOptions): PrismaBetterSqlite3 {
  return new PrismaBetterSqlite3({ ...options, nativeBinding: nativeBinding() });
}

let found: string | undefined;

/**
 * Path of the driver's binary.
 * @throws {StartError} if none fits this machine
 */
export function nativeBinding(): string {
  found ??= findBinding({
    machine: thisMachine(),
    carried: carriedDriver(),
    installed: installedDriver(),
    load: require,
  });
  return found;
}

/** A version of Node.js on a platform. Binaries need the same ABI (`NODE_MODULE_VERSION`). */
export interface Machine {
  platform: string;
  arch: string;
  node: string;
  abi: string;
}

/** The driver in the build (`scripts/bundle.mjs`). */
export interface CarriedDriver {
  version: string;
  binaries: { machine: Machine; path: string }[];
}

/** The package better-sqlite3 that modules of this package resolve. */
export interface InstalledDriver {
  version: string;
  folder: string;
}

interface Candidates {
  machine: Machine;
  /** Null for a program that runs from its source. */
  carried: CarriedDriver | null;
  installed: InstalledDriver | null;
  /** Throws if the binary does not fit. */
  load(path: string): unknown;
}

/** @throws {StartError} */
export function findBinding({ machine, carried, installed, load }: Candidates): string {
  const faults: string[] = [];
  const fits = (path: string) => {
    try {
      load(path);
      return true;
    } catch (error) {
      faults.push(`${path} cannot be loaded: ${(error as Error).message.replaceAll(/\s*\n\s*/g, ' ')}`);
      return false;
    }
  };
  const own = carried?.binaries.find((binary) => isSame(binary.machine, machine));
  if (own && fits(own.path)) return own.path;
  const isUsable = installed && (carried === null || installed.version === carried.version);
  if (isUsable) {
    const path = join(installed.folder, 'build/Release/better_sqlite3.node');
    if (fits(path)) return path;
  } else if (installed) faults.push(`${installed.folder} has version ${installed.version}`);
  const lines = [
    `no driver for SQLite fits ${nameOf(machine)}`,
    ...(carried ? [carriedText(carried)] : []),
    ...faults,
    adviceOf(carried, isUsable ? installed : null),
  ];
  throw new StartError(lines.join('\n  '));
}

function isSame(one: Machine, other: Machine): boolean {
  return one.platform === other.platform && one.arch === other.arch && one.abi === other.abi;
}

function nameOf({ platform, arch, node, abi }: Machine): string {
  return `${platform}-${arch} with Node.js ${node} (ABI ${abi})`;
}

function carriedText({ version, binaries }: CarriedDriver): string {
  if (binaries.length === 0) return `Causeway contains no binary of better-sqlite3 ${version}`;
  return `Causeway contains better-sqlite3 ${version} for ${binaries.map(({ machine }) => nameOf(machine)).join(', ')}`;
}

function adviceOf(carried: CarriedDriver | null, installed: InstalledDriver | null): string {
  if (installed)
    return 'run `npm rebuild better-sqlite3` with this Node.js, or start Causeway with the one it was installed with';
  if (carried === null) return 'run `npm ci`';
  const other = carried.binaries.length > 0 ? 'start Causeway on one of these, or ' : '';
  return `${other}run \`npm install better-sqlite3@${carried.version}\` in the folder where Causeway is installed, which downloads or compiles the driver`;
}

function thisMachine(): Machine {
  const { platform, arch, versions } = process;
  return { platform, arch, node: versions.node, abi: versions.modules };
}

declare global {
  interface ImportMeta {
    /** Version of the better-sqlite3 in a bundle (`scripts/bundle.mjs`). Undefined for a program that is not bundled. */
    readonly bundledDriver?: string;
  }
}

/** Such as `linux-x64-node20-abi115.node`. */
const BINARY = /^(\w+)-(\w+)-node(\d+)-abi(\d+)\.node$/;

function carriedDriver(): CarriedDriver | null {
  const version = import.meta.bundledDriver;
  if (version === undefined) return null;
  const folder = join(packageRoot(), 'dist/native');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const binaries = names.flatMap((name) => {
    const [, platform, arch, node, abi] = BINARY.exec(name) ?? [];
    if (!platform || !arch || !node || !abi) return [];
    return [{ machine: { platform, arch, node, abi }, path: join(folder, name) }];
  });
  return { version, binaries };
}

function installedDriver(): InstalledDriver | null {
  try {
    const manifest = require.resolve('better-sqlite3/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return { version, folder: dirname(manifest) };
  } catch {
    return null;
  }
}
