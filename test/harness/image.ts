import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type ImageSettings, parseDockerfile, type Stage, type Step } from './dockerfile.js';

/**
 * Builds and runs the Dockerfile without a container engine. Its instructions run with `chroot` in overlays of folders,
 * one for each instruction. Like an engine, later runs use a folder again if nothing that leads to it has changed.
 *
 * The base image is Debian from `debootstrap`, with the binary and the headers of Node.js from the registry, and with
 * npm of this machine. It has nothing else of the real base image.
 */

const PROJECT = resolve(import.meta.dirname, '../..');
const CACHE = join(tmpdir(), 'causeway-image');
/** Each process mounts something else there, in a mount namespace of its own. */
const ROOT = join(CACHE, 'root');
const DEBOOTSTRAP = '/usr/sbin/debootstrap';
/** That of debootstrap. */
const MIRROR = 'http://deb.debian.org/debian/';
const WEEK_MS = 7 * 86_400_000;
const SEARCHED = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Folders of an overlay, from the topmost. */
type Layers = string[];

export interface Image {
  layers: Layers;
  settings: ImageSettings;
}

/** The reason why no image can be built here, or null. */
export async function missingForImage(): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  if (!existsSync(DEBOOTSTRAP)) return `no ${DEBOOTSTRAP}`;
  const attempt =
    'mount -t tmpfs tmpfs /mnt && cd /mnt && mkdir u w m && mount -t overlay -o lowerdir=/usr,upperdir=u,workdir=w overlay m';
  const { status } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', attempt]);
  if (status !== 0) return 'this machine refuses to mount overlays';
  const mirror = await fetch(MIRROR, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (!mirror?.ok) return `no answer from ${MIRROR}`;
  const registry = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000']).catch(() => null);
  return registry === null ? 'the registry of npm does not answer' : null;
}

/**
 * Runs the instructions of the Dockerfile that no earlier run has cached.
 * @returns the last stage
 * @throws Error with the output of a failed instruction
 */
export async function buildImage(): Promise<Image> {
  await mkdir(CACHE, { recursive: true, mode: 0o700 });
  if ((await stat(CACHE)).uid !== 0)
    throw new Error(`${CACHE} belongs to another user, whose programs must not run here`);
  await mkdir(ROOT, { recursive: true });
  await removeUnusedLayers();
  const stages = parseDockerfile(await readFile(join(PROJECT, 'Dockerfile'), 'utf8'));
  const built = new Map<string, Layers>();
  let layers: Layers = [];
  for (const stage of stages) {
    layers = await buildStage(stage, built);
    if (stage.name) built.set(stage.name, layers);
  }
  const settings = stages.at(-1)?.image;
  if (!settings) throw new Error('the Dockerfile has no stage');
  return { layers, settings };
}

async function buildStage({ base, steps }: Stage, built: ReadonlyMap<string, Layers>): Promise<Layers> {
  let layers = [await baseImage(base)];
  for (const step of steps) layers = [await layerOf(step, layers, built), ...layers];
  return layers;
}

async function layerOf(step: Step, below: Layers, built: ReadonlyMap<string, Layers>): Promise<string> {
  if (step.kind === 'workdir') {
    return cached([below, step], async (layer) => void (await mkdir(join(layer, step.folder), { recursive: true })));
  }
  if (step.kind === 'run') return cached([below, step], (layer) => runStep(step, below, layer));
  if (step.from !== null) {
    const from = built.get(step.from) ?? [];
    return cached([below, step, from], (layer) => copyFromStage(step, from, layer));
  }
  const files = await contextFiles(step.sources);
  const contents = await Promise.all(files.map((file) => readFile(join(PROJECT, file))));
  return cached([below, step, files, contents.map(digest)], (layer) =>
    copyFiles(files, join(layer, resolve(step.folder, step.target))),
  );
}

/** A folder for everything that `key` names, which `fill` makes unless an earlier run did. */
async function cached(key: unknown, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, digest(JSON.stringify(key)).slice(0, 16));
  if (!existsSync(folder)) {
    const partial = await mkdtemp(join(CACHE, 'part-'));
    try {
      await chmod(partial, 0o755);
      await fill(partial);
      // Another run may have made it in the meantime.
      if (existsSync(folder)) await rm(partial, { recursive: true });
      else await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  }
  await utimes(folder, new Date(), new Date());
  return folder;
}

async function removeUnusedLayers(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const { mtimeMs } = await stat(join(CACHE, name));
    if (Date.now() - mtimeMs > WEEK_MS) await rm(join(CACHE, name), { recursive: true, force: true });
  }
}

/** Stands for `node:MAJOR-SUITE-slim`. A new week has a new one. */
async function baseImage(name: string): Promise<string> {
  const [, major = '', suite = ''] = /^node:(\d+)-(\w+)-slim$/.exec(name) ?? [];
  if (major === '') throw new Error(`nothing stands for the base image ${name}`);
  return cached([name, process.arch, Math.floor(Date.now() / WEEK_MS)], async (folder) => {
    await run(DEBOOTSTRAP, ['--variant=minbase', suite, folder]);
    for (const path of ['var/cache/apt/archives', 'var/lib/apt/lists'])
      await rm(join(folder, path), { recursive: true });
    const local = join(folder, 'usr/local');
    await unpackNode(major, local);
    await run('cp', ['-a', join(await run('npm', ['root', '--global']), 'npm'), join(local, 'lib/node_modules/')]);
    for (const program of ['npm', 'npx']) {
      await symlink(`../lib/node_modules/npm/bin/${program}-cli.js`, join(local, 'bin', program));
    }
  });
}

/** The registry has Node.js as a package for each kind of machine. */
async function unpackNode(major: string, folder: string): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`;
  const versions = JSON.parse(await run('npm', ['view', `${name}@${major}`, 'version', '--json'])) as string[];
  await mkdir(join(folder, 'lib/node_modules'), { recursive: true });
  const archive = await run('npm', ['pack', '--silent', `${name}@${versions.at(-1)}`], { cwd: folder });
  await run('tar', ['-xzf', archive, '--strip-components=1', '--exclude=include/node/openssl'], { cwd: folder });
  await rm(join(folder, archive));
}

/** Files of the build context, as paths from the folder of the project. */
async function contextFiles(sources: string[]): Promise<string[]> {
  const { roots, excluded } = parseIgnore(await readFile(join(PROJECT, '.dockerignore'), 'utf8'));
  const wanted = sources.includes('.') ? roots : sources;
  const absent = wanted.filter((path) => !roots.includes(path));
  if (absent.length > 0) throw new Error(`.dockerignore leaves out ${absent.join(', ')}`);
  const filesAt = async (path: string): Promise<string[]> => {
    if ((await stat(join(PROJECT, path))).isFile()) return [path];
    const names = (await readdir(join(PROJECT, path))).filter((name) => !excluded.includes(name));
    return (await Promise.all(names.map((name) => filesAt(join(path, name))))).flat();
  };
  return (await Promise.all(wanted.map(filesAt))).flat().sort();
}

/**
 * Reads a .dockerignore that leaves out everything except some files and folders, and names to leave out in these.
 * @throws Error for another pattern
 */
export function parseIgnore(text: string): { roots: string[]; excluded: string[] } {
  const [first, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const roots = lines.flatMap((line) => /^!([\w.-]+)$/.exec(line)?.[1] ?? []);
  const excluded = lines.flatMap((line) => /^\*\*\/(\w+)$/.exec(line)?.[1] ?? []);
  if (first === '*' && roots.length + excluded.length === lines.length) return { roots, excluded };
  throw new Error('test/harness/image.ts does not know a pattern of .dockerignore');
}

async function copyFiles(files: string[], target: string): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(target, file)), { recursive: true });
    await copyFile(join(PROJECT, file), join(target, file));
  }
}

async function copyFromStage(
  { sources, target }: Step & { kind: 'copy' },
  layers: Layers,
  layer: string,
): Promise<void> {
  if (sources.length !== 1 || sources[0] !== target) throw new Error('COPY --from must keep the path of one folder');
  await inRoot({ layers }, 'cd "$1" && exec cp -a --parents ".$2" "$3"', [ROOT, target, layer]);
}

/** The network is that of this machine. npm has this machine's registry, cache and certificates. */
async function runStep({ command, env, folder }: Step & { kind: 'run' }, layers: Layers, upper: string): Promise<void> {
  const work = await mkdtemp(join(CACHE, 'work-'));
  const npm = JSON.parse(await run('npm', ['config', 'list', '--json'])) as Record<string, string | null>;
  const variables = {
    PATH: SEARCHED,
    HOME: '/root',
    npm_config_cache: '/mnt',
    npm_config_prefer_offline: 'true',
    npm_config_registry: npm.registry,
    ...(npm.cafile && { npm_config_cafile: '/media/ca-certificates.crt' }),
    ...env,
  };
  const script = `
    mount --bind "$1" ${ROOT}/mnt
    mount --bind /etc/ssl/certs ${ROOT}/media
    mount --bind /etc/resolv.conf ${ROOT}/etc/resolv.conf
    shift
    exec chroot ${ROOT} env -i "$@"`;
  const shell = ['/bin/sh', '-c', command];
  try {
    await inRoot({ layers, upper, work }, script, [npm.cache ?? '', '-C', folder, ...assignments(variables), ...shell]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function assignments(variables: object): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

export interface Container {
  process: ChildProcess;
  /** Runs a command as the user of the image in the same root. */
  exec(command: string[]): Promise<{ code: number | null; output: string }>;
  /** Sends a signal to the first process. Resolves to its exit code. */
  stop(signal: string): Promise<number | null>;
}

/**
 * Starts an image as its user, without capabilities, with a read-only root except `/tmp` and its volume. Its first
 * process has the process ID 1, and its network is that of this machine.
 * @param volume a folder that the user can write
 */
export function startContainer({ layers, settings }: Image, volume: string, env: Record<string, string>): Container {
  const [user = '', group = ''] = settings.user.split(':');
  const script = `
    mount -t tmpfs -o mode=1777 tmpfs ${ROOT}/tmp
    mount --bind "$1" ${ROOT}${settings.volumes[0]}
    shift
    exec chroot ${ROOT} setpriv --reuid ${user} --regid ${group} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all env -i "$@"`;
  const variables = assignments({ PATH: SEARCHED, ...settings.env, ...env });
  const start = (command: string[]) =>
    startInRoot({ layers }, script, [volume, '-C', settings.folder, ...variables, ...command]);
  const first = start([...settings.entrypoint, ...settings.command]);
  return {
    process: first,
    async exec(command) {
      const child = start(command);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output };
    },
    async stop(signal) {
      const exited = once(first, 'exit') as Promise<[number | null]>;
      const [child = ''] = (await readFile(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8')).split(' ');
      process.kill(Number(child), signal as NodeJS.Signals);
      const [code] = await exited;
      return code;
    },
  };
}

interface Root {
  layers: Layers;
  /** Receives changes, with `work` for the kernel. Without these, the root is read-only. */
  upper?: string;
  work?: string;
}

const NAMESPACES = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];

function startInRoot({ layers, upper, work }: Root, script: string, args: string[]): ChildProcess {
  const changes = upper && work ? `,upperdir=${upper},workdir=${work}` : '';
  const mounts = `set -eu
    mount -t overlay -o 'lowerdir=${layers.join(':')}${changes}' overlay ${ROOT}
    mount -t proc proc ${ROOT}/proc
    mount --rbind /dev ${ROOT}/dev`;
  return spawn(
    'unshare',
    [...NAMESPACES, 'sh', '-c', `${mounts}${script.startsWith('\n') ? '' : '\n'}${script}`, 'sh', ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/** @throws Error with the output if the script fails */
async function inRoot(root: Root, script: string, args: string[]): Promise<void> {
  const child = startInRoot(root, script, args);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`an instruction of the Dockerfile ended with ${code}:\n${output.join('').slice(-8_000)}`);
}

async function run(file: string, args: readonly string[], options: { cwd?: string } = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 26, ...options });
  return stdout.trim();
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
