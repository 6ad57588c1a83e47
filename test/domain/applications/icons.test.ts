import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { operationForm, sendForm } from '../../harness/forms.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { faultsOf, update, uploadIcon } from '../../harness/settings.js';

let server: TestServer;
let owner: Person;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

type Format = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'avif';

async function drawing(width: number, height: number, background: string, format: Format = 'png') {
  const image = sharp({ create: { width, height, channels: 3, background } });
  return new Uint8Array(await image.toFormat(format).toBuffer());
}

const upload = (content: Uint8Array<ArrayBuffer>) => uploadIcon(server, owner, application.id, content);

async function put(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const { data, errors } = await upload(content);
  expect(errors).toEqual([]);
  return data.updateApplication.application.iconUrl;
}

async function sizeOf(response: Response) {
  const { width, height, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  return { width, height, format };
}

describe('an icon', () => {
  it.each([
    ['png', 100, 100, 100],
    ['jpeg', 1000, 600, 512],
    ['gif', 20, 60, 60],
    ['webp', 512, 513, 512],
  ] as const)('is accepted as %s and becomes a square of at most 512 pixels', async (format, width, height, side) => {
    const address = await put(await drawing(width, height, '#f00', format));
    expect(address).toMatch(new RegExp(`^${server.origin}/cdn/app-icons/${application.id}/[0-9a-f]{32}\\.png$`));
    expect(await sizeOf(await fetch(address))).toEqual({ width: side, height: side, format: 'png' });
  });

  it('is recognized by its content, regardless of its name and type', async () => {
    for (const content of [
      await drawing(9, 9, '#f00', 'tiff'),
      await drawing(9, 9, '#f00', 'avif'),
      new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      new TextEncoder().encode('<script>alert(1)</script>'),
      (await drawing(300, 300, '#123456')).subarray(0, 60),
      new Uint8Array(),
    ]) {
      const answer = await upload(Uint8Array.from(content));
      expect(answer.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
      expect(faultsOf(answer)).toEqual({ icon: ['IMAGE_INVALID'] });
    }
  });

  it('is not decoded if it would exhaust the memory', { tags: ['slow'] }, async () => {
    const bomb = await drawing(16_000, 16_000, '#f00');
    expect(bomb.length).toBeLessThan(10 * 1024 * 1024);
    expect(faultsOf(await upload(bomb))).toEqual({ icon: ['IMAGE_INVALID'] });
  });

  it('is refused with a side of more than 8,192 pixels', async () => {
    const answer = await upload(await drawing(8_193, 1, '#f00'));
    expect(faultsOf(answer)).toEqual({ icon: ['IMAGE_INVALID'] });
    expect(answer.errors[0]?.message).toContain('8,192 pixels per side');
  });

  it('is refused while too many images wait for decoding', async () => {
    const content = await drawing(2, 2, '#f00');
    let isOver = false;
    // Each decoder queues again at once, so that the queue stays full.
    const others = Array.from({ length: 18 }, async () => {
      while (!isOver) await server.app.images.square(Buffer.from(content));
    });
    const { errors } = await upload(content);
    isOver = true;
    await Promise.all(others);
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }]);
    expect((await upload(content)).errors).toEqual([]);
  });

  it('is refused over 10 MiB', async () => {
    const padded = new Uint8Array(10 * 1024 * 1024 + 1);
    padded.set(await drawing(9, 9, '#f00'));
    expect(faultsOf(await upload(padded))).toEqual({ icon: ['BINARY_TYPE_MAX_SIZE'] });
    const largest = padded.subarray(0, 10 * 1024 * 1024);
    expect((await upload(Uint8Array.from(largest))).errors).toEqual([]);
  });

  it("is stored without the camera's metadata", async () => {
    const photo = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#0f0' } })
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .jpeg()
      .toBuffer();
    const stored = Buffer.from(await (await fetch(await put(Uint8Array.from(photo)))).arrayBuffer());
    expect((await sharp(photo).metadata()).exif).toBeDefined();
    expect((await sharp(stored).metadata()).exif).toBeUndefined();
  });

  it('is also the avatar of the bot', async () => {
    const address = await put(await drawing(50, 50, '#00f'));
    const hash = /([0-9a-f]{32})\.png$/.exec(address)?.[1];
    const headers = { authorization: `Bot ${application.botToken}` };
    const me = await (await fetch(`${server.origin}/api/v10/users/@me`, { headers })).json();
    expect(me).toMatchObject({ id: application.id, avatar: hash });
    const avatar = await fetch(`${server.origin}/cdn/avatars/${application.id}/${hash}.png?size=128`);
    expect(await sizeOf(avatar)).toEqual({ width: 50, height: 50, format: 'png' });
  });

  it('is replaced by the next one, and its files are deleted', async () => {
    const first = await put(await drawing(50, 50, '#00f'));
    const second = await put(await drawing(50, 50, '#0f0'));
    expect(second).not.toBe(first);
    for (const extension of ['png', 'webp', 'jpg']) {
      expect((await fetch(first.replace('png', extension))).status).toBe(404);
      expect((await fetch(second.replace('png', extension))).status).toBe(200);
    }
  });

  it('exists after the same image is uploaded many times at once', async () => {
    const content = await drawing(50, 50, '#00f');
    await Promise.all(Array.from({ length: 5 }, () => put(content)));
    expect((await fetch(await put(content))).status).toBe(200);
  });

  it('is removed with null', async () => {
    const address = await put(await drawing(50, 50, '#00f'));
    const changed = await update(owner, application.id, { icon: null });
    expect(changed).toMatchObject({ iconUrl: null, bot: { avatarUrl: null } });
    expect((await fetch(address)).status).toBe(404);
  });

  it('that is uploaded with rejected settings leaves no files', async () => {
    const content = await drawing(50, 50, '#abcdef');
    const address = await put(content);
    await update(owner, application.id, { icon: null });
    const variables = { input: { applicationId: application.id, icon: null, installLinkMode: 'CUSTOM' } };
    const query = `mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }`;
    const icon = { places: ['variables.input.icon'], content, filename: 'icon.png' };
    const answer = await sendForm(server, owner, operationForm({ query, variables }, [icon]));
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect((await fetch(address)).status).toBe(404);
  });

  it('is refused if one user uploads too many', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const busy = await signUp(limited, 'busy');
      const { id } = await createApplication(busy);
      const content = await drawing(2, 2, '#f00');
      const codes: unknown[] = [];
      for (let n = 0; n < 31; n += 1) {
        const { errors } = await uploadIcon(limited, busy, id, content);
        codes.push(...errors.map(({ extensions }) => extensions.code));
      }
      expect(codes).toEqual(['RATE_LIMITED']);
    } finally {
      await limited.stop();
    }
  });
});
