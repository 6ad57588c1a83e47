import { DomainError } from '../domain/errors.js';

const MAX_WAITING = 256;

interface Reader<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/** A reader that falls {@link MAX_WAITING} values behind gets an error, not a gap. */
export class BoundedQueue<T> implements AsyncIterableIterator<T> {
  #waiting: T[] = [];
  #reader: Reader<T> | null = null;
  #end: { error?: unknown } | null = null;

  /**
   * @param onEnd called once, when the stream ends
   * @param onOverflow called if the reader was too slow
   */
  constructor(
    private readonly onEnd: () => void,
    private readonly onOverflow: () => void = () => {},
  ) {}

  push(value: T): void {
    if (this.#end) return;
    if (this.#reader) {
      this.#reader.resolve({ value, done: false });
      this.#reader = null;
    } else if (this.#waiting.length < MAX_WAITING) {
      this.#waiting.push(value);
    } else {
      this.#waiting = [];
      this.onOverflow();
      this.end(new DomainError('RATE_LIMITED', 'You read events more slowly than they arrive. Subscribe again.'));
    }
  }

  /** Ends after the waiting values. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.onEnd();
    const reader = this.#reader;
    this.#reader = null;
    if (error !== undefined) reader?.reject(error);
    else reader?.resolve({ value: undefined, done: true });
    if (reader) this.#end = {};
  }

  async next(): Promise<IteratorResult<T>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return { value, done: false };
    if (this.#end) {
      const { error } = this.#end;
      this.#end = {};
      if (error !== undefined) throw error;
      return { value: undefined, done: true };
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<T>> {
    this.#waiting = [];
    this.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
