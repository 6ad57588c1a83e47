import { setTimeout as wait } from 'node:timers/promises';
import type { World } from '../world.js';
import type { Fleet } from './fleet.js';

const MESSAGES_PER_SECOND = 10;

const READERS = 8;

const RETRY_MS = 250;

/** Bots send messages and read them, within their rate limits, until all requests are made and the drill is over. */
export class Load {
  readonly sentIds: string[] = [];
  requests = 0;
  readonly failures: string[] = [];
  #isOver = false;
  readonly #running: Promise<void>[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly world: World,
    private readonly fewest: number,
  ) {}

  begin(): void {
    this.#running.push(this.#write());
    for (let reader = 0; reader < READERS; reader += 1) this.#running.push(this.#read(reader));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #write(): Promise<void> {
    for (let turn = 0; !this.#isOver; turn += 1) {
      void this.#send(turn);
      await wait(1_000 / MESSAGES_PER_SECOND);
    }
  }

  async #send(turn: number): Promise<void> {
    const body = JSON.stringify({ content: `Message ${turn} of the drill` });
    const answer = await this.#request(turn, { method: 'POST', body });
    if (typeof answer === 'object' && answer !== null && 'id' in answer) this.sentIds.push(String(answer.id));
  }

  async #read(reader: number): Promise<void> {
    for (let turn = reader; !this.#isOver || this.requests < this.fewest; turn += READERS) {
      if ((await this.#request(turn)) === null) await wait(RETRY_MS);
    }
  }

  async #request(turn: number, init: RequestInit = {}): Promise<unknown> {
    const { channelIds, botTokens } = this.world;
    const channelId = channelIds[turn % channelIds.length];
    const token = botTokens[turn % botTokens.length];
    this.requests += 1;
    try {
      const answer = await fetch(
        `${this.fleet.origin}/api/v10/channels/${channelId}/messages${init.body ? '' : '?limit=1'}`,
        {
          ...init,
          // A proxy would not reuse a connection that the server is about to close.
          headers: { authorization: `Bot ${token}`, 'content-type': 'application/json', connection: 'close' },
        },
      );
      if (!answer.ok) this.failures.push(String(answer.status));
      return answer.json();
    } catch (error) {
      this.failures.push(error instanceof Error ? causeOf(error) : 'unknown');
      return null;
    }
  }
}

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : message;
}
