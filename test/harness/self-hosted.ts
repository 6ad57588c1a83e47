import { once } from 'node:events';
import { topics } from '../../src/infra/bus.js';
import type { Overrides } from '../../src/server.js';
import { type BoxOptions, startBox, type TestBox } from './box.js';
import { createGuild, type MadeGuild, type Person, signUp } from './people.js';
import { startServer, type TestOptions, type TestServer } from './server.js';

/** A cloud with a box on it, both of this process, and their channel between them. */
export interface SelfHosted {
  cloud: TestServer;
  box: TestBox;
  boxId: string;
  /** Who made the box, in the cloud. */
  owner: Person;
  /** Somebody of the box's own people, who has the servers there. */
  keeper: Person;
  /** Makes a server on the box, and resolves once the cloud knows of it. */
  makeGuild(name?: string): Promise<MadeGuild>;
  stop(): Promise<void>;
}

export interface SelfHostedOptions {
  cloud?: TestOptions;
  box?: Overrides & Pick<BoxOptions, 'dataDir'>;
  /** The address by which the box reaches its cloud; the cloud's own unless stated. */
  way?: (cloud: TestServer) => string;
}

/** Starts a cloud and a box of it, and resolves once the box is connected. */
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

/** A box of a cloud that runs already. */
export type BoxOfCloud = Omit<SelfHosted, 'cloud'>;

/** Starts a box of this process on a cloud, and resolves once it is connected. */
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

/** Makes a box in the cloud's portal. */
export async function makeBox(owner: Person, name = 'Cellar'): Promise<{ box: { id: string }; token: string }> {
  const { createBox } = await owner.graphql<{ createBox: { box: { id: string }; enrolmentToken: string } }>(
    'mutation ($name: String!) { createBox(input: { name: $name }) { box { id } enrolmentToken } }',
    { name },
  );
  return { box: createBox.box, token: createBox.enrolmentToken };
}

/** Whether the cloud shows a box as connected. */
export async function statusOf(owner: Person, boxId: string): Promise<string> {
  const query = 'query ($id: ID!) { box(id: $id) { status } }';
  return (await owner.graphql<{ box: { status: string } }>(query, { id: boxId })).box.status;
}

/** Resolves once something is so that follows from what a box tells; it is looked at again with each change of a box. */
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
