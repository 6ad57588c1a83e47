import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** `up` is from the box to the cloud. */
export type Direction = 'up' | 'down';

interface State {
  /** Directions without data transfer. */
  paused: Set<Direction>;
  atOnce: number;
  /** Number of bytes that still pass in a direction before the connection is cut. */
  cutAfter: { direction: Direction; bytes: number } | null;
}

const CARRYING = (): State => ({ paused: new Set(), atOnce: Number.POSITIVE_INFINITY, cutAfter: null });

/** A TCP proxy between a box and its cloud that a test can disturb. Its origin exists before the cloud does. */
export class LossyLine {
  readonly #carried = new Set<Carried>();
  #state = CARRYING();
  #port: number | null = null;
  #wake: () => void = () => {};
  #changed = new Promise<void>(() => {});
  readonly #awaited = new Map<Direction, () => void>();
  connections = 0;

  private constructor(private readonly server: Server) {
    this.#renew();
    server.on('connection', (near) => this.#take(near));
  }

  static async open(): Promise<LossyLine> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LossyLine(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Forwards new connections to this server; null refuses them.
   * @returns the proxy's own origin
   */
  leadTo(server: { origin: string } | null): string {
    this.#port = server && Number(new URL(server.origin).port);
    return this.origin;
  }

  pause(...directions: Direction[]): void {
    for (const direction of directions) this.#state.paused.add(direction);
  }

  drip(bytes: number): void {
    this.#state.atOnce = bytes;
  }

  cutAfter(direction: Direction, bytes: number): void {
    this.#state.cutAfter = { direction, bytes };
  }

  /** Drops all data of the open connections, their ends included. Both sides still see them as open. */
  swallow(): void {
    for (const carried of this.#carried) carried.isSwallowed = true;
    this.#renew();
  }

  /** Settles when the next bytes arrive in a direction, forwarded or not. */
  nextBytes(direction: Direction): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(direction, resolve);
    });
  }

  cut(): void {
    for (const carried of this.#carried) carried.destroy();
  }

  /** Closes the connections whose data is dropped. */
  cutSwallowed(): void {
    for (const carried of this.#carried) if (carried.isSwallowed) carried.destroy();
  }

  /** Ends all disturbances. Dropped and closed connections stay so. */
  mend(): void {
    this.#state = CARRYING();
    this.#renew();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #renew(): void {
    this.#wake();
    this.#changed = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take(near: Socket): void {
    if (this.#port === null) return void near.destroy();
    this.connections += 1;
    const far = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const carried = new Carried(near, far);
    this.#carried.add(carried);
    const ways = [this.#carry(carried, 'up', near, far), this.#carry(carried, 'down', far, near)];
    void Promise.all(ways).then(() => {
      carried.destroy();
      this.#carried.delete(carried);
    });
  }

  async #carry(carried: Carried, direction: Direction, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) await this.#hand(carried, direction, { bytes: chunk as Buffer, to });
      if (!carried.isSwallowed) to.end();
    } catch {
      if (!carried.isSwallowed) carried.destroy();
    }
  }

  async #hand(carried: Carried, direction: Direction, { bytes, to }: { bytes: Buffer; to: Socket }): Promise<void> {
    this.#awaited.get(direction)?.();
    for (let at = 0; at < bytes.length; ) {
      while (this.#state.paused.has(direction) && !carried.isSwallowed) await this.#changed;
      if (carried.isSwallowed) return;
      const { cutAfter, atOnce } = this.#state;
      const most = cutAfter?.direction === direction ? Math.min(cutAfter.bytes, atOnce) : atOnce;
      const piece = bytes.subarray(at, at + most);
      at += piece.length;
      if (piece.length > 0 && !to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      if (Number.isFinite(atOnce)) await setImmediate();
      if (cutAfter?.direction !== direction) continue;
      cutAfter.bytes -= piece.length;
      if (cutAfter.bytes > 0) continue;
      this.#state.cutAfter = null;
      carried.destroy();
      return;
    }
  }
}

class Carried {
  isSwallowed = false;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
  ) {
    for (const socket of [near, far]) socket.on('error', () => {});
  }

  destroy(): void {
    this.near.destroy();
    this.far.destroy();
  }
}
