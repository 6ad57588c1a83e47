import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { putEnrolledBoxes } from '../enrolled-boxes.js';
import { startLightBoxes } from '../light-boxes/index.js';
import { Load, type RequestSpec } from '../load.js';
import { startPlatform } from '../processes.js';
import { type Door, type RelayWorld, startRelayWorld } from '../relay-world.js';
import { type Row, rowOf, rowOfPairs } from '../report.js';
import { compare, percentile, ROUNDS, SECONDS_PER_ROUND, type Spread, spread } from '../rounds.js';
import { throwAwayFolder } from '../scratch.js';

const WARM_UP_REQUESTS = 1_000;
const PAIRS_PER_ROUND = 400;
const CALLERS = 64;
/** One per cent of them must be more than one request. */
const SMALL_REQUESTS = 500;
const UPLOAD_BYTES = 10 * 1024 * 1024;
const FEW_BOXES = 100;
const MANY_BOXES = 1_000;
const CONTENT = 'The tide is in, the causeway is shut, and the ferry leaves at noon.';
const JSON_BODY = { 'content-type': 'application/json' };

/**
 * The databases of both ends: SQLite, unless `BENCH_CLOUD_DATABASE_URL` and `BENCH_BOX_DATABASE_URL` name empty
 * databases.
 */
const settings = {
  cloud: { DATABASE_URL: process.env.BENCH_CLOUD_DATABASE_URL },
  box: { DATABASE_URL: process.env.BENCH_BOX_DATABASE_URL },
};

/** The cost of the relay. The baseline sends the same requests as one of the box's own bots, directly to the box. */
export async function relay(): Promise<Row[]> {
  const world = await startRelayWorld(settings);
  const rows: Row[] = [];
  try {
    const { id } = JSON.parse(await new Load(1).once(post(world, world.direct)));
    const get = (door: Door) => request(door, `/channels/${world.channelId}/messages/${id}`);
    for (const door of [world.cloud, world.direct]) await warmUp([() => get(door), () => post(world, door)]);
    rows.push(...(await addedLatency('GET of a message', world, get)));
    rows.push(...(await addedLatency('POST of a message', world, (door) => post(world, door))));
    rows.push(await throughput('GET of a message', world, get));
    rows.push(await throughput('POST of a message', world, (door) => post(world, door)));
    rows.push(await besideUpload(world, get(world.cloud)));
  } finally {
    await world.stop();
  }
  return rows;
}

function request({ server, authorization }: Door, path: string): RequestSpec {
  return { method: 'GET', url: `${server.origin}/api/v10${path}`, headers: { authorization } };
}

function post({ channelId }: RelayWorld, { server, authorization }: Door): RequestSpec {
  const url = `${server.origin}/api/v10/channels/${channelId}/messages`;
  return { method: 'POST', url, headers: { ...JSON_BODY, authorization }, body: newMessage() };
}

let messages = 0;

/** All messages differ, because the cloud joins equal concurrent writes. */
function newMessage(): string {
  return JSON.stringify({ content: `${++messages}: ${CONTENT}` });
}

async function warmUp(specs: (() => RequestSpec)[]): Promise<void> {
  const load = new Load(CALLERS);
  for (const spec of specs) await load.warmUpWith(() => load.once(spec()), WARM_UP_REQUESTS);
  load.close();
}

/**
 * One caller alternates between both servers.
 * @returns the median and the 99th percentile of both
 */
async function addedLatency(
  what: string,
  { cloud, direct }: RelayWorld,
  spec: (door: Door) => RequestSpec,
): Promise<Row[]> {
  const load = new Load(1);
  const rounds: [number[], number[]][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [slow, fast]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < PAIRS_PER_ROUND; pair += 1) {
      slow.push(await timed(load, spec(cloud)));
      fast.push(await timed(load, spec(direct)));
    }
    rounds.push([slow, fast]);
  }
  load.close();
  return [0.5, 0.99].map((share) => {
    const pairs = rounds.map(([slow, fast]): [number, number] => [percentile(slow, share), percentile(fast, share)]);
    const added = spread(pairs.map(([slow, fast]) => slow - fast));
    console.log(`${what}, p${share * 100}: ${added.median.toFixed(2)} ms added (${shown(added)})`);
    const aim = share === 0.5 ? '≤ 1.5 ms more' : '';
    return rowOfPairs(`${what}, one caller, p${share * 100}`, 'ms', aim, pairs);
  });
}

async function throughput(
  what: string,
  { cloud, direct }: RelayWorld,
  spec: (door: Door) => RequestSpec,
): Promise<Row> {
  const load = new Load(CALLERS);
  const contestant = (door: Door) => ({
    server: door.server,
    async round() {
      const { answered, rate } = await load.repeat(() => load.once(spec(door)), SECONDS_PER_ROUND);
      return { operations: answered, rates: [rate] };
    },
  });
  const [comparison] = await compare(contestant(cloud), contestant(direct), ROUNDS);
  load.close();
  if (!comparison) throw new Error('the measurement has no rounds to compare');
  return rowOf(`${what}, ${CALLERS} callers`, 'requests/s', '≥ 0.6', { ...comparison, cpuRatio: undefined });
}

/**
 * Small requests over the relay, in sequence, during an upload over the same connection. The baseline has no upload.
 */
async function besideUpload({ cloud, channelId }: RelayWorld, small: RequestSpec): Promise<Row> {
  const load = new Load(1);
  const pairs: [number, number][] = [];
  const smalls = async () => {
    const took: number[] = [];
    for (let sent = 0; sent < SMALL_REQUESTS; sent += 1) took.push(await timed(load, small));
    return percentile(took, 0.99);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const quiet = await smalls();
    const stopUploads = startUploads(cloud, channelId);
    const beside = await smalls();
    await stopUploads();
    pairs.push([beside, quiet]);
  }
  load.close();
  return rowOfPairs('GET of a message during uploads of 10 MiB, p99', 'ms', '≤ 3', pairs);
}

/**
 * Uploads one file after the other.
 * @returns a function that ends this; it throws if an upload was refused
 */
function startUploads({ server, authorization }: Door, channelId: string): () => Promise<void> {
  const url = `${server.origin}/api/v10/channels/${channelId}/messages`;
  const uploader = new Worker(new URL('../uploader.mjs', import.meta.url), {
    workerData: { url, authorization, bytes: UPLOAD_BYTES },
  });
  return async () => {
    uploader.postMessage('stop');
    const [failure] = (await once(uploader, 'message')) as [string | null];
    if (failure !== null) throw new Error(failure);
  };
}

/**
 * Many boxes that connect together: time until each is served, memory, and the longest block of the cloud's event loop.
 */
interface AtOnce {
  seconds: number;
  bytesPerBox: number;
  blockedMs: number;
}

/** Boxes that all connect together after a restart of the cloud. The baseline is a tenth of them. */
export async function boxesAtOnce(): Promise<Row[]> {
  const rounds: [AtOnce, AtOnce][] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push([await dialAtOnce(MANY_BOXES), await dialAtOnce(FEW_BOXES)]);
  const row = (name: string, unit: string, figure: (one: AtOnce, boxes: number) => number) =>
    rowOfPairs(
      name,
      unit,
      '',
      rounds.map(([many, few]) => [figure(many, MANY_BOXES), figure(few, FEW_BOXES)]),
    );
  for (const [{ seconds }] of rounds) console.log(`${MANY_BOXES} boxes were connected after ${seconds.toFixed(2)} s`);
  return [
    row(
      `${MANY_BOXES.toLocaleString('en')} boxes reconnect after a restart: time per box`,
      'ms',
      ({ seconds }, boxes) => (seconds * 1_000) / boxes,
    ),
    row('the same: memory per box', 'KiB', ({ bytesPerBox }) => bytesPerBox / 1024),
    row('the same: longest block of the event loop', 'ms', ({ blockedMs }) => blockedMs),
  ];
}

async function dialAtOnce(count: number): Promise<AtOnce> {
  const env = { ...settings.cloud, DATA_DIR: await throwAwayFolder() };
  const enrolled = await putEnrolledBoxes(env, count);
  const boxes = startLightBoxes();
  const cloud = await startPlatform(null, env);
  try {
    const idle = await cloud.memory();
    await cloud.watchLoop();
    const seconds = await boxes.dial({ origin: cloud.origin, boxes: enrolled });
    const blockedMs = await cloud.longestBlockMs();
    const after = await cloud.memory();
    const held = ({ heapUsed, external }: NodeJS.MemoryUsage) => heapUsed + external;
    return { seconds, bytesPerBox: (held(after) - held(idle)) / count, blockedMs };
  } finally {
    await boxes.stop();
    await cloud.stop();
  }
}

async function timed(load: Load, spec: RequestSpec): Promise<number> {
  const startedAt = performance.now();
  await load.once(spec);
  return performance.now() - startedAt;
}

function shown({ min, max }: Spread): string {
  return `${min.toFixed(2)}–${max.toFixed(2)}`;
}
