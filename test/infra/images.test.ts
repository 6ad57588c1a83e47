import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { squareImage, TooManyImages } from '../../src/infra/images.js';

const drawing = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();

/** How many images are worked on at once at most while `work` runs. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const count = () => {
    // Not with those in its queue: one that leaves it is counted in both places for a moment.
    most = Math.max(most, sharp.counters().process);
  };
  sharp.queue.on('change', count);
  await work();
  sharp.queue.off('change', count);
  return most;
}

describe('an image', () => {
  it('with a side of more than 8,192 pixels is refused before it is decoded', async () => {
    for (const [width, height] of [
      [8_193, 1],
      [1, 8_193],
    ] as const) {
      const content = await drawing(width, height);
      expect(await mostAtOnce(async () => expect(await squareImage(content)).toBeNull())).toBe(0);
    }
    expect(await squareImage(await drawing(8_192, 1))).not.toBeNull();
  });

  it('is one of two that are decoded at once, and of sixteen that wait for that', async () => {
    const content = await drawing(64, 64);
    const most = await mostAtOnce(async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => squareImage(content)));
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refused).toEqual([expect.any(TooManyImages), expect.any(TooManyImages)]);
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
    expect(await squareImage(content)).not.toBeNull();
  });
});
