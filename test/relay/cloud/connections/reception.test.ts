import { EventEmitter, once } from 'node:events';
import nacl from 'tweetnacl';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppContext } from '../../../../src/context.js';
import { createBox } from '../../../../src/domain/boxes/index.js';
import { topics } from '../../../../src/infra/streams/topics.js';
import { CloudBotDirectory } from '../../../../src/relay/cloud/cloud-bot-directory.js';
import { BoxesHere } from '../../../../src/relay/cloud/connections/boxes-here.js';
import { Reception } from '../../../../src/relay/cloud/connections/reception.js';
import { ResponseQuota } from '../../../../src/relay/cloud/connections/response-quota.js';
import type { Close } from '../../../../src/relay/protocol/closes.js';
import type { Receiver } from '../../../../src/relay/protocol/link.js';
import { openContext } from '../../../harness/context.js';
import { type RawMessage, signGreeting } from '../../../harness/raw-relay.js';
import { createPerson } from '../../../harness/rows.js';
import { callOf } from '../../../harness/world.js';

/** A box connection without a socket. Tests decide when it breaks off. */
class Visitor {
  closedWith: Close | null = null;
  readonly #heard = new EventEmitter();
  readonly #receiver: Receiver;

  constructor(reception: Reception) {
    this.#receiver = reception.serve(
      {
        text: (text) => {
          const message: RawMessage = JSON.parse(text);
          this.#heard.emit(message.op, message);
        },
        bytes() {},
        close: (close) => {
          this.closedWith = close;
          this.#heard.emit('close');
        },
        cut() {},
        pending: 0,
      },
      () => {},
    );
  }

  say(message: object): void {
    this.#receiver.text(JSON.stringify(message));
  }

  async next(op: string): Promise<RawMessage> {
    const [message] = await once(this.#heard, op);
    return message;
  }

  /** Runs the handshake up to the proof. */
  async introduce(keys: nacl.SignKeyPair, token?: string): Promise<void> {
    const challenge = this.next('challenge');
    const key = Buffer.from(keys.publicKey).toString('base64url');
    this.say({ op: 'hello', versions: [1], features: [], software: 'test', key, token, instance: 'i' });
    this.say({ op: 'proof', signature: signGreeting(keys, await challenge) });
  }

  breakOff(): void {
    this.#receiver.closed(1006, '');
  }
}

describe('R-16 a connection of a box', () => {
  let app: AppContext;
  let close: () => Promise<void>;
  let here: BoxesHere;
  let reception: Reception;
  let keys: nacl.SignKeyPair;
  let boxId: bigint;
  let first: Visitor;
  beforeAll(async () => {
    ({ app, close } = await openContext());
  });
  afterAll(() => close());
  beforeEach(async () => {
    here = new BoxesHere(app);
    const bots = new CloudBotDirectory(app.db.reader, app.clock, app.applications);
    reception = new Reception({ app, here, bots, quota: new ResponseQuota(), untilReachable: async () => {} });
    const { box, enrolmentToken } = await createBox(callOf(app, await createPerson(app)), { name: 'Home' });
    boxId = box.id;
    keys = nacl.sign.keyPair();
    first = new Visitor(reception);
    const welcomed = first.next('welcome');
    await first.introduce(keys, enrolmentToken);
    expect(await welcomed).toMatchObject({ generation: 1 });
  });

  /** A second connection. It runs the callback once it is stored as the newest. */
  async function second(meanwhile: (visitor: Visitor) => void): Promise<Visitor> {
    const visitor = new Visitor(reception);
    const written = new Promise<void>((resolve) => {
      const subscription = app.bus.subscribe(topics.box(boxId), () => {
        subscription.close();
        meanwhile(visitor);
        resolve();
      });
    });
    await visitor.introduce(keys);
    await written;
    return visitor;
  }

  const standing = () =>
    app.db.reader.box.findUniqueOrThrow({ where: { id: boxId }, select: { generation: true, holderId: true } });

  it('R-40 of a process that is about to end keeps its open requests if the box has another connection elsewhere', async () => {
    const owner = await createPerson(app);
    const made = await createBox(callOf(app, owner), { name: 'Other' });
    const other = new Visitor(reception);
    const welcomed = other.next('welcome');
    await other.introduce(nacl.sign.keyPair(), made.enrolmentToken);
    await welcomed;
    here.leave();
    const { box } = app.db.writer;
    await box.update({ where: { id: boxId }, data: { generation: 2, holderId: 'elsewhere' } });
    await box.update({ where: { id: made.box.id }, data: { publicKey: 'x' } });
    const closed = other.next('close');
    for (const id of [boxId, made.box.id]) app.publish({ type: 'BOX_UPDATED', boxId: id });
    // Both boxes are checked together.
    await closed;
    expect([other.closedWith?.code, first.closedWith]).toEqual([4101, null]);
  });

  it('that breaks off before its welcome leaves the earlier one serving, and its events are processed', async () => {
    await second((visitor) => visitor.breakOff());
    const acknowledged = first.next('ack');
    first.say({ op: 'begin', session: 'one' });
    first.say({ op: 'ready', s: 1 });
    expect(await acknowledged).toMatchObject({ s: 1 });
    expect(first.closedWith).toBeNull();
    expect(await standing()).toEqual({ generation: 2, holderId: app.live.id });
  });

  it('that breaks off before its welcome counts: one that was admitted before it and comes later closes 4103, and nothing else changes', async () => {
    const publicKey = Buffer.from(keys.publicKey).toString('base64url');
    let closing: Promise<unknown> = Promise.resolve();
    const late = await second((visitor) => {
      closing = visitor.next('close');
      void here.goOnWithout({ id: boxId, generation: 3, publicKey });
    });
    await closing;
    expect(late.closedWith).toMatchObject({ code: 4103 });
    const acknowledged = first.next('ack');
    first.say({ op: 'begin', session: 'one' });
    first.say({ op: 'ready', s: 1 });
    expect(await acknowledged).toMatchObject({ s: 1 });
    expect(first.closedWith).toBeNull();
  });

  it('that breaks off before its welcome leaves the box away once the earlier one is gone, too', async () => {
    await second((visitor) => visitor.breakOff());
    const away = new Promise<void>((resolve) => {
      app.bus.subscribe(topics.box(boxId), () => resolve());
    });
    first.breakOff();
    await away;
    expect(await standing()).toEqual({ generation: 2, holderId: null });
  });
});
