import { readConfig } from '../../src/config.js';
import { callContext } from '../../src/context.js';
import { createApplication } from '../../src/domain/applications/index.js';
import { createCommand, NewCommand } from '../../src/domain/commands/index.js';
import { createGuild } from '../../src/domain/guilds/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { createServer } from '../../src/server.js';
import { Load, type RequestSpec } from '../load.js';
import { startBareInteractions, startEndpoint, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { compare } from '../rounds.js';
import { throwAwayFolder } from '../scratch.js';
import { signUp } from '../world.js';

const IN_FLIGHT = 32;
const ROUNDS = 4;
const SECONDS_PER_ROUND = 2;
const WARM_UP_REQUESTS = 1_000;
const JSON_BODY = { 'content-type': 'application/json' };

/** About as long as what the platform sends for the command, in characters. */
const PAYLOAD_LENGTH = 1_800;

/** A guild whose owner runs a command of an application with an endpoint, at rest in a data folder. */
interface CommandWorld {
  dataDir: string;
  personToken: string;
  channelId: string;
  commandId: string;
}

async function createCommandWorld(endpointUrl: string): Promise<CommandWorld> {
  const dataDir = await throwAwayFolder();
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' }),
  );
  const origin = await server.start();
  try {
    const { token, userId } = await signUp(origin);
    const { db } = server.app;
    const user = await db.reader.user.findUniqueOrThrow({ where: { id: BigInt(userId) } });
    const call = callContext(server.app, { kind: 'person', user });
    const { id: guildId } = await createGuild(call, { name: 'Measured' });
    const { application } = await createApplication(call, { name: 'Ferry' });
    const scopes = ['bot', 'applications.commands'] as const;
    await installApplication(call, { applicationId: application.id, guildId, scopes: [...scopes], permissions: 0n });
    const body = parseInput(NewCommand, { name: 'ferry', description: 'When does it leave?' });
    const { command } = await createCommand(call, { applicationId: application.id, guildId: null }, body);
    await db.writer.application.update({
      where: { id: application.id },
      data: { interactionsEndpointUrl: endpointUrl },
    });
    const channel = await db.reader.channel.findFirstOrThrow({ where: { guildId, type: 0 } });
    return { dataDir, personToken: token, channelId: String(channel.id), commandId: String(command.id) };
  } finally {
    await server.stop();
  }
}

const INVOKE = `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id state } } }`;

/**
 * Commands that an endpoint answers with a message: from the person's request to its answer. The baseline: a loop that signs and posts as
 * much to the same endpoint.
 */
export async function deliverInteractions(): Promise<Row[]> {
  const endpoint = await startEndpoint();
  const world = await createCommandWorld(endpoint.origin);
  const subject = await startPlatform(world.dataDir);
  const baseline = await startBareInteractions();
  const load = new Load(IN_FLIGHT);
  const callers = new Load(1);
  const input = { channelId: world.channelId, commandId: world.commandId };
  const invoke: RequestSpec = {
    method: 'POST',
    url: `${subject.origin}/graphql`,
    headers: { ...JSON_BODY, authorization: `Bearer ${world.personToken}` },
    body: JSON.stringify({ query: INVOKE, variables: { input } }),
  };
  const loop: RequestSpec = {
    method: 'POST',
    url: baseline.origin,
    headers: JSON_BODY,
    body: JSON.stringify({
      url: endpoint.origin,
      body: JSON.stringify({ type: 2, padding: 'x'.repeat(PAYLOAD_LENGTH) }),
      seconds: SECONDS_PER_ROUND,
      inFlight: IN_FLIGHT,
    }),
  };
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
    const comparisons = await compare(ours, theirs, ROUNDS);
    return comparisons.map((comparison) =>
      rowOf(`commands answered over HTTP, ${IN_FLIGHT} in flight`, 'interactions/s', '≥ 0.6', comparison),
    );
  } finally {
    load.close();
    callers.close();
    await Promise.all([subject.stop(), baseline.stop(), endpoint.stop()]);
  }
}
