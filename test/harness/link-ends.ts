import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Close } from '../../src/relay/protocol/closes.js';
import { Link, type Outlet } from '../../src/relay/protocol/link.js';
import { BoxMessage, CloudMessage, type ToBox, type ToCloud } from '../../src/relay/protocol/messages.js';
import { ManualClock } from './clock.js';
import { readableLog } from './log.js';

/** The output of a link, kept until a test carries it. */
export class Wire implements Outlet {
  readonly sent: (string | Buffer)[] = [];
  /** Bytes that the network has not accepted. */
  pending = 0;
  closedWith: Close | null = null;
  isCut = false;

  text(message: string): void {
    this.sent.push(message);
  }

  bytes(message: Buffer): void {
    this.sent.push(message);
  }

  close(close: Close): void {
    this.closedWith = close;
  }

  cut(): void {
    this.isCut = true;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  get messages(): any[] {
    return this.sent.filter((message) => typeof message === 'string').map((text) => JSON.parse(text));
  }

  /** The pieces so far, without their headers. */
  get pieces(): { id: number; bytes: Buffer }[] {
    return this.sent
      .filter((message) => typeof message !== 'string')
      .map((message) => ({ id: message.readUInt32BE(), bytes: message.subarray(4) }));
  }
}

function createEnd<In extends { op: string }, Out extends { op: string }>(schema: z.ZodType<In>, clock: ManualClock) {
  const wire = new Wire();
  const { log, lines } = readableLog('debug');
  const received: In[] = [];
  const closes: Close[] = [];
  const bodies = new Map<number, Readable>();
  const end = {
    link: undefined as unknown as Link<In, Out>,
    wire,
    clock,
    lines,
    received,
    closes,
    bodies,
    onMessage: (message: In) => void message,
  };
  end.link = new Link<In, Out>({
    outlet: wire,
    clock,
    log,
    schema,
    events: {
      onMessage: (message) => {
        received.push(message);
        if (
          'body' in message &&
          'id' in message &&
          typeof message.body === 'number' &&
          typeof message.id === 'number'
        ) {
          bodies.set(message.id, end.link.receiveBody(message.id, message.body));
        }
        end.onMessage(message);
      },
      onClosed: (code, reason) => void closes.push({ code, reason }),
    },
  });
  return end;
}

export const cloudEnd = (clock = new ManualClock()) => createEnd<z.output<typeof BoxMessage>, ToBox>(BoxMessage, clock);

export const boxEnd = (clock = new ManualClock()) =>
  createEnd<z.output<typeof CloudMessage>, ToCloud>(CloudMessage, clock);

export type CloudEnd = ReturnType<typeof cloudEnd>;
export type BoxEnd = ReturnType<typeof boxEnd>;

/**
 * Carries one message from one end to the other.
 * @returns whether there was one
 */
export function carryOne(from: { wire: Wire }, to: { link: { text(text: string): void; bytes(bytes: Buffer): void } }) {
  const message = from.wire.sent.shift();
  if (message === undefined) return false;
  if (typeof message === 'string') to.link.text(message);
  else to.link.bytes(message);
  return true;
}

export async function carryAll(cloud: CloudEnd, box: BoxEnd): Promise<void> {
  for (let idle = 0; idle < 5; ) {
    const hasMoved = [carryOne(cloud, box), carryOne(box, cloud)].includes(true);
    idle = hasMoved ? 0 : idle + 1;
    if (!hasMoved) await new Promise((resolve) => setImmediate(resolve));
  }
}
