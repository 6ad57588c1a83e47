import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { connectAgain, connectNewBox, type HandBox } from '../harness/hand-box.js';
import { PIXEL } from '../harness/images.js';
import type { RawMessage } from '../harness/raw-relay.js';
import { startServer, type TestServer } from '../harness/server.js';

describe("the cloud's CDN for images of a box (docs/relay.md, R-27)", () => {
  let server: TestServer;
  let clock: ManualClock;
  let box: HandBox;
  let id: string;
  beforeAll(async () => {
    clock = new ManualClock();
    server = await startServer({ clock });
    box = await connectNewBox(server);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    id = String(box.nextId());
  });

  const hash = 'a'.repeat(32);
  const get = (path: string) => fetch(`${server.origin}/cdn/${path}`);
  const data = PIXEL.toString('base64');

  /** Answers the next request for an image. @returns the request */
  async function answer(value: unknown): Promise<RawMessage> {
    const { name, input } = await box.relay.answer(value, 200);
    expect(name).toBe('picture');
    return input;
  }

  it.each(['avatars', 'icons', 'app-icons'])('%s: requests it once for all clients, and caches it', async (of) => {
    const path = `${of}/${id}/${hash}.png`;
    const both = Promise.all([get(path), get(path)]);
    expect(await answer({ data })).toEqual({ of, id, hash, form: 'png' });
    for (const response of [...(await both), await get(path)]) {
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(PIXEL);
    }
  });

  it('emojis: requests the animated form first, and the still one if there is none', async () => {
    const asked = get(`emojis/${id}.webp?animated=true`);
    expect(await answer(null)).toEqual({ of: 'emojis', id, form: 'moving' });
    const { webp } = (await server.app.images.square(PIXEL)) ?? {};
    expect(await answer({ data: webp?.toString('base64') })).toEqual({ of: 'emojis', id, form: 'webp' });
    expect((await asked).status).toBe(200);
  });

  it('resizes an image itself after requesting it once', async () => {
    const asked = get(`icons/${id}/${hash}.png?size=16`);
    await answer({ data });
    expect((await asked).status).toBe(200);
    expect((await get(`icons/${id}/${hash}.png?size=32`)).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['none', null],
    ['no data', {}],
    ['what is no PNG', { data: Buffer.from('<svg/>').toString('base64') }],
    ['more than 1,500,000 bytes', { data: Buffer.concat([PIXEL, Buffer.alloc(1_500_000)]).toString('base64') }],
  ])('is 404 if the box answers %s', async (_what, value) => {
    const asked = get(`avatars/${id}/${hash}.png`);
    await answer(value);
    expect((await asked).status).toBe(404);
  });

  it('caches for a minute that there is none', async () => {
    const path = `avatars/${id}/${hash}.png`;
    const asked = get(path);
    await answer(null);
    expect([(await asked).status, (await get(path)).status]).toEqual([404, 404]);
    clock.advance(60_001);
    box = await connectAgain(server, box);
    const again = get(path);
    await answer({ data });
    expect((await again).status).toBe(200);
  });

  it('is 404 if the box does not know the call, as in an earlier version', async () => {
    const asked = get(`avatars/${id}/${hash}.png`);
    await box.relay.answer({ message: 'there is no call "picture"' }, 404);
    expect((await asked).status).toBe(404);
  });

  it('is 404, without a request, for ids of no box and for malformed names', async () => {
    const asked = ['avatars/1/', 'icons/3/'].map((path) => get(`${path}${hash}.png`));
    const never = [get(`avatars/${id}/x.png`), get(`avatars/${id}/${hash}.svg`), get('emojis/5.png')];
    for (const response of await Promise.all([...asked, ...never])) expect(response.status).toBe(404);
    expect(box.relay.messages.filter(({ input }) => input?.id === '1')).toEqual([]);
  });

  it('is 503 while the box is offline or does not respond, except for cached images', async () => {
    const [kept, other] = [`avatars/${id}/${hash}.png`, `avatars/${id}/${'b'.repeat(32)}.png`];
    const asked = get(kept);
    await answer({ data });
    await asked;
    const silent = get(other);
    await box.relay.next('call');
    clock.advance(12_000);
    expect((await silent).status).toBe(503);
    await box.relay.close();
    const away = await get(other);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await get(kept)).status).toBe(200);
    box = await connectAgain(server, box);
  });

  it('requests 8 images from a box at once, lets 64 wait, and answers the next with 503', async () => {
    const hashes = Array.from({ length: 64 }, (_, n) => n.toString(16).padStart(32, '0'));
    const all = hashes.map((one) => get(`icons/${id}/${one}.png`));
    const calls = [];
    for (let n = 0; n < 8; n += 1) calls.push(await box.relay.next('call'));
    await expect.poll(async () => (await get(`icons/${id}/${hash}.png`)).status).toBe(503);
    expect(box.relay.messages.filter(({ op, input }) => op === 'call' && input.id === id)).toHaveLength(8);
    for (const call of calls) {
      box.relay.send({ op: 'response', id: call.id, status: 200, headers: {}, body: 4 });
      box.relay.sendBody(call.id, 'null');
    }
    for (let n = 8; n < 64; n += 1) await answer(null);
    for (const response of await Promise.all(all)) expect(response.status).toBe(404);
  });
});
