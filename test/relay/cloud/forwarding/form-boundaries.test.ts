import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BoundarySieve } from '../../../../src/relay/cloud/forwarding/form-boundaries.js';

function sieved(boundary: string, pieces: string[]) {
  const hash = createHash('sha256');
  let updates = 0;
  const update = hash.update.bind(hash);
  hash.update = (data: Parameters<typeof update>[0]) => {
    updates += 1;
    return update(data);
  };
  const sieve = new BoundarySieve(boundary, hash);
  for (const piece of pieces) sieve.update(Buffer.from(piece));
  sieve.end();
  return { digest: hash.digest('hex'), updates };
}

describe('the boundaries of a form', () => {
  it.each([0, 1, 10, 17])('are left out wherever the form is cut (%i)', (cut) => {
    const formOf = (boundary: string) => `--${boundary}\r\n\r\nx\r\n--${boundary}--`;
    const [one, other] = ['-----------------1', '0123456789abcdef'];
    const inPieces = [formOf(one).slice(0, cut), formOf(one).slice(cut)];
    expect(sieved(one, inPieces).digest).toBe(sieved(other, [formOf(other)]).digest);
  });

  it('take a limited share of the work for a form, however short they are', () => {
    const piece = 'a'.repeat(65_536);
    expect(sieved('a', [piece]).updates).toBeLessThan(10);
    expect(sieved('a'.repeat(16), [piece]).updates).toBeLessThan(2 * (65_536 / 16) + 10);
  });
});
