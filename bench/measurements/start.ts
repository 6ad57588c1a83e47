import { setTimeout } from 'node:timers/promises';
import { type MeasuredServer, startBareServer, startPlatform } from '../processes.js';
import type { Row } from '../report.js';
import { spread } from '../rounds.js';
import { throwAwayFolder } from '../scratch.js';

const ROUNDS = 5;

/** How long a server has had nothing to do when its memory is taken for that of an idle one, in milliseconds. */
const IDLE_MS = 10_000;

const MIB = 2 ** 20;

/** What is told of one start. */
interface Start {
  /** Milliseconds from the start of the process to its line that it is ready. */
  ms: number;
  /** Seconds of processor time until then. */
  cpu: number;
  /** The resident set, in MiB. */
  atReady: number;
  idle: number;
}

/** One start of each kind, on the same data folder where a folder is shared. */
interface Round {
  first: Start;
  second: Start;
  bare: Start;
}

/**
 * How long a start takes, and what the process holds then: in a fresh data folder, where the tables are made first, and again with
 * nothing to migrate. The baseline: bare Fastify with one Prisma client. Of all figures, less is better.
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

/** @param idleMs not given for a round that only brings the files into the system's memory */
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
