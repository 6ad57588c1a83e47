import { type CommandWorld, createCommandWorld, invocation, JSON_BODY } from '../command-world.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareInteractions, startEndpoint, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Comparison, compare, ROUNDS, SECONDS_PER_ROUND } from '../rounds.js';

const IN_FLIGHT = 32;
const WARM_UP_REQUESTS = 1_000;

/** About the length of the platform's payload for the command, in characters. */
const PAYLOAD_LENGTH = 1_800;

/**
 * Commands that an endpoint answers with a message, from the user's request to its response. One baseline signs and
 * posts as much to the same endpoint and stores nothing. The other one also stores the rows of an answered command.
 */
export async function deliverInteractions(): Promise<Row[]> {
  const endpoint = await startEndpoint();
  try {
    const world = await createCommandWorld(endpoint.origin);
    const what = `commands answered over HTTP, ${IN_FLIGHT} in flight`;
    const bare = await against(world, endpoint, await startBareInteractions(null));
    const storing = await against(world, endpoint, await startBareInteractions(world.dataDir));
    return [
      ...bare.map((comparison) => rowOf(what, 'interactions/s', '≥ 0.6', comparison)),
      ...storing.map((comparison) =>
        rowOf(`${what}, compared to a loop that stores`, 'interactions/s', '', comparison),
      ),
    ];
  } finally {
    await endpoint.stop();
  }
}

async function against(world: CommandWorld, endpoint: MeasuredServer, baseline: MeasuredServer): Promise<Comparison[]> {
  const subject = await startPlatform(world.dataDir);
  const load = new Load(IN_FLIGHT);
  const callers = new Load(1);
  const invoke = invocation(subject, world);
  const loop = loopOf(baseline, endpoint, world);
  try {
    const shown = await load.once(invoke);
    if (!shown.includes('"ANSWERED"')) throw new Error(`the platform answered ${shown.slice(0, 500)}`);
    await load.warmUp(invoke, WARM_UP_REQUESTS);
    const ours = {
      server: subject,
      async round() {
        const { answered, rate } = await load.run(invoke, SECONDS_PER_ROUND);
        return { operations: answered, rates: [rate] };
      },
    };
    const theirs = {
      server: baseline,
      async round() {
        const { answered, rate } = JSON.parse(await callers.once(loop)) as { answered: number; rate: number };
        return { operations: answered, rates: [rate] };
      },
    };
    return await compare(ours, theirs, ROUNDS);
  } finally {
    load.close();
    callers.close();
    await Promise.all([subject.stop(), baseline.stop()]);
  }
}

function loopOf(baseline: MeasuredServer, endpoint: MeasuredServer, world: CommandWorld): RequestSpec {
  const { applicationId, userId, guildId, channelId, commandId } = world;
  const round = {
    url: endpoint.origin,
    body: JSON.stringify({ type: 2, padding: 'x'.repeat(PAYLOAD_LENGTH) }),
    seconds: SECONDS_PER_ROUND,
    inFlight: IN_FLIGHT,
    ids: { applicationId, userId, guildId, channelId, commandId },
  };
  return { method: 'POST', url: baseline.origin, headers: JSON_BODY, body: JSON.stringify(round) };
}
