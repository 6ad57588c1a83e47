/** A stage of a Dockerfile. The parser knows only what this repository uses. Anything else is an error, so that no test ignores it. */
export interface Stage {
  base: string;
  name: string | null;
  /** Instructions that change files, with the state in which they run. */
  steps: Step[];
  image: ImageSettings;
}

export type Step = { env: Record<string, string>; folder: string } & (
  | { kind: 'run'; command: string }
  | { kind: 'copy'; from: string | null; sources: string[]; target: string }
  | { kind: 'workdir' }
);

export interface ImageSettings {
  env: Record<string, string>;
  folder: string;
  user: string;
  volumes: string[];
  ports: number[];
  stopSignal: string;
  health: { command: string[]; options: Record<string, string> } | null;
  entrypoint: string[];
  command: string[];
}

/** @throws Error for an instruction or a form that this interpreter does not know */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of logicalLines(text)) {
    const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') stages.push(readFrom(rest));
    else apply(stages.at(-1) ?? unknown(line), instruction, rest);
  }
  return stages;
}

function logicalLines(text: string): string[] {
  const code = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return code
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function readFrom(rest: string): Stage {
  const [, base = unknown(`FROM ${rest}`), name = null] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
  const image: ImageSettings = {
    env: {},
    folder: '/',
    user: '0:0',
    volumes: [],
    ports: [],
    stopSignal: 'SIGTERM',
    health: null,
    entrypoint: [],
    command: [],
  };
  return { base, name, steps: [], image };
}

function apply({ steps, image }: Stage, instruction: string, rest: string): void {
  const state = { env: { ...image.env }, folder: image.folder };
  switch (instruction) {
    case 'RUN':
      steps.push({ ...state, kind: 'run', command: /^[[-]/.test(rest) ? unknown(`RUN ${rest}`) : rest });
      break;
    case 'COPY':
      steps.push({ ...state, kind: 'copy', ...readCopy(rest) });
      break;
    case 'WORKDIR':
      image.folder = absolute(rest);
      steps.push({ ...state, kind: 'workdir', folder: image.folder });
      break;
    case 'ENV':
      for (const pair of rest.split(' ')) {
        const [, name = unknown(`ENV ${rest}`), value = ''] = /^(\w+)=([^"'$\\]*)$/.exec(pair) ?? [];
        image.env[name] = value;
      }
      break;
    case 'USER':
      image.user = /^\d+:\d+$/.test(rest) ? rest : unknown(`USER ${rest}`);
      break;
    case 'VOLUME':
      image.volumes.push(absolute(rest));
      break;
    case 'EXPOSE':
      image.ports.push(/^\d+$/.test(rest) ? Number(rest) : unknown(`EXPOSE ${rest}`));
      break;
    case 'STOPSIGNAL':
      image.stopSignal = rest;
      break;
    case 'HEALTHCHECK':
      image.health = readHealthcheck(rest);
      break;
    case 'ENTRYPOINT':
      image.entrypoint = readList(rest);
      break;
    case 'CMD':
      image.command = readList(rest);
      break;
    default:
      unknown(`${instruction} ${rest}`);
  }
}

function readCopy(rest: string): { from: string | null; sources: string[]; target: string } {
  const [, from = null, paths = unknown(`COPY ${rest}`)] = /^(?:--from=(\w+) )?([^-].*)$/.exec(rest) ?? [];
  const sources = paths.split(' ');
  const target = sources.pop() ?? unknown(`COPY ${rest}`);
  return { from, sources, target };
}

function readHealthcheck(rest: string): NonNullable<ImageSettings['health']> {
  const [, flags = '', command = unknown(`HEALTHCHECK ${rest}`)] = /^((?:--\S+=\S+ )*)CMD (\[.*)$/.exec(rest) ?? [];
  const options = [...flags.matchAll(/--(\S+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  return { command: readList(command), options: Object.fromEntries(options) };
}

function readList(text: string): string[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return unknown(text);
  return list.map(String);
}

function absolute(path: string): string {
  return /^\/[\w/]*$/.test(path) ? path : unknown(path);
}

function unknown(line: string): never {
  throw new Error(`test/harness/dockerfile.ts does not know this instruction: ${line}`);
}
