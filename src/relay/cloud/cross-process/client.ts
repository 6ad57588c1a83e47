import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../../../infra/clock.js';
import type { Release } from '../../../infra/concurrency/semaphore.js';
import type { Bus, BusSubscription } from '../../../infra/processes/bus.js';

import { ResponseQuota } from '../connections/response-quota.js';
import {
  type BoxAnswer,
  BoxError,
  type BoxTransport,
  type CallOptions,
  type ForwardedBody,
} from '../forwarding/transport.js';
import { type CrossProcessMessage, type CrossProcessWork, crossProcessTopics } from './messages.js';
import { IncomingPieces, OutgoingPieces } from './pieces.js';

/** Extra time beyond the budget, which the process with the box applies itself. */
const GRACE_MS = 250;

/** Interval of checks that other processes are alive. */
const LOOK_EVERY_MS = 1_000;

interface Pending {
  outgoing: OutgoingPieces;
  incoming: IncomingPieces | null;
  release: Release;
  holderTopic: string;
  settle(answer: BoxAnswer): void;
  fail(error: unknown): void;
}

export class CrossProcessClient {
  readonly #pending = new Map<string, Pending>();
  readonly #topic = crossProcessTopics.asker(randomUUID());
  #subscription: BusSubscription | null = null;
  #look: Timer | null = null;

  constructor(
    private readonly bus: Bus<CrossProcessMessage>,
    private readonly clock: Clock,
    private readonly quota = new ResponseQuota(),
  ) {}

  transportTo(boxId: bigint, holderId: string): BoxTransport {
    const to = { boxId, holderTopic: crossProcessTopics.holder(holderId) };
    return {
      boxId,
      request: ({ body, guildId, ...request }, callOptions) => {
        const asked: CrossProcessWork = {
          kind: 'request',
          request: { ...request, guildId: String(guildId) },
          size: body.size,
        };
        return this.#ask(to, asked, body, callOptions);
      },
      call: (name, input, callOptions) => this.#ask(to, { kind: 'call', name, input }, null, callOptions),
    };
  }

  async #ask(
    { boxId, holderTopic }: { boxId: bigint; holderTopic: string },
    asked: CrossProcessWork,
    body: ForwardedBody | null,
    callOptions: CallOptions,
  ): Promise<BoxAnswer> {
    this.#subscription ??= this.bus.subscribe(this.#topic, (message) => this.#hear(message));
    await this.#subscription.ready;
    if (!this.#subscription.isComplete)
      throw new BoxError('offline', 'the process that serves the box cannot be reached');
    const id = randomUUID();
    const outgoing = new OutgoingPieces((data) => this.bus.publish(holderTopic, { type: 'piece', id, data }));
    let timer: Timer | undefined;
    const answer = new Promise<BoxAnswer>((settle, fail) => {
      this.#pending.set(id, { outgoing, incoming: null, release() {}, holderTopic, settle, fail });
      const late = () => fail(new BoxError('timeout', 'the process that serves the box did not respond in time'));
      timer = this.clock.after(callOptions.budgetMs + GRACE_MS, late);
    });
    this.#look ??= this.#lookLater();
    try {
      const ask: CrossProcessMessage = {
        type: 'ask',
        id,
        from: this.#topic,
        boxId: String(boxId),
        asked,
        errand: callOptions,
      };
      void this.#deliver(id, holderTopic, ask);
      if (body && body.size > 0) void this.#sendBody(id, outgoing, body);
      return await answer;
    } finally {
      timer?.cancel();
      outgoing.stop();
      this.#pending.get(id)?.release();
      this.#pending.delete(id);
    }
  }

  /**
   * If no process received the request, the box did not either. After an uncertain delivery, this waits for the
   * response.
   */
  async #deliver(id: string, holderTopic: string, ask: CrossProcessMessage): Promise<void> {
    const delivery = await this.bus.deliver(holderTopic, ask).catch(() => 'heard');
    if (delivery !== 'heard')
      this.#pending.get(id)?.fail(new BoxError('offline', 'the process that served the box is gone'));
  }

  #lookLater(): Timer {
    return this.clock.after(LOOK_EVERY_MS, () => {
      const waitedFor = new Map([...this.#pending].map(([id, { holderTopic }]) => [holderTopic, id]));
      this.#look = waitedFor.size === 0 ? null : this.#lookLater();
      for (const [holderTopic, id] of waitedFor) void this.#lookAt(holderTopic, id);
    });
  }

  /** See docs/relay.md, R-43. */
  async #lookAt(holderTopic: string, id: string): Promise<void> {
    const delivery = await this.bus.deliver(holderTopic, { type: 'waiting', id }).catch(() => 'heard');
    if (delivery !== 'unheard') return;
    const lost = new BoxError('timeout', 'the process that served the box ended before it responded');
    for (const pending of this.#pending.values()) if (pending.holderTopic === holderTopic) pending.fail(lost);
  }

  async #sendBody(id: string, outgoing: OutgoingPieces, body: ForwardedBody): Promise<void> {
    try {
      await outgoing.sendAll(body.read());
    } catch (error) {
      const pending = this.#pending.get(id);
      if (!pending) return;
      this.bus.publish(pending.holderTopic, { type: 'drop', id });
      pending.fail(error);
    }
  }

  #hear(message: CrossProcessMessage): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    switch (message.type) {
      case 'taken':
        pending.outgoing.taken();
        break;
      case 'fault':
        pending.fail(new BoxError(message.fault, message.message));
        break;
      case 'answer':
        this.#receive(message, pending);
        break;
      case 'piece':
        pending.incoming?.add(message.data);
        break;
      default:
        break;
    }
  }

  #receive(
    { id, size, status, retryAfter, tookMs }: Extract<CrossProcessMessage, { type: 'answer' }>,
    pending: Pending,
  ): void {
    const { holderTopic, settle, fail } = pending;
    const release = this.quota.take(size);
    if (!release) {
      this.bus.publish(holderTopic, { type: 'drop', id });
      fail(new BoxError('overfull', `there is no memory left for a response of ${size} bytes`));
      return;
    }
    pending.release = release;
    pending.incoming = new IncomingPieces(size, () => this.bus.publish(holderTopic, { type: 'taken', id }));
    void pending.incoming.whole.then((body) => settle({ status, retryAfter, tookMs, body }));
  }
}
