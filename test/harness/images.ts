import sharp from 'sharp';

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An image in JSON, as on the reference platform. */
export const dataUri = (image: Buffer, type = 'image/png') => `data:${type};base64,${image.toString('base64')}`;

export async function movingGif(side = 16): Promise<Buffer> {
  const frame = { width: side, height: side, channels: 3 as const };
  const frames = await Promise.all(
    ['#f00', '#00f'].map((background) =>
      sharp({ create: { ...frame, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}
