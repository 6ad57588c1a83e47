import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BoxProcess, startBoxProcess } from '../../harness/box-process.js';
import type { Loose } from '../../harness/graphql.js';

const KILLS = 8;
const SENDERS = 4;

let all: BoxProcess;
beforeAll(async () => {
  all = await startBoxProcess();
}, 120_000);
afterAll(() => all.stop(), 60_000);

async function allMessages(): Promise<Loose[]> {
  const found: Loose[] = [];
  for (let before = ''; ; before = `&before=${found.at(-1).id}`) {
    const { body } = await all.ask('GET', `${all.messages}?limit=100${before}`);
    found.push(...body);
    if (body.length < 100) return found;
  }
}

it('R-25: a box that is killed while bots send messages stores none twice, and loses none that was acknowledged', async () => {
  const acknowledged = new Map<string, string>();
  let isOver = false;
  let wake: () => void = () => {};
  const gone = { times: 0 };
  /** Sends one message after the other, repeating each until it is acknowledged. */
  const sender = async (name: number) => {
    for (let n = 0; !isOver; n += 1) {
      const content = `${name}:${n}`;
      for (;;) {
        const { status, body } = await all.ask('POST', all.messages, { content });
        if (status === 200) {
          acknowledged.set(body.id, content);
          wake();
          break;
        }
        expect([503, 504]).toContain(status);
        if (status === 504) gone.times += 1;
        await back;
      }
    }
  };
  let back = Promise.resolve();
  const senders = Promise.all(Array.from({ length: SENDERS }, (_, name) => sender(name)));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const enough = acknowledged.size + randomInt(2, 12);
    while (acknowledged.size < enough) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const exited = once(all.running.process, 'exit');
    back = exited.then(() => all.start()).then(() => all.connected());
    all.running.process.kill('SIGKILL');
    await back;
  }
  isOver = true;
  await senders;
  const found = (await allMessages()).filter(({ content }) => /^\d+:\d+$/.test(content));
  const contents = found.map(({ content }) => content);
  expect(contents.filter((content, at) => contents.indexOf(content) !== at)).toEqual([]);
  const ids = new Map(found.map(({ id, content }) => [id, content]));
  for (const [id, content] of acknowledged) expect(ids.get(id)).toBe(content);
  expect(gone.times).toBeGreaterThan(0);
}, 300_000);
