import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** 128 KiB, which limits the memory per connection. */
const WINDOW_LOG = 17;

/** The API of newer `node:zlib` versions, which the types lack. */
interface Zstd {
  createZstdCompress(options: { params: Record<number, number> }): ZstdStream;
  constants: { ZSTD_c_windowLog: number; ZSTD_c_compressionLevel: number; ZSTD_e_flush: number };
}

type ZstdStream = Transform & { flush(kind: number, done: () => void): void; close(): void };

function hasZstd(module: object): module is Zstd {
  return 'createZstdCompress' in module && typeof module.createZstdCompress === 'function';
}

const zstd: Zstd | null = hasZstd(zlib) ? zlib : null;

/** One zstd frame per connection that never ends. Output follows the order of input. */
export class ZstdCompressor {
  readonly #stream: ZstdStream;
  readonly #flushKind: number;
  #output: Buffer[] = [];
  #pending = 0;

  private constructor(module: Zstd) {
    const { constants } = module;
    this.#flushKind = constants.ZSTD_e_flush;
    this.#stream = module.createZstdCompress({
      params: { [constants.ZSTD_c_windowLog]: WINDOW_LOG, [constants.ZSTD_c_compressionLevel]: 1 },
    });
    this.#stream.on('data', (part: Buffer) => this.#output.push(part));
    // Closing a stream with pending work emits an error.
    this.#stream.on('error', () => {});
  }

  static create(): ZstdCompressor | null {
    return zstd && new ZstdCompressor(zstd);
  }

  /** Input bytes whose output is pending. */
  get pending(): number {
    return this.#pending;
  }

  /** Calls `done` with all bytes that a decoder needs to recover `bytes`. */
  compress(bytes: Buffer, done: (compressed: Buffer) => void): void {
    this.#pending += bytes.length;
    this.#stream.write(bytes);
    this.#stream.flush(this.#flushKind, () => {
      this.#pending -= bytes.length;
      const compressed = Buffer.concat(this.#output);
      this.#output = [];
      done(compressed);
    });
  }

  close(): void {
    this.#stream.close();
  }
}
