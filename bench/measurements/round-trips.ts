import { AnsweringBot } from '../answering-bot.js';
import { createCommandWorld, invocation, JSON_BODY } from '../command-world.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareRoundTrips, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS, SECONDS_PER_ROUND } from '../rounds.js';

const IN_FLIGHT = 16;
const WARM_UP_TRIPS = 500;

interface Side {
  server: MeasuredServer;
  load: Load;
  bot: AnsweringBot;
  trip(): Promise<void>;
}

/**
 * Commands that a bot answers through the gateway, from the user's request to the 204 of the answer. Callers and bot
 * are in one process. The baseline is a bare server that forwards everything, with the same callers and bot.
 */
export async function roundTrips(): Promise<Row[]> {
  const world = await createCommandWorld(null);
  const platform = await startPlatform(world.dataDir);
  const subject = await openSide(platform, world.botToken, invocation(platform, world));
  const bare = await startBareRoundTrips();
  const ask: RequestSpec = { method: 'POST', url: `${bare.origin}/ask`, headers: JSON_BODY, body: '{}' };
  const baseline = await openSide(bare, 'none', ask);
  try {
    await subject.load.warmUpWith(subject.trip, WARM_UP_TRIPS);
    const comparisons = await compare(contestant(subject), contestant(baseline), ROUNDS);
    return comparisons.map((comparison) =>
      rowOf(`commands answered over the gateway, ${IN_FLIGHT} in flight`, 'interactions/s', '', comparison),
    );
  } finally {
    for (const side of [subject, baseline]) side.bot.close();
    for (const side of [subject, baseline]) side.load.close();
    await Promise.all([platform.stop(), bare.stop()]);
  }
}

async function openSide(server: MeasuredServer, token: string, ask: RequestSpec): Promise<Side> {
  const load = new Load(IN_FLIGHT);
  const bot = new AnsweringBot(server.origin, token, load);
  await bot.ready;
  const trip = async () => {
    const text = await load.once(ask);
    const id = /"id":"(\d+)"/.exec(text)?.[1];
    if (id === undefined || text.includes('FAILED')) throw new Error(`the server answered ${text.slice(0, 500)}`);
    await bot.answered(id);
  };
  return { server, load, bot, trip };
}

function contestant({ server, load, trip }: Side): Contestant {
  return {
    server,
    async round() {
      const { answered, rate } = await load.repeat(trip, SECONDS_PER_ROUND);
      return { operations: answered, rates: [rate] };
    },
  };
}
