import { randomUUID } from 'node:crypto';
import nacl from 'tweetnacl';
import { createBox } from '../../src/domain/boxes/index.js';
import type { User } from '../../src/infra/database/index.js';
import { boxSnowflakes, type NextId } from '../../src/infra/ids/ids.js';
import { type Greeted, greet, type RawRelay } from './raw-relay.js';
import { createPerson } from './rows.js';
import type { TestServer } from './server.js';
import { callOf, type TestBot } from './world.js';

type Server = Pick<TestServer, 'app' | 'origin'>;

export interface Announced {
  id: string;
  name: string;
  icon: null;
  owner_id: string;
  channels: string[];
  bots: string[];
}

/** A box whose end of the relay is controlled by a test. */
export interface HandBox {
  id: bigint;
  owner: User;
  token: string;
  keys: nacl.SignKeyPair;
  nextId: NextId;
  relay: RawRelay;
  welcome: Greeted['welcome'];
}

export async function connectNewBox(server: Server, owner?: User): Promise<HandBox> {
  const made = await makeBox(server, owner);
  const keys = nacl.sign.keyPair();
  const { relay, welcome } = await greet(server.origin, { keys, token: made.token });
  return { ...made, keys, relay, welcome, nextId: boxSnowflakes(server.app.clock, welcome.id_space) };
}

export async function connectAgain({ origin }: Pick<Server, 'origin'>, box: HandBox): Promise<HandBox> {
  const { relay, welcome } = await greet(origin, { keys: box.keys });
  return { ...box, relay, welcome };
}

export async function makeBox({ app }: Pick<Server, 'app'>, owner?: User) {
  const by = owner ?? (await createPerson(app));
  const { box, enrolmentToken } = await createBox(callOf(app, by), { name: 'Home' });
  return { id: box.id, owner: by, token: enrolmentToken };
}

/** A guild of the box with two channels. It is not announced yet. */
export function guildOf({ nextId }: HandBox, bots: readonly (bigint | string)[] = []): Announced {
  const [id, owner, text, voice] = [nextId(), nextId(), nextId(), nextId()].map(String);
  const named = { name: 'Den', icon: null, bots: bots.map(String) };
  return { ...named, id: id ?? '', owner_id: owner ?? '', channels: [text ?? '', voice ?? ''] };
}

/**
 * Begins the box's event session with these guilds, and waits until the cloud has them.
 * @returns the number of the last event
 */
export async function announce({ relay }: Pick<HandBox, 'relay'>, guilds: readonly Announced[]): Promise<number> {
  relay.send({ op: 'begin', session: randomUUID() });
  for (const [index, guild] of guilds.entries()) relay.send({ op: 'announce', s: index + 1, guild });
  const s = guilds.length + 1;
  relay.send({ op: 'ready', s });
  await acknowledged(relay, s);
  return s;
}

/** Settles once the cloud has processed all events up to this number. */
export async function acknowledged(relay: RawRelay, s: number): Promise<void> {
  for (let last = 0; last < s; ) last = (await relay.next('ack')).s;
}

export async function putInstallation({ app }: Pick<Server, 'app'>, bot: TestBot, guildId: string): Promise<void> {
  const made = { id: app.nextId(), context: 'SERVER', installerId: bot.owner.id } as const;
  const data = { ...made, applicationId: bot.id, guildId: BigInt(guildId), scopes: ['bot'] };
  await app.db.writer.installation.create({ data });
}
