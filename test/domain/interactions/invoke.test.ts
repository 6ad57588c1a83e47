import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import {
  invokeCommand,
  SubmittedComponents,
  submitModal,
  useComponent,
} from '../../../src/domain/interactions/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { snowflakeTime } from '../../../src/infra/ids/ids.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { ManualClock } from '../../harness/clock.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { ANSWERS, type Asked, answer, ask, FILLED_IN, MODAL, ROW, rowOf } from '../../harness/interactions.js';
import { eventually } from '../../harness/jobs.js';
import { outcome } from '../../harness/outcome.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { faultsOf, openScene, type Scene, sayWith, storeCommand } from './scene.js';

const clock = new ManualClock();
let server: TestServer;
let scene: Scene;
let session: GatewayClient | null = null;
beforeAll(async () => {
  server = await startServer({ clock });
});
beforeEach(async () => {
  scene = await openScene(server);
});
afterEach(async () => {
  await session?.close();
  session = null;
});
afterAll(() => server.stop());

async function connect(): Promise<GatewayClient> {
  session = await GatewayClient.open(server.origin);
  await session.ready(scene.bot.token);
  return session;
}

const delivered = async () =>
  (await session?.settled())?.filter(({ t }) => t === 'INTERACTION_CREATE').map(({ d }) => BigInt(d.id));

const submit = ({ id }: { id: bigint }, components: unknown = FILLED_IN, call: CallContext = scene.owner) =>
  submitModal(call, { interactionId: id, components: parseInput(SubmittedComponents, components, 'components') });

/** Lets the time for a session to take the interaction pass after it is offered. */
async function undelivered<T>(send: () => Promise<T>): Promise<T> {
  let tell: () => void = () => {};
  const offered = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const subscription = server.app.bus.subscribe(topics.application(scene.bot.id), ({ type }) => {
    if (type === 'INTERACTION_CREATE') tell();
  });
  await subscription.ready;
  const sending = send();
  await offered;
  await new Promise(setImmediate);
  clock.advance(3_000);
  subscription.close();
  return sending;
}

async function shown(): Promise<Asked> {
  const asked = await ask(scene, 'command');
  await answer(scene, asked, ANSWERS[9]);
  return asked;
}

describe('a request of a user', () => {
  it('is delivered whole and stored without long option values', async () => {
    await connect();
    const option = { type: 3, name: 'text', description: 'x', required: false };
    const commandId = await storeCommand(scene, [option] as never);
    const asked = (value: string) => {
      const options = [{ type: 3, name: 'text', value, focused: undefined }];
      return invokeCommand(scene.owner, { channelId: scene.guild.channel.id, commandId, options });
    };
    for (const [value, isStored] of [
      ['short', true],
      ['x'.repeat(5_000), false],
    ] as const) {
      const { id } = await asked(value);
      const packet = await session?.event('INTERACTION_CREATE');
      expect(packet?.d.data.options).toMatchObject([{ value }]);
      const { data } = await server.app.db.reader.interaction.findUniqueOrThrow({ where: { id } });
      expect(data).toMatchObject({ id: String(commandId), type: 1, ...(isStored ? { options: [{ value }] } : {}) });
      expect('options' in (data as object)).toBe(isStored);
    }
  });

  it('I-1: returns after it was delivered', async () => {
    await connect();
    const commandId = await storeCommand(scene);
    const sent = await invokeCommand(scene.owner, { channelId: scene.guild.channel.id, commandId, options: [] });
    expect(sent.state).toBe('DELIVERED_GATEWAY');
    expect(await delivered()).toEqual([sent.id]);
  });

  it('I-3: is not delivered if it is refused', async () => {
    await connect();
    const commandId = await storeCommand(scene);
    const asked = { channelId: scene.guild.channel.id, commandId };
    const options = [{ name: 'none', type: 3, value: 'x', focused: false }];
    expect(await outcome(invokeCommand(scene.owner, { ...asked, options }))).toBe('INVALID_INPUT');
    expect(await outcome(invokeCommand(scene.ada, { ...asked, options: [] }))).toBe('MISSING_PERMISSIONS');
    const message = await sayWith(scene, ROW);
    const used = { channelId: message.channelId, messageId: message.id };
    expect(await outcome(useComponent(scene.ada, { ...used, customId: 'none' }))).toBe('INVALID_INPUT');
    expect(await delivered()).toEqual([]);
    expect(await server.app.db.reader.interaction.count({ where: { applicationId: scene.bot.id } })).toBe(0);
  });

  it('I-2: may use a component if the user sees its message', async () => {
    await connect();
    const message = await sayWith(scene, ROW);
    const used = { channelId: message.channelId, messageId: message.id, customId: 'press' };
    const sent = await useComponent(scene.ada, used);
    expect(sent).toMatchObject({ userId: scene.users.ada.id, state: 'DELIVERED_GATEWAY' });
    expect(await delivered()).toEqual([sent.id]);
  });
});

describe('a modal', () => {
  it('I-2: is submitted once, by the user who was shown it', async () => {
    await connect();
    const asked = await shown();
    expect(await outcome(submit(asked, FILLED_IN, scene.ada))).toBe('UNKNOWN_INTERACTION');
    const sent = await submit(asked);
    expect(sent).toMatchObject({ type: 5, parentId: asked.id, name: MODAL.custom_id, state: 'DELIVERED_GATEWAY' });
    expect(await outcome(submit(asked))).toBe('CONFLICT');
    expect(await outcome(submit(asked, FILLED_IN, scene.ada))).toBe('UNKNOWN_INTERACTION');
    expect(await delivered()).toEqual([sent.id]);
  });

  it('I-2: is submitted once by twenty calls at once', async () => {
    await connect();
    const asked = await shown();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(submit(asked))));
    expect(outcomes.sort()).toEqual([...Array.from({ length: 19 }, () => 'CONFLICT'), 'ok']);
    expect(await delivered()).toHaveLength(1);
  });

  it('I-2: can be submitted again if it could not be delivered', async () => {
    const asked = await shown();
    const { modal } = await rowOf(server, asked);
    expect(await undelivered(() => submit(asked))).toMatchObject({ state: 'FAILED' });
    expect((await rowOf(server, asked)).modal).toEqual(modal);
    await connect();
    expect(await submit(asked)).toMatchObject({ state: 'DELIVERED_GATEWAY' });
  });

  it('I-2: cannot be submitted again if it was delivered but not answered', async () => {
    await connect();
    const asked = await shown();
    const sent = await submit(asked);
    clock.advance(3_000);
    await eventually(async () => {
      clock.advance(25);
      expect((await rowOf(server, sent)).state).toBe('FAILED');
    });
    expect(await outcome(submit(asked))).toBe('CONFLICT');
  });

  it('I-3: can be submitted again after invalid values', async () => {
    await connect();
    const asked = await shown();
    expect(await faultsOf(submit(asked, [{ component: { custom_id: 'other', value: 'x' } }]))).not.toEqual([]);
    expect(await outcome(submit(asked))).toBe('ok');
  });

  it('I-2: expires after 15 minutes', async () => {
    const [first, second] = [await shown(), await shown()];
    clock.advance(snowflakeTime(first.id) + 15 * 60_000 - 1 - clock.now());
    await connect();
    expect(await outcome(submit(first))).toBe('ok');
    clock.advance(snowflakeTime(second.id) + 15 * 60_000 - clock.now());
    expect(await outcome(submit(second))).toBe('UNKNOWN_INTERACTION');
  });

  it('I-2: must have been shown', async () => {
    const asked = await ask(scene, 'command');
    expect(await outcome(submit(asked))).toBe('UNKNOWN_INTERACTION');
    await answer(scene, asked);
    expect(await outcome(submit(asked))).toBe('UNKNOWN_INTERACTION');
    expect(await outcome(submit({ id: 5n }))).toBe('UNKNOWN_INTERACTION');
  });
});
