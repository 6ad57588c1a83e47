import { setTimeout } from 'node:timers/promises';
import { type MeasuredServer, startBareServer, startPlatform } from '../processes.js';
import type { Row } from '../report.js';
import { spread } from '../rounds.js';
import { throwAwayFolder } from '../scratch.js';

const ROUNDS = 5;

/** Idle time before the memory of an idle server is measured, in milliseconds. */
const IDLE_MS = 10_000;

const MIB = 2 ** 20;

interface Start {
  /** Milliseconds from the start of the process to its ready line. */
  ms: number;
  /** Seconds of processor time until then. */
  cpu: number;
  /** The resident set, in MiB. */
  atReady: number;
  idle: number;
}

/** One start of each kind. Starts on the same folder follow each other. */
interface Round {
  first: Start;
  second: Start;
  bare: Start;
}

/**
 * The duration of a start and the memory of the process: in a new data folder, where the tables are made first, and
 * again without new migrations. The baseline is bare Fastify with one Prisma client. For all figures, less is better.
 */
export async function start(): Promise<Row[]> {
  await measureRound();
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(IDLE_MS));
  const time = (name: string, kind: 'first' | 'second', aim: string) =>
    row(rounds, { name, unit: 'ms', kind, figure: 'ms', aim });
  const memory = (name: string, kind: 'first' | 'second', figure: 'atReady' | 'idle', aim: string) =>
    row(rounds, { name, unit: 'MiB', kind, figure, aim });
  return [
    time('start in a fresh folder, to ready', 'first', '≤ 1,000 ms'),
    time('start with nothing to migrate, to ready', 'second', '≤ 1,000 ms'),
    memory('resident memory at ready, fresh folder', 'first', 'atReady', ''),
    memory('resident memory idle, fresh folder', 'first', 'idle', '≤ 150 MiB'),
    memory('resident memory at ready, nothing to migrate', 'second', 'atReady', ''),
    memory('resident memory idle, nothing to migrate', 'second', 'idle', '≤ 150 MiB'),
  ];
}

/** @param idleMs 0 for a round that only warms the file cache of the system */
async function measureRound(idleMs = 0): Promise<Round> {
  const dataDir = await throwAwayFolder();
  const settings = { RATE_LIMITS: 'on', DATA_DIR: dataDir };
  const first = await measure(await startPlatform(null, settings), idleMs);
  const second = await measure(await startPlatform(null, settings), idleMs);
  return { first, second, bare: await measure(await startBareServer(dataDir), idleMs) };
}

async function measure(server: MeasuredServer, idleMs: number): Promise<Start> {
  const cpu = await server.cpuSeconds();
  const atReady = (await server.residentMemory()) / MIB;
  await setTimeout(idleMs);
  const idle = (await server.residentMemory()) / MIB;
  await server.stop();
  return { ms: server.readyMs, cpu, atReady, idle };
}

interface Line {
  name: string;
  unit: string;
  kind: 'first' | 'second';
  figure: keyof Start;
  aim: string;
}

function row(rounds: Round[], { name, unit, kind, figure, aim }: Line): Row {
  const ratios = (of: keyof Start) => spread(rounds.map((round) => round[kind][of] / round.bare[of]));
  return {
    name,
    unit,
    subject: spread(rounds.map((round) => round[kind][figure])).median,
    baseline: spread(rounds.map(({ bare }) => bare[figure])).median,
    ratio: ratios(figure),
    cpuRatio: figure === 'ms' ? ratios('cpu') : undefined,
    aim,
  };
}
