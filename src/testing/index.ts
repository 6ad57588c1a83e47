import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Seed } from '../sandbox/protocol.js';
import { type Instance, startInstance, surroundingInstance } from './instance.js';
import type { World } from './world.js';

export type {
  ApplicationSeed,
  ChannelSeed,
  ConnectionFault,
  EndpointFault,
  FaultOccasion,
  FaultPeriod,
  FaultSeed,
  GatewayFault,
  GuildFault,
  GuildSeed,
  IdentifyFault,
  OverwriteSeed,
  PermissionName,
  PersonSeed,
  PresetName,
  PresetOptions,
  RestFault,
  RoleSeed,
  Seed,
  TranscriptEntry,
  TranscriptFormat,
} from '../sandbox/protocol.js';
export { type MessageFilter, ObservedChannel } from './channels.js';
export { type ControlAddress, SandboxError } from './control.js';
export { Instance, InstanceClock } from './instance.js';
export { Answer, Component, Message } from './messages.js';
export { type CommandOptions, type NewMessage, Person, PersonInChannel, type Upload } from './person.js';
export type { Within } from './waiting.js';
export { Bot, Fault, Guild, World } from './world.js';

export interface SandboxOptions {
  /** An object, or the path of a YAML file. Default: {@link Seed}'s. */
  seed?: Seed | string | undefined;
  /** The id of a world to use instead of a new one: in `causeway sandbox -- …`, CAUSEWAY_WORLD is that of its bot. */
  world?: string | undefined;
  /** Whether the test moves the clock, which needs an instance of its own. Default: false. */
  clock?: boolean | undefined;
}

/** Tests of one program share an instance. */
let own: Promise<Instance> | undefined;

/**
 * Makes a world for a test or a file of tests. It uses the instance around this program (`causeway sandbox -- …`), or
 * starts one, which ends with this program.
 *
 * @example
 * const { world } = await sandbox({ seed: { applications: ['Lunch bot'] } });
 * await startMyBot({ token: world.bot.token, api: world.api });
 * const answer = await world.person('ada').slash('lunch', { dish: 'Onion tart' });
 * @throws SandboxError for an invalid seed
 */
export async function sandbox({ seed = {}, world, clock = false }: SandboxOptions = {}): Promise<{
  instance: Instance;
  world: World;
}> {
  const instance = clock ? await startInstance(program()) : (surroundingInstance() ?? (await ownInstance()));
  if (world !== undefined) return { instance, world: await instance.world(world) };
  const content = typeof seed === 'string' ? await readFile(seed, 'utf8') : seed;
  return { instance, world: await instance.createWorld(content) };
}

function ownInstance(): Promise<Instance> {
  own ??= startInstance(program());
  return own;
}

/** The command line of this package. */
function program(): string {
  return fileURLToPath(new URL('../../cli.js', import.meta.url));
}
