import type { APIMessage } from 'discord-api-types/v10';
import { segment } from './control.js';
import { Message } from './messages.js';
import { DEFAULT_WITHIN_MS, type Within } from './waiting.js';
import type { WorldClient } from './world-client.js';

type Matching = (message: APIMessage) => boolean;

export interface MessageFilter extends Within {
  /** `bots`, `anyone`, or the name of a person or an application. Default: `bots`. */
  from?: string | undefined;
  /** Other messages are skipped. */
  matching?: Matching | undefined;
}

/** A channel, as one person sees it. */
export class ObservedChannel {
  /** @internal */
  constructor(
    protected readonly world: WorldClient,
    /** As given: a name or an id. */
    readonly name: string,
    protected readonly personId: string,
  ) {}

  /**
   * Waits for the next message of a bot that the test has not seen yet.
   * @param filter a function is the same as `{ matching }`
   * @throws SandboxError NO_MESSAGE
   */
  async nextMessage(filter: MessageFilter | Matching = {}): Promise<Message> {
    const options = typeof filter === 'function' ? { matching: filter } : filter;
    const { from = 'bots', matching = () => true, withinMs = DEFAULT_WITHIN_MS } = options;
    const until = performance.now() + withinMs;
    for (;;) {
      const left = Math.max(0, Math.round(until - performance.now()));
      const query = { channel: this.name, from, after: this.world.seenIn(this.name), withinMs: left };
      const path = `/people/${segment(this.personId)}/next-message`;
      const message = await this.world.request<APIMessage>('GET', path, undefined, query);
      this.world.noteSeen(message, this.name);
      if (matching(message)) return new Message(this.world, message, this.personId);
    }
  }

  /** Fails if a bot sends a message within `ms` milliseconds of real time. */
  async expectSilence(ms: number, filter: Omit<MessageFilter, 'withinMs'> = {}): Promise<void> {
    const message = await this.nextMessage({ ...filter, withinMs: ms }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'NO_MESSAGE') return null;
      throw error;
    });
    if (message) throw new Error(`Expected no message in ${this.name}, but ${message.author} sent: ${message.content}`);
  }
}
