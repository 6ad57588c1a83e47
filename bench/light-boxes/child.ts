// A process of light boxes. `index.ts` starts it and sends it tasks.
import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/infra/clock.js';
import { boxSnowflakes } from '../../src/infra/ids/ids.js';
import type { Dialling, LightBox } from './index.js';

/** The number of `ready`, after one `announce`. */
const READY = 2;

interface Message {
  op: string;
  nonce?: string;
  origin?: string;
  id_space?: number;
  s?: number;
}

/** Settles once the cloud has processed all messages of the box. */
function dial(origin: string, { publicKey, privateKey }: LightBox): Promise<void> {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/relay`, { perMessageDeflate: false });
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.once('open', () => {
      send({ op: 'hello', versions: [1], features: [], software: 'bench', key: publicKey, instance: randomUUID() });
    });
    socket.on('message', (data) => {
      const message: Message = JSON.parse(String(data));
      if (message.op === 'challenge') send({ op: 'proof', signature: signatureOf(message, publicKey, key) });
      else if (message.op === 'welcome') introduce(send, message.id_space ?? 0);
      else if (message.op === 'ping') send({ op: 'pong', t: 0 });
      else if (message.op === 'ack' && message.s === READY) resolve();
    });
    socket.once('error', reject);
    socket.once('close', (code, reason) => reject(new Error(`the connection of a box was closed: ${code} ${reason}`)));
  });
}

function signatureOf({ nonce, origin }: Message, publicKey: string, key: KeyObject): string {
  const signed = Buffer.from(['causeway relay 1', nonce, publicKey, origin].join('\n'));
  return sign(null, signed, key).toString('base64url');
}

function introduce(send: (message: object) => void, idSpace: number): void {
  const nextId = boxSnowflakes(systemClock, idSpace);
  const [id, owner_id, ...channels] = [nextId(), nextId(), nextId(), nextId()].map(String);
  send({ op: 'begin', session: randomUUID() });
  send({ op: 'announce', s: 1, guild: { id, name: 'Light', icon: null, owner_id, channels, bots: [] } });
  send({ op: 'ready', s: READY });
}

process.on('message', async ({ origin, boxes }: Dialling) => {
  const start = performance.now();
  await Promise.all(boxes.map((box) => dial(origin, box)));
  process.send?.((performance.now() - start) / 1_000);
});
process.once('disconnect', () => process.exit(1));
