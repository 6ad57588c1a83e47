import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Bodies, readText } from '../../src/http/bodies.js';

const MIB = 1024 * 1024;

describe('the memory of request bodies', () => {
  it('is limited to 32 MiB per sender, and released with the response', () => {
    const bodies = new Bodies();
    const [first, second] = [bodies.hold('1'), bodies.hold('1')];
    first.add(31 * MIB);
    second.add(MIB);
    expect(() => second.add(1)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 1 }));
    bodies.hold('2').add(1);
    first.release();
    first.release();
    second.add(31 * MIB);
    expect(() => second.add(1)).toThrow();
  });

  it('is limited to 256 MiB in total, and leaves each sender 1 MiB beyond that', () => {
    const bodies = new Bodies();
    for (let sender = 0; sender < 8; sender += 1) bodies.hold(String(sender)).add(32 * MIB);
    const another = bodies.hold('another');
    another.add(MIB);
    expect(() => another.add(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED', retryAfterSeconds: 1 }));
  });
});

it('reading a body fails if its sender disconnected before', async () => {
  const stream = new Readable({ read() {} });
  stream.destroy();
  await once(stream, 'close');
  await expect(readText({ headers: {}, stream }, MIB)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
