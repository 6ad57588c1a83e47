import type { ToCloud } from '../protocol/messages.js';
import type { EventLog, LoggedEvent } from './event-log.js';

/**
 * Limits of unacknowledged entries. The entry that exceeds them stays below the cloud's limit (docs/relay.md, R-30).
 */
const WINDOW = { messages: 2_000, bytes: 2 * 1024 * 1024 };

export class EventSender {
  /** Sizes of unacknowledged entries in bytes, by number. */
  readonly #underWay = new Map<number, number>();
  #bytes = 0;
  #isOpen = true;

  /** @param sent number of the last entry that the cloud has */
  constructor(
    private readonly log: EventLog,
    private readonly send: (message: ToCloud) => void,
    private sent: number,
  ) {}

  pump(): void {
    while (this.#isOpen && this.#hasCapacity) {
      const entry = this.log.at(this.sent + 1);
      if (!entry) return;
      this.sent = entry.s;
      this.#underWay.set(entry.s, entry.size);
      this.#bytes += entry.size;
      this.send(numbered(entry.told, entry.s));
    }
  }

  acknowledge(s: number): void {
    if (!this.#isOpen || s > this.sent) return;
    this.log.acknowledge(s);
    for (const [number, size] of this.#underWay) {
      if (number > s) break;
      this.#underWay.delete(number);
      this.#bytes -= size;
    }
    this.pump();
  }

  get #hasCapacity(): boolean {
    return this.#bytes < WINDOW.bytes && this.#underWay.size < WINDOW.messages;
  }

  stop(): void {
    this.#isOpen = false;
  }
}

function numbered(told: LoggedEvent, s: number): ToCloud {
  switch (told.op) {
    case 'dispatch':
      return { op: 'dispatch', s, t: told.t, d: JSON.parse(told.data) };
    case 'announce':
      return { op: 'announce', s, guild: told.guild };
    case 'withdraw':
      return { op: 'withdraw', s, guild_id: told.guild_id };
    case 'ready':
      return { op: 'ready', s };
  }
}
