import type { Transform } from 'node:stream';
import zlib from 'node:zlib';

/** The window, as a power of two: 128 KiB, so that a connection's compressor stays small. */
const WINDOW_LOG = 17;

/** What newer versions of `node:zlib` have, of which the types know nothing yet. */
interface Zstd {
  createZstdCompress(options: { params: Record<number, number> }): ZstdStream;
  constants: { ZSTD_c_windowLog: number; ZSTD_c_compressionLevel: number; ZSTD_e_flush: number };
}

type ZstdStream = Transform & { flush(kind: number, done: () => void): void; close(): void };

function hasZstd(module: object): module is Zstd {
  return 'createZstdCompress' in module && typeof module.createZstdCompress === 'function';
}

/** The runtime's zstd, or null for one that has none. */
const zstd: Zstd | null = hasZstd(zlib) ? zlib : null;

/** One zstd frame that is never ended, for one connection. What goes in first comes out first. */
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
    // A stream that was closed with work left reports it; nobody waits for that work.
    this.#stream.on('error', () => {});
  }

  /** A compressor, or null where the runtime has no zstd. */
  static create(): ZstdCompressor | null {
    return zstd && new ZstdCompressor(zstd);
  }

  /** Bytes that went in and have not come out. */
  get pending(): number {
    return this.#pending;
  }

  /** Calls `done` with all that a reader needs to have `bytes` back. */
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
