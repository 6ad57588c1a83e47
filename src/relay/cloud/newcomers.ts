import type { Duplex } from 'node:stream';
import type { Release } from '../../infra/slots.js';

/** How many connections may be in the handshake at once: from one address, and in total. */
const MAX_NEWCOMERS = { perAddress: 64, all: 2_048 };

/**
 * Bounds the connections that have not proved a key yet. At the bound the oldest one is closed, so that silent connections cannot keep boxes
 * out: a handshake takes two round trips, and a silent connection only lasts until enough others came after it.
 */
export class Newcomers {
  /** Sockets with their addresses, the oldest first. */
  readonly #all = new Map<Duplex, string>();
  readonly #ofAddress = new Map<string, Set<Duplex>>();

  /** @param isCounted whether connections of one address have a bound of their own */
  constructor(private readonly isCounted: boolean) {}

  /** Counts a connection until the returned function is called. Closes the oldest one if there are too many. */
  take(address: string, socket: Duplex): Release {
    const ofAddress = this.#ofAddress.get(address) ?? new Set();
    if (this.isCounted && ofAddress.size >= MAX_NEWCOMERS.perAddress) this.#pushOut(ofAddress);
    if (this.#all.size >= MAX_NEWCOMERS.all) this.#pushOut(this.#all.keys());
    this.#all.set(socket, address);
    this.#ofAddress.set(address, ofAddress.add(socket));
    return () => this.#free(socket);
  }

  #pushOut(sockets: Iterable<Duplex>): void {
    for (const oldest of sockets) {
      this.#free(oldest);
      oldest.destroy();
      return;
    }
  }

  #free(socket: Duplex): void {
    const address = this.#all.get(socket);
    if (address === undefined) return;
    this.#all.delete(socket);
    const ofAddress = this.#ofAddress.get(address);
    ofAddress?.delete(socket);
    if (ofAddress?.size === 0) this.#ofAddress.delete(address);
  }
}
