import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startPlatform } from '../processes.js';
import { type Row, rowOf, rowOfPairs } from '../report.js';
import { compare, percentile, ROUNDS, spread } from '../rounds.js';
import { createWorld, type World } from '../world.js';

const GUESSERS = 50;
const SENDERS = 16;
const MS_PER_ROUND = 3_000;
const PAIRS_PER_ROUND = 60;
const WARM_UP_REQUESTS = 200;
/** Interval between requests, in milliseconds. Enough bots take turns to stay within their rate limits. */
const PACE_MS = 10;
const BOTS = 60;

const JSON_BODY = { 'content-type': 'application/json' };
const MESSAGE = JSON.stringify({ content: 'The tide is in, the causeway is shut, and the ferry leaves at noon.' });

interface Scene {
  server: MeasuredServer;
  world: World;
  webhook: { id: string; token: string };
}

/**
 * The cost of guessed webhook tokens for other callers, the information in their response times, and the throughput of
 * valid posts.
 */
export async function webhookGuesses(): Promise<Row[]> {
  const world = await createWorld({ channels: 1, messagesPerChannel: 0, bots: BOTS, webhook: true });
  return [
    await withServer(world, 'off', besideGuesses),
    await withServer(world, 'on', besideRefusals),
    await withServer(world, 'off', unknownToWrong),
    await withServer(world, 'off', postsToSends),
  ];
}

async function withServer(world: World, limits: 'on' | 'off', measure: (scene: Scene) => Promise<Row>): Promise<Row> {
  if (!world.webhook) throw new Error('the benchmark data has no webhook');
  const server = await startPlatform(world.dataDir, { RATE_LIMITS: limits });
  try {
    return await measure({ server, world, webhook: world.webhook });
  } finally {
    await server.stop();
  }
}

function execution({ origin }: MeasuredServer, id: string, token: string): RequestSpec {
  return { method: 'POST', url: `${origin}/api/v10/webhooks/${id}/${token}`, headers: JSON_BODY, body: MESSAGE };
}

function wrongToken(token: string): string {
  return `${token.slice(0, -4)}AAAA`;
}

/** Every guess is checked. The baseline is the same requests without guesses. */
async function besideGuesses(scene: Scene): Promise<Row> {
  const guess = execution(scene.server, scene.webhook.id, wrongToken(scene.webhook.token));
  const name = `GET /users/@me during guesses by ${GUESSERS} callers, 95th percentile`;
  return compareWaits(
    scene,
    name,
    '≤ 3',
    (during) => besides(guess, 401, during),
    (during) => during(),
  );
}

/** Rate limits are on, and the guesser ignores them. The baseline is the same flood to a missing path. */
async function besideRefusals(scene: Scene): Promise<Row> {
  const guess = execution(scene.server, scene.webhook.id, wrongToken(scene.webhook.token));
  const elsewhere: RequestSpec = { ...guess, url: `${scene.server.origin}/api/v10/nothing/is/here` };
  const name = `GET /users/@me while limits refuse these guesses, 95th percentile`;
  const beside = (spec: RequestSpec, status: number) => (during: () => Promise<void>) => besides(spec, status, during);
  await besides(guess, 429, () => setTimeout(MS_PER_ROUND));
  return compareWaits(scene, name, '', beside(guess, 429), beside(elsewhere, 404));
}

type Circumstances = (during: () => Promise<void>) => Promise<void>;

/** Compares the waits of the slowest of twenty paced requests in two situations, alternately. */
async function compareWaits(
  { server, world }: Scene,
  name: string,
  aim: string,
  subject: Circumstances,
  baseline: Circumstances,
): Promise<Row> {
  const wait = async (circumstances: Circumstances) => {
    let waited = Number.NaN;
    await circumstances(async () => {
      waited = await slowWait(server, world);
    });
    return waited;
  };
  await wait(baseline);
  const pairs: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) pairs.push([await wait(subject), await wait(baseline)]);
  const rounds = pairs.map(([ours, theirs]) => `${ours.toFixed(2)}/${theirs.toFixed(2)}`);
  console.log(`${name}, ms: ${rounds.join(', ')}`);
  return rowOfPairs(name, 'ms', aim, pairs);
}

/**
 * Keeps {@link GUESSERS} busy with a request until `during` is done.
 * @throws for any other status than `expected`
 */
async function besides(spec: RequestSpec, expected: number, during: () => Promise<void>): Promise<void> {
  const load = new Load(GUESSERS);
  const statuses = new Map<number, number>();
  let isOver = false;
  const guesser = async () => {
    while (!isOver) {
      const { status } = await load.ask(spec);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const guessing = Promise.all(Array.from({ length: GUESSERS }, guesser));
  await during();
  isOver = true;
  await guessing;
  load.close();
  console.log(
    `responses during the round: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
  );
  if (!statuses.has(expected)) throw new Error(`no response had the status ${expected}`);
}

/** The 95th percentile of the waits for `GET /users/@me`, in milliseconds. */
async function slowWait({ origin }: MeasuredServer, { botTokens }: World): Promise<number> {
  const authorizations = botTokens.map((token) => `Bot ${token}`);
  const pacer = new Worker(new URL('../pacer.mjs', import.meta.url), {
    workerData: { url: `${origin}/api/v10/users/@me`, authorizations, everyMs: PACE_MS },
  });
  await setTimeout(MS_PER_ROUND);
  pacer.postMessage('stop');
  const [{ took, failed }] = (await once(pacer, 'message')) as [{ took: number[]; failed: number }];
  if (failed > 0) throw new Error(`${failed} requests of ${took.length + failed} failed`);
  return percentile(took, 0.95);
}

/** One caller alternates between both. The baseline is the wrong token of an existing webhook. */
async function unknownToWrong({ server, webhook }: Scene): Promise<Row> {
  const load = new Load(1);
  const wrong = wrongToken(webhook.token);
  const [unknownId, wrongOne] = [execution(server, '1', wrong), execution(server, webhook.id, wrong)];
  const timed = async (spec: RequestSpec) => {
    const startedAt = performance.now();
    await load.ask(spec);
    return performance.now() - startedAt;
  };
  for (let n = 0; n < WARM_UP_REQUESTS / 2; n += 1) await Promise.all([timed(unknownId), timed(wrongOne)]);
  const pairs: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ofUnknown, ofWrong]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < PAIRS_PER_ROUND; pair += 1) {
      ofUnknown.push(await timed(unknownId));
      ofWrong.push(await timed(wrongOne));
    }
    pairs.push([spread(ofUnknown).median, spread(ofWrong).median]);
  }
  load.close();
  return rowOfPairs('refusal of an unknown webhook, compared to a wrong token', 'ms', '0.8 to 1.25', pairs);
}

/** The baseline is a bot that sends the same. */
async function postsToSends({ server, world, webhook }: Scene): Promise<Row> {
  const load = new Load(SENDERS);
  const post = execution(server, webhook.id, webhook.token);
  const { channelIds, botTokens } = world;
  const send: RequestSpec = {
    method: 'POST',
    url: `${server.origin}/api/v10/channels/${channelIds[0]}/messages`,
    headers: { ...JSON_BODY, authorization: `Bot ${botTokens[0]}` },
    body: MESSAGE,
  };
  const contestant = (spec: RequestSpec) => ({
    server,
    async round() {
      const { answered, rate } = await load.run(spec, MS_PER_ROUND / 1_000);
      return { operations: answered, rates: [rate] };
    },
  });
  await load.warmUp(send, WARM_UP_REQUESTS);
  const [comparison] = await compare(contestant(post), contestant(send), ROUNDS);
  load.close();
  if (!comparison) throw new Error('the measurement has no rounds to compare');
  return rowOf(`post by a webhook, compared to a bot, ${SENDERS} callers`, 'requests/s', '', comparison);
}
