import { once } from 'node:events';
import { topics } from '../../src/infra/streams/topics.js';
import type { Overrides } from '../../src/server.js';
import { type BoxOptions, startBox, type TestBox } from './box.js';
import { createGuild, type MadeGuild, type Person, signUp } from './people.js';
import { startServer, type TestOptions, type TestServer } from './server.js';

/** A cloud and a connected box, both in this process. */
export interface SelfHosted {
  cloud: TestServer;
  box: TestBox;
  boxId: string;
  owner: Person;
  /** A user of the box who owns the servers there. */
  keeper: Person;
  /** Makes a server on the box. Resolves once the cloud knows it. */
  makeGuild(name?: string): Promise<MadeGuild>;
  stop(): Promise<void>;
}

export interface SelfHostedOptions {
  cloud?: TestOptions;
  box?: Overrides & Pick<BoxOptions, 'dataDir'>;
  /** The URL of the cloud for the box. Default: the cloud's own. */
  way?: (cloud: TestServer) => string;
}

export async function startSelfHosted(options: SelfHostedOptions = {}): Promise<SelfHosted> {
  const cloud = await startServer(options.cloud);
  const box = await startBoxOn(cloud, { cloudUrl: options.way?.(cloud) ?? cloud.origin, ...options.box });
  return {
    ...box,
    cloud,
    async stop() {
      await box.stop();
      await cloud.stop();
    },
  };
}

export type BoxOfCloud = Omit<SelfHosted, 'cloud'>;

/** Starts a box in this process for a cloud. Resolves once it is connected. */
export async function startBoxOn(cloud: TestServer, options: Omit<BoxOptions, 'token'>): Promise<BoxOfCloud> {
  const owner = await signUp(cloud, 'owner');
  const { box: made, token } = await makeBox(owner);
  const box = await startBox({ token, ...options });
  await untilBox(cloud, made.id, async () => (await statusOf(owner, made.id)) === 'CONNECTED');
  const keeper = await signUp(box, 'keeper');
  return {
    box,
    boxId: made.id,
    owner,
    keeper,
    async makeGuild(name = 'Attic') {
      const guild = await createGuild(keeper, name);
      await untilBox(cloud, made.id, async () => (await cloud.app.boxRoutes.ofGuild(BigInt(guild.id))) !== null);
      return guild;
    },
    stop: () => box.stop(),
  };
}

export async function makeBox(owner: Person, name = 'Cellar'): Promise<{ box: { id: string }; token: string }> {
  const { createBox } = await owner.graphql<{ createBox: { box: { id: string }; enrolmentToken: string } }>(
    'mutation ($name: String!) { createBox(input: { name: $name }) { box { id } enrolmentToken } }',
    { name },
  );
  return { box: createBox.box, token: createBox.enrolmentToken };
}

export async function statusOf(owner: Person, boxId: string): Promise<string> {
  const query = 'query ($id: ID!) { box(id: $id) { status } }';
  return (await owner.graphql<{ box: { status: string } }>(query, { id: boxId })).box.status;
}

/** Resolves once a condition holds. It is checked after each change of the box. */
export async function untilBox({ app }: TestServer, boxId: string, isSo: () => Promise<boolean>): Promise<void> {
  const changes = new EventTarget();
  const notice = () => changes.dispatchEvent(new Event('change'));
  const subscriptions = [topics.box(boxId), topics.boxes].map((topic) => app.bus.subscribe(topic, notice));
  try {
    for (;;) {
      const changed = once(changes, 'change');
      if (await isSo()) return;
      await changed;
    }
  } finally {
    for (const subscription of subscriptions) subscription.close();
  }
}
