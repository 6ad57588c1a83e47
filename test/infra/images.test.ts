import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { Images, TooManyImages } from '../../src/infra/images.js';

const images = new Images();

const drawing = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();

/** The highest number of images in work at once while `work` runs. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const count = () => {
    // Without the queue: an image that leaves it is counted in both for a moment.
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
      expect(await mostAtOnce(async () => expect(await images.square(content)).toBeNull())).toBe(0);
    }
    expect(await images.square(await drawing(8_192, 1))).not.toBeNull();
  });

  it('is decoded at once with at most one other, and sixteen wait', async () => {
    const content = await drawing(64, 64);
    const most = await mostAtOnce(async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => images.square(content)));
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(refused).toEqual([expect.any(TooManyImages), expect.any(TooManyImages)]);
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
    expect(await images.square(content)).not.toBeNull();
  });
});

describe('images that are resized', () => {
  it('of one client are limited: one is decoded at once, and 32 wait', async () => {
    const content = await drawing(64, 64);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 35 }, () => images.sized('client', async () => content, { width: 8 })),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toEqual([expect.any(TooManyImages), expect.any(TooManyImages)]);
  });

  it('of another client are decoded in parallel to a client whose queue is full', async () => {
    const content = await drawing(64, 64);
    let read: (content: Buffer) => void = () => {};
    const reading = new Promise<Buffer>((resolve) => {
      read = resolve;
    });
    const first = images.sized('busy', () => reading, { width: 8 });
    const waiting = Array.from({ length: 32 }, () => images.sized('busy', async () => content, { width: 8 }));
    await expect(images.sized('busy', async () => content, { width: 8 })).rejects.toThrow(TooManyImages);
    expect(await images.sized('other', async () => content, { width: 8 })).not.toBeNull();
    read(content);
    await Promise.all([first, ...waiting]);
  });

  it('are decoded two at once together with uploads, and neither kind delays the other', async () => {
    const content = await drawing(64, 64);
    const ended: string[] = [];
    const size = () => images.sized('client', async () => content, { width: 8 }).then(() => ended.push('sized'));
    const upload = () => images.square(content).then(() => ended.push('uploaded'));
    const most = await mostAtOnce(async () => {
      const sized = Array.from({ length: 20 }, size);
      const uploaded = Array.from({ length: 18 }, upload);
      await Promise.all([...sized, ...uploaded]);
    });
    expect(most).toBe(2);
    expect(ended.slice(0, 20).filter((kind) => kind === 'uploaded').length).toBeGreaterThanOrEqual(6);
    expect(ended.slice(0, 20).filter((kind) => kind === 'sized').length).toBeGreaterThanOrEqual(6);
  });

  it('free their place in the queue after a failed read, which is reported to the caller', async () => {
    const failing = Array.from({ length: 5 }, () =>
      images.sized('client', () => Promise.reject(new Error('the disk')), { width: 8 }),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    const content = await drawing(64, 64);
    expect(await images.sized('client', async () => content, { width: 8 })).toMatchObject({ format: 'png' });
    expect(await images.sized('client', async () => Buffer.from('no image'), { width: 8 })).toBeNull();
  });

  it.each([
    [{ width: 64 }],
    [{ height: 48 }],
    [{ width: 64, height: 48 }],
    [{ width: 65 }],
    [{ height: 4_096, format: 'png' }],
    [{ quality: 'lossless' }],
    [{ quality: 50 }],
  ] as const)('are not encoded again if they have that form: 64 by 48 pixels as %o', async (form) => {
    const content = await drawing(64, 48);
    expect(await images.sized('client', async () => content, form)).toBeNull();
  });

  it.each([[{ width: 63, height: 48 }], [{ width: 64, height: 47 }], [{ width: 64, format: 'webp' }]] as const)(
    'are encoded again if a side or the format differs: as %o',
    async (form) => {
      const content = await drawing(64, 48);
      expect(await images.sized('client', async () => content, form)).not.toBeNull();
    },
  );

  it('have at most 1,000 frames', async () => {
    const moving = (frames: number) =>
      sharp(Buffer.from(Array.from({ length: 4 * 4 * 3 * frames }, (_, n) => (n * 31) % 251)), {
        raw: { width: 4, height: 4 * frames, channels: 3, pageHeight: 4 },
      })
        .gif()
        .toBuffer();
    const sizedOf = async (frames: number) => {
      const content = await moving(frames);
      return images.sized('client', async () => content, { width: 2 });
    };
    expect(await sizedOf(1_000)).toMatchObject({ format: 'gif' });
    expect(await sizedOf(1_001)).toBeNull();
  });
});
