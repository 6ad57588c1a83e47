import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Called for each message, with its number in its socket and its bytes. The bytes are valid only during the call. */
export type OnMessage = (ordinal: number, bytes: Buffer) => void;

const HEAD_END = '\r\n\r\n';
/** All sockets of the process read into one buffer, which is processed before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);
/** Close with code 1000, masked with the key 0. It ends the session. */
const GOODBYE = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);

/**
 * A minimal WebSocket client, so that the server dominates the measurement. It parses frames only as far as it needs to
 * count them (RFC 6455, 5.2; servers send them unmasked).
 */
export class LightSocket {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  #upgraded = false;
  #closing = false;
  #rest: Buffer | null = null;
  #received = 0;
  #open: () => void = () => {};

  constructor(
    url: URL,
    private readonly onMessage: OnMessage,
  ) {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    const callback = (size: number) => {
      if (!this.#closing) this.#take(shared.subarray(0, size));
      return true;
    };
    this.#socket = connect({ host: url.hostname, port: Number(url.port), onread: { buffer: shared, callback } });
    this.#socket.setNoDelay(true);
    this.#socket.on('close', () => {
      if (!this.#closing) throw new Error('a gateway client lost its connection');
    });
    this.#socket.write(upgradeRequest(url));
  }

  send(text: string): void {
    this.#socket.write(clientFrame(text));
  }

  close(): Promise<void> {
    this.#closing = true;
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.#socket.end(GOODBYE);
    });
  }

  #take(chunk: Buffer): void {
    let data = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    if (!this.#upgraded) {
      const end = data.indexOf(HEAD_END);
      if (end >= 0) {
        if (!data.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) throw new Error(data.toString());
        this.#upgraded = true;
        data = data.subarray(end + HEAD_END.length);
        this.#open();
      }
    }
    if (this.#upgraded) data = this.#readFrames(data);
    if (data.length > 0) this.#rest = Buffer.from(data);
  }

  /** @returns the rest, an incomplete frame */
  #readFrames(data: Buffer): Buffer {
    let offset = 0;
    while (data.length - offset >= 2) {
      const short = data[offset + 1]!;
      const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length - offset < headLength) break;
      const length =
        short < 126 ? short : short === 126 ? data.readUInt16BE(offset + 2) : Number(data.readBigUInt64BE(offset + 2));
      const end = offset + headLength + length;
      if (data.length < end) break;
      if (data[offset] === 0x88)
        throw new Error(`the server closed the connection: ${data.readUInt16BE(offset + headLength)}`);
      this.#received += 1;
      this.onMessage(this.#received, data.subarray(offset + headLength, end));
      offset = end;
    }
    return data.subarray(offset);
  }
}

function upgradeRequest(url: URL): string {
  const head = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n`;
}

/** A text frame masked with the key 0, which leaves the text as it is. */
function clientFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(bytes.length < 126 ? 6 : 8);
  head[0] = 0x81;
  if (bytes.length < 126) {
    head[1] = 0x80 | bytes.length;
  } else {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(bytes.length, 2);
  }
  return Buffer.concat([head, bytes]);
}
