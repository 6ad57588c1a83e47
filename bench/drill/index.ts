// `npm run drill [-- restart|drop|kill]`: disturbs bots under load and reports what they lost. See docs/operations.md.
import { setTimeout as wait } from 'node:timers/promises';
import { cleanUp } from '../scratch.js';
import { createWorld } from '../world.js';
import { DrillClient } from './client.js';
import { Fleet } from './fleet.js';
import { Load } from './load.js';
import { report } from './outcome.js';

const DISTURBANCES = ['restart', 'drop', 'kill'] as const;
type Disturbance = (typeof DISTURBANCES)[number];

const BACK_WITHIN_MS = 60_000;

/** A bot may identify again after this time. */
const IDENTIFY_EVERY_MS = 5_000;

/** Events of the last messages arrive by then. */
const LAST_EVENTS_MS = 2_000;

async function main(): Promise<boolean> {
  const disturbance = disturbanceNamed(process.argv[2] ?? 'restart');
  const count = numberOf('DRILL_SESSIONS', 200);
  const fleet = await Fleet.prepare();
  const world = await createWorld({ channels: 10, messagesPerChannel: 50, bots: count }, fleet.settings);
  await fleet.start(world.dataDir);
  console.log(`${fleet.size === 1 ? 'One process' : `${fleet.size} processes`} with ${count} bots; rate limits are on`);
  const clients = world.botTokens.map((token) => new DrillClient(fleet.gatewayUrl, token));
  for (const client of clients) client.connect();
  await Promise.all(clients.map((client) => client.ready));
  const load = new Load(fleet, world, numberOf('DRILL_REQUESTS', 10_000));
  load.begin();
  await wait(IDENTIFY_EVERY_MS);
  await disturb(fleet, disturbance, clients);
  await load.end();
  await wait(LAST_EVENTS_MS);
  for (const client of clients) client.end();
  return report({ clients, load, readyAt: fleet.lastReadyAt, isOneProcess: fleet.size === 1, disturbance });
}

function disturbanceNamed(name: string): Disturbance {
  const found = DISTURBANCES.find((one) => one === name);
  if (!found) throw new Error(`There is no drill ${name}: use one of ${DISTURBANCES.join(', ')}.`);
  return found;
}

function numberOf(variable: string, usual: number): number {
  const value = Number(process.env[variable] ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable} must be a whole number above 0.`);
  return value;
}

async function disturb(fleet: Fleet, disturbance: Disturbance, clients: readonly DrillClient[]): Promise<void> {
  switch (disturbance) {
    case 'restart':
      for (let index = 0; index < fleet.size; index += 1) {
        console.log(`Restarting process ${index + 1} of ${fleet.size}`);
        await fleet.restart(index);
        await allBack(clients);
      }
      break;
    case 'drop':
      console.log('Dropping all connections');
      for (const client of clients) client.drop();
      await allBack(clients);
      break;
    case 'kill':
      console.log('Killing a process, which stays off if there is another');
      await fleet.kill(0);
      await allBack(clients);
      break;
  }
}

async function allBack(clients: readonly DrillClient[]): Promise<void> {
  const until = performance.now() + BACK_WITHIN_MS;
  // Clients notice their loss first.
  do await wait(250);
  while (performance.now() < until && clients.some(({ isBack }) => !isBack));
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  await cleanUp();
}
