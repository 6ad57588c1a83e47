import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestServer } from './server.js';

export interface RawAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

const TIMEOUT_MS = 8_000;

/** One TCP connection to the server. Tests write any bytes and read the responses in order. */
export class RawConnection {
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #isOpen = true;
  #wake: () => void = () => {};

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isOpen = false;
        this.#wake();
        resolve();
      });
    });
  }

  static async open({ origin }: Pick<TestServer, 'origin'>): Promise<RawConnection> {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  static async begin(
    server: Pick<TestServer, 'origin'>,
    { path, type, authorization }: { path: string; type: string; authorization: string },
  ): Promise<RawConnection> {
    const connection = await RawConnection.open(server);
    connection.write(
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Expect: 100-continue',
      `Content-Type: ${type}`,
      'Content-Length: 1000',
      ...(authorization ? [`Authorization: ${authorization}`] : []),
      '',
      '',
    );
    const { status } = await connection.answer();
    if (status !== 100) throw new Error(`answered ${status} before its body was sent`);
    return connection;
  }

  write(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  /** The next response. Its body must have a `Content-Length`. */
  async answer(): Promise<RawAnswer> {
    const headEnd = await this.#until(() => this.#received.indexOf('\r\n\r\n') + 1);
    const [statusLine = '', ...lines] = this.#received
      .subarray(0, headEnd - 1)
      .toString()
      .split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyStart = headEnd + 3;
    const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
    await this.#until(() => this.#received.length >= bodyEnd);
    const body = this.#received.subarray(bodyStart, bodyEnd).toString();
    this.#received = this.#received.subarray(bodyEnd);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }

  async #until<T>(find: () => T): Promise<T> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = find();
      if (found) return found;
      if (!this.#isOpen) throw new Error(`closed after ${JSON.stringify(this.#received.toString())}`);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
