import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Close } from '../../src/relay/protocol/closes.js';
import { closes } from '../../src/relay/protocol/closes.js';
import { Link, TOO_SLOW_BYTES } from '../../src/relay/protocol/link.js';
import {
  BoxMessage,
  CloudMessage,
  type FromBox,
  type FromCloud,
  MAX_TEXT_BYTES,
  type ToBox,
  type ToCloud,
} from '../../src/relay/protocol/messages.js';
import { createRelayAcceptor, dialRelay } from '../../src/relay/ws-adapter.js';
import { SELF_SIGNED } from '../harness/certificates.js';
import { ManualClock } from '../harness/clock.js';
import { startEndpoint } from '../harness/endpoint.js';
import { readableLog } from '../harness/log.js';
import { greet, openRelay, type RawRelay } from '../harness/raw-relay.js';

const LIMITS = { streamCredit: 262_144, boxCredit: 1_048_576 };
const { log } = readableLog();

class Heard<In> {
  readonly messages: In[] = [];
  readonly closed: Promise<Close>;
  readonly clock = new ManualClock();
  onMessage: (message: In) => void = (message) => void this.messages.push(message);
  onClosed: (code: number, reason: string) => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.onClosed = (code, reason) => resolve({ code, reason });
    });
  }
}

let server: Server;
let origin: string;
let cloud: Promise<{ link: Link<FromBox, ToBox>; heard: Heard<FromBox>; socket: Socket }>;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer();
  server.on('connection', (socket) => sockets.add(socket));
  cloud = new Promise((resolve) => {
    const accept = createRelayAcceptor((outlet, { socket }) => {
      const heard = new Heard<FromBox>();
      const link = new Link<FromBox, ToBox>({ outlet, clock: heard.clock, log, schema: BoxMessage, events: heard });
      link.allow(LIMITS);
      resolve({ link, heard, socket });
      return link;
    });
    server.on('upgrade', accept);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

function dial(address = `${origin}/relay`) {
  const heard = new Heard<FromCloud>();
  return new Promise<{ link: Link<FromCloud, ToCloud>; heard: Heard<FromCloud> }>((resolve, reject) => {
    dialRelay(
      address,
      (outlet) => {
        const link = new Link<FromCloud, ToCloud>({
          outlet,
          clock: heard.clock,
          log,
          schema: CloudMessage,
          events: heard,
        });
        link.allow(LIMITS);
        resolve({ link, heard });
        return link;
      },
      reject,
    );
  });
}

describe('a connection', () => {
  it('carries messages, bodies and the close in both directions', async () => {
    const box = await dial();
    const { link, heard } = await cloud;
    const body = randomBytes(3_000_000);
    const arrived = new Promise<Buffer>((resolve) => {
      box.heard.onMessage = (message) => {
        if (message.op === 'request') resolve(buffer(box.link.receiveBody(message.id, message.body)));
      };
    });
    link.send({
      op: 'request',
      ...{ id: 1, method: 'POST', path: '/', body: body.length, guild_id: '1', budget_ms: 1, key: 'k' },
      bot: { user: { id: '1', username: 'b' }, application_id: '1', message_content: true },
    });
    await link.sendBody(1, Readable.from([body]));
    expect((await arrived).equals(body)).toBe(true);
    const back = new Promise<Buffer>((resolve) => {
      heard.onMessage = (message) => {
        if (message.op === 'response') resolve(buffer(link.receiveBody(message.id, message.body)));
      };
    });
    box.link.send({ op: 'response', id: 1, status: 200, headers: {}, body: body.length });
    await box.link.sendBody(1, Readable.from([body]));
    expect((await back).equals(body)).toBe(true);
    link.end(closes.replaced);
    expect(await box.heard.closed).toEqual(closes.replaced);
    expect(await heard.closed).toEqual(closes.replaced);
  });

  it('with much text to read delays others for a turn only, and nothing of it is lost', async () => {
    const box = await dial();
    const { heard } = await cloud;
    const [count, length] = [400, 10_000];
    let [came, inTurn, most] = [0, 0, 0];
    const whole = new Promise<void>((resolve) => {
      heard.onMessage = () => {
        if (inTurn === 0) {
          setImmediate(() => {
            inTurn = 0;
          });
        }
        inTurn += 1;
        most = Math.max(most, inTurn);
        came += 1;
        if (came === count) resolve();
      };
    });
    const more = { unknown: 'x'.repeat(length) };
    for (let n = 0; n < count; n += 1) box.link.send({ op: 'cancelled', id: n + 1, ...more });
    await whole;
    // The limit of a turn, and the bytes that were already read from the socket.
    expect(most * length).toBeLessThan(200_000);
  });

  it('that is lost is closed 1006 for both ends, and breaks off the bodies', async () => {
    const box = await dial();
    const { link, heard } = await cloud;
    const sent = box.link.sendBody(1, Readable.from([randomBytes(1_000_000)]));
    link.cut();
    await expect(sent).rejects.toThrow('closed');
    expect([(await heard.closed).code, (await box.heard.closed).code]).toEqual([1006, 1006]);
  });

  it('R-4: notices a part of a message', async () => {
    const socket = await upgradeByHand();
    const { link, heard, socket: near } = await cloud;
    heard.clock.advance(15_000);
    const came = once(near, 'data');
    // The header of a masked text frame of 1,000 bytes, without its payload.
    socket.write(Buffer.from([0x81, 0xfe, 0x03, 0xe8, 1, 2, 3, 4]));
    await came;
    heard.clock.advance(15_000);
    expect(link.isOpen).toBe(true);
    heard.clock.advance(15_000);
    expect(link.isOpen).toBe(false);
    expect((await heard.closed).code).toBe(1006);
  });
});

async function upgradeByHand(): Promise<Duplex> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  const [, socket] = await once(request(`${origin}/relay`, { headers }).end(), 'upgrade');
  return socket;
}

describe('R-2 invalid data closes 4002', () => {
  let box: RawRelay;
  beforeEach(async () => {
    box = await openRelay(origin);
  });

  it.each([
    ['a text message beyond 1 MiB', 'x'.repeat(MAX_TEXT_BYTES + 1)],
    ['a binary message beyond 1 MiB', Buffer.alloc(MAX_TEXT_BYTES + 1)],
    ['a piece beyond 65,536 bytes', Buffer.alloc(65_541)],
    ['nonsense', 'nonsense'],
  ])('for %s', async (_, message) => {
    box.send(message);
    expect((await box.closed).code).toBe(4002);
  });

  it('for text that is not UTF-8', async () => {
    box.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect((await box.closed).code).toBe(4002);
    expect((await (await cloud).heard.closed).code).toBe(4002);
  });
});

it('R-10 to R-15: the raw end runs the handshake as a box does', async () => {
  const greeted = greet(origin, { token: 'token', hello: { region: 'attic' } });
  const { link, heard } = await cloud;
  const nonce = randomBytes(32).toString('base64url');
  const greeting = new Promise<FromBox[]>((resolve) => {
    heard.onMessage = (message) => {
      heard.messages.push(message);
      if (message.op === 'hello') link.send({ op: 'challenge', version: 1, features: [], nonce, origin });
      else resolve(heard.messages);
    };
  });
  const [hello, proof] = await greeting;
  if (hello?.op !== 'hello' || proof?.op !== 'proof') return expect.unreachable();
  expect(hello).toMatchObject({ versions: [1], token: 'token' });
  const x = hello.key.toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.from(`causeway relay 1\n${nonce}\n${x}\n${origin}`);
  expect(verify(null, signed, key, proof.signature)).toBe(true);
  const limits = { requests: 1, stream_credit: 65_536, box_credit: 65_536, answer_bytes: 1 };
  link.send({ op: 'welcome', box_id: '1', name: 'Cellar', id_space: 4_096, generation: 1, limits, events: null });
  const { relay, welcome } = await greeted;
  expect(welcome.limits).toEqual(limits);
  link.send({ op: 'call', id: 1, name: 'guild', input: {}, budget_ms: 1, key: 'k' });
  const response = new Promise<Buffer>((resolve) => {
    heard.onMessage = (message) => {
      if (message.op === 'response') resolve(buffer(link.receiveBody(message.id, message.body)));
    };
  });
  expect(await relay.answer({ name: 'Allotment' })).toMatchObject({ name: 'guild', text: '' });
  expect(String(await response)).toBe('{"name":"Allotment"}');
});

it('R-6: an end that does not read is closed with 4003 once too much waits for it', async () => {
  const box = await openRelay(origin);
  box.socket.pause();
  const { link, heard } = await cloud;
  const message = {
    op: 'call',
    id: 1,
    name: 'n',
    input: { x: 'x'.repeat(1_000_000) },
    budget_ms: 1,
    key: 'k',
  } as const;
  let sent = 0;
  while (link.isOpen && sent < TOO_SLOW_BYTES * 2) {
    link.send(message);
    sent += 1_000_000;
  }
  expect(sent).toBeGreaterThan(TOO_SLOW_BYTES);
  box.socket.resume();
  expect((await box.closed).code).toBe(4003);
  expect((await heard.closed).code).toBe(4003);
});

describe('a box that connects', () => {
  it('fails if no server listens', async () => {
    await expect(dial('http://127.0.0.1:1/relay')).rejects.toThrow('ECONNREFUSED');
  });

  it.each([301, 302, 307, 404, 503])('fails if the response is %i', async (status) => {
    server.removeAllListeners('upgrade');
    server.on('upgrade', (_, socket) => {
      socket.end(
        `HTTP/1.1 ${status} No\r\nLocation: ${origin}/elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    await expect(dial()).rejects.toThrow(String(status));
  });

  it('fails for an untrusted certificate', async () => {
    const endpoint = await startEndpoint({ tls: SELF_SIGNED });
    try {
      await expect(dial(endpoint.url)).rejects.toThrow(/self.signed/i);
    } finally {
      await endpoint.close();
    }
  });

  it('fails for an invalid address', async () => {
    await expect(dial('ftp://127.0.0.1/relay')).rejects.toThrow(SyntaxError);
  });

  it('may give up if no server answers', async () => {
    const silent = createTcpServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/relay`;
    const failed = new Promise<Error>((resolve) => {
      const giveUp = dialRelay(url, () => expect.unreachable(), resolve);
      silent.once('connection', giveUp);
    });
    expect((await failed).message).toContain('closed before');
    silent.close();
  });
});
