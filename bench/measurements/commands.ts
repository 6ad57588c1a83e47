import { createCommandWorld, JSON_BODY } from '../command-world.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareRequests, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS } from '../rounds.js';

const COMMANDS = 100;
const SECONDS_PER_ROUND = 3;
const WARM_UP_SETS = 5;

/**
 * A bot replaces its set of a hundred commands, all of them changed: comparison, rows, audit entries, event and
 * response. The baseline parses the same body and replaces a hundred rows in one transaction.
 */
export async function registerCommands(): Promise<Row[]> {
  const world = await createCommandWorld(null);
  const platform = await startPlatform(world.dataDir);
  const bare = await startBareRequests(world.dataDir);
  const load = new Load(1);
  const path = `applications/${world.applicationId}/commands`;
  const authorization = `Bot ${world.botToken}`;
  const subject = contestant(load, platform, `${platform.origin}/api/v10/${path}`, { authorization });
  const baseline = contestant(load, bare, `${bare.origin}/${path}`);
  try {
    const comparisons = await compare(subject, baseline, ROUNDS);
    return comparisons.map((comparison) =>
      rowOf(`registration of ${COMMANDS} changed commands`, 'sets/s', '', comparison),
    );
  } finally {
    load.close();
    await Promise.all([platform.stop(), bare.stop()]);
  }
}

function contestant(load: Load, server: MeasuredServer, url: string, headers: Record<string, string> = {}): Contestant {
  let version = 0;
  const register = () => {
    version += 1;
    const request: RequestSpec = {
      method: 'PUT',
      url,
      headers: { ...JSON_BODY, ...headers },
      body: commandSet(version),
    };
    return load.once(request);
  };
  let isWarm = false;
  return {
    server,
    async round() {
      if (!isWarm) await load.warmUpWith(register, WARM_UP_SETS);
      isWarm = true;
      const { answered, rate } = await load.repeat(register, SECONDS_PER_ROUND);
      return { operations: answered, rates: [rate] };
    },
  };
}

function commandSet(version: number): string {
  const commands = Array.from({ length: COMMANDS }, (_, index) => ({
    name: `command-${index}`,
    description: `What it does, as of version ${version}`,
    options: [
      { type: 3, name: 'text', description: 'Text to send', required: true, max_length: 100 },
      { type: 4, name: 'count', description: 'How often', min_value: 1, max_value: version },
    ],
  }));
  return JSON.stringify(commands);
}
