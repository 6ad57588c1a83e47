import type { Clock, Timer } from '../../../infra/clock.js';
import type { Logger } from '../../../infra/observability/logger.js';
import type { Bus, BusSubscription } from '../../../infra/processes/bus.js';

import { SMALL_BYTES } from '../connections/response-quota.js';
import { type BoxAnswer, BoxError, type BoxTransport } from '../forwarding/transport.js';
import { type CrossProcessMessage, crossProcessTopics } from './messages.js';
import { IncomingPieces, OutgoingPieces } from './pieces.js';

/** Limit of buffered request bodies and large responses. */
const MAX_BYTES_FOR_OTHERS = 64 * 1024 * 1024;

/** Time limit for the other process to receive a response. */
const TAKING_MS = 15_000;

type CrossProcessRequest = Extract<CrossProcessMessage, { type: 'ask' }>;

interface Served {
  incoming: IncomingPieces;
  outgoing: OutgoingPieces;
  size: number;
  timer: Timer;
}

export interface CrossProcessServerParts {
  bus: Bus<CrossProcessMessage>;
  clock: Clock;
  log: Logger;
  /** Null if the box is not connected to this process. */
  transportTo(boxId: bigint): BoxTransport | null;
}

export class CrossProcessServer {
  readonly #served = new Map<string, Served>();
  #keptBytes = 0;
  #topic: string | null = null;
  #subscription: BusSubscription | null = null;

  constructor(private readonly parts: CrossProcessServerParts) {}

  /** Resolves when this process receives requests. */
  async listen(processId: string): Promise<void> {
    const topic = crossProcessTopics.holder(processId);
    if (topic !== this.#topic) {
      this.#subscription?.close();
      this.#topic = topic;
      this.#subscription = this.parts.bus.subscribe(topic, (message) => this.#hear(message));
    }
    await this.#subscription?.ready;
  }

  #hear(message: CrossProcessMessage): void {
    const served = this.#served.get(message.id);
    switch (message.type) {
      case 'ask':
        void this.#serve(message);
        break;
      case 'piece':
        served?.incoming.add(message.data);
        break;
      case 'taken':
        served?.outgoing.taken();
        break;
      case 'drop':
        this.#end(message.id);
        break;
      default:
        break;
    }
  }

  async #serve(ask: CrossProcessRequest): Promise<void> {
    const { id, from, boxId } = ask;
    const { bus, log } = this.parts;
    try {
      const transport = this.parts.transportTo(BigInt(boxId));
      if (!transport) throw new BoxError('offline', 'the box is not connected to this process');
      const { body, ...head } = await this.#perform(transport, ask, this.#begin(ask));
      this.#keepAnswer(id, body.length);
      bus.publish(from, { type: 'answer', id, ...head, size: body.length });
      await this.#served.get(id)?.outgoing.sendAll(once(body));
    } catch (error) {
      if (!(error instanceof BoxError)) log.error({ err: error, boxId }, 'Request of another process failed');
      const fault = error instanceof BoxError ? error.fault : 'timeout';
      bus.publish(from, { type: 'fault', id, fault, message: error instanceof Error ? error.message : '' });
    }
    this.#end(id);
  }

  /** @throws BoxError if too much is buffered */
  #begin({ id, from, asked, errand: callOptions }: CrossProcessRequest): IncomingPieces {
    const { bus, clock } = this.parts;
    const size = asked.kind === 'request' ? asked.size : 0;
    if (this.#keptBytes + size > MAX_BYTES_FOR_OTHERS)
      throw new BoxError('crowded', 'too much data is waiting for boxes');
    const incoming = new IncomingPieces(size, () => bus.publish(from, { type: 'taken', id }));
    const outgoing = new OutgoingPieces((data) => bus.publish(from, { type: 'piece', id, data }));
    const timer = clock.after(callOptions.budgetMs + TAKING_MS, () => this.#end(id));
    this.#keptBytes += size;
    this.#served.set(id, { incoming, outgoing, size, timer });
    return incoming;
  }

  /** @throws BoxError if too much is buffered */
  #keepAnswer(id: string, size: number): void {
    const served = this.#served.get(id);
    if (!served || size <= SMALL_BYTES) return;
    if (this.#keptBytes + size > MAX_BYTES_FOR_OTHERS)
      throw new BoxError('overfull', 'too much data is waiting for other processes');
    this.#keptBytes += size;
    served.size += size;
  }

  async #perform(
    line: BoxTransport,
    { asked, errand: callOptions }: CrossProcessRequest,
    incoming: IncomingPieces,
  ): Promise<BoxAnswer> {
    if (asked.kind === 'call') return line.call(asked.name, asked.input, callOptions);
    const { clock } = this.parts;
    const endsAt = clock.now() + callOptions.budgetMs;
    const { guildId, ...request } = asked.request;
    const whole = await incoming.whole;
    const budgetMs = endsAt - clock.now();
    if (budgetMs <= 0) throw new BoxError('timeout', 'the request did not arrive in time');
    const body = { size: whole.length, read: () => once(whole) };
    return line.request({ ...request, guildId: BigInt(guildId), body }, { ...callOptions, budgetMs });
  }

  #end(id: string): void {
    const served = this.#served.get(id);
    if (!served) return;
    this.#served.delete(id);
    this.#keptBytes -= served.size;
    served.timer.cancel();
    served.outgoing.stop();
  }
}

async function* once(body: Buffer): AsyncIterable<Buffer> {
  if (body.length > 0) yield body;
}
