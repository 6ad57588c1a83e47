import { type Encoding, plain, zlibPayloads, zstdStored } from './compression.js';
import type { Payload } from './events.js';
import { SOCKET_HIGH_WATER } from './protocol.js';
import { ZstdCompressor } from './zstd.js';

export interface Outlet {
  /** A complete WebSocket frame. */
  write(frame: Buffer): void;
  /** Starts the closing handshake. No frame may follow. */
  close(code: number, reason: string): void;
  /** Closes the socket without a handshake. */
  destroy(): void;
  /** Bytes not yet sent. */
  readonly pending: number;
}

export class Transmitter {
  #encoding: Encoding;
  #begun = false;
  readonly #compressor: ZstdCompressor | null;

  /** @param sender notified when the compressor can take more payloads */
  constructor(
    private readonly outlet: Outlet,
    encoding: Encoding,
    private readonly sender: { drained(): void },
  ) {
    this.#encoding = encoding;
    this.#compressor = encoding === zstdStored ? ZstdCompressor.create() : null;
  }

  get hasCapacity(): boolean {
    return this.outlet.pending + (this.#compressor?.pending ?? 0) < SOCKET_HIGH_WATER;
  }

  /** Compresses larger payloads, unless the transport compresses already. */
  compressPayloads(): void {
    if (this.#encoding === plain) this.#encoding = zlibPayloads;
  }

  send(payload: Payload): void {
    if (this.#compressor) {
      this.#sendCompressed(this.#compressor, payload);
      return;
    }
    const encoding = this.#encoding;
    if (this.#begun) {
      this.outlet.write(payload.encoded(encoding.slot, () => frameOf(encoding, payload, false)));
      if (this.outlet.pending > 0) payload.hold();
      return;
    }
    this.#begun = true;
    this.outlet.write(frameOf(encoding, payload, true));
  }

  /** No payload may follow. */
  end(): void {
    this.#compressor?.close();
  }

  #sendCompressed(compressor: ZstdCompressor, payload: Payload): void {
    compressor.compress(Buffer.concat(plain.encode(payload).parts), (compressed) => {
      this.outlet.write(webSocketFrame(true, [compressed]));
      if (this.hasCapacity) this.sender.drained();
    });
  }
}

function frameOf(encoding: Encoding, payload: Payload, first: boolean): Buffer {
  const { binary, parts } = encoding.encode(payload);
  return webSocketFrame(binary, first ? [encoding.preamble, ...parts] : parts);
}

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;

/** An unmasked, unfragmented WebSocket frame (RFC 6455, 5.2). */
function webSocketFrame(binary: boolean, parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = binary ? FINAL_BINARY : FINAL_TEXT;
  if (headerLength === 2) {
    frame[1] = length;
  } else if (headerLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  let offset = headerLength;
  for (const part of parts) offset += part.copy(frame, offset);
  return frame;
}
