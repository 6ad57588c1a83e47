import type { Clock } from '../infra/clock.js';
import { controls } from './control.js';
import type { Payload } from './events.js';
import { Heartbeats } from './heartbeats.js';
import { type Close, closes, DRAIN_MS, PARTING_MS } from './protocol.js';

export interface ClientConnection {
  readonly hasSession: boolean;
  send(payload: Payload): void;
  close(close: Close): void;
  cutOff(): void;
}

export class Connections {
  readonly heartbeats: Heartbeats;
  readonly #open = new Set<ClientConnection>();
  #onEmpty: () => void = () => {};

  constructor(private readonly clock: Clock) {
    this.heartbeats = new Heartbeats(clock);
  }

  add(connection: ClientConnection): void {
    this.#open.add(connection);
    this.heartbeats.note(connection);
  }

  remove(connection: ClientConnection): void {
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#onEmpty();
  }

  /**
   * Asks clients to reconnect, as those of moved sessions have been. Closes the remaining connections after `DRAIN_MS`,
   * and destroys the rest after `PARTING_MS`.
   */
  async drain(): Promise<void> {
    for (const connection of this.#open) if (!connection.hasSession) connection.send(controls.reconnect);
    await this.#emptyWithin(DRAIN_MS);
    for (const connection of [...this.#open]) connection.close(closes.stopping);
    await this.#emptyWithin(PARTING_MS);
    for (const connection of [...this.#open]) connection.cutOff();
  }

  async #emptyWithin(ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(ms, resolve);
      this.#onEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
