import type { Duplex } from 'node:stream';
import type { Release } from '../../../infra/concurrency/semaphore.js';

const MAX_HANDSHAKES = { perAddress: 64, all: 2_048 };

/**
 * Limits connections without a proved key. At the limit, it closes the oldest, so that silent connections cannot keep
 * boxes out.
 */
export class HandshakeLimiter {
  /** Oldest first. */
  readonly #all = new Map<Duplex, string>();
  readonly #ofAddress = new Map<string, Set<Duplex>>();

  /** @param isCounted whether each address has a limit of its own */
  constructor(private readonly isCounted: boolean) {}

  /** Counts the connection until the result is called. */
  take(address: string, socket: Duplex): Release {
    const ofAddress = this.#ofAddress.get(address) ?? new Set();
    if (this.isCounted && ofAddress.size >= MAX_HANDSHAKES.perAddress) this.#pushOut(ofAddress);
    if (this.#all.size >= MAX_HANDSHAKES.all) this.#pushOut(this.#all.keys());
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
