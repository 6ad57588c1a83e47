import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Lossy, startLossy } from '../../harness/lossy.js';
import { ask, formOf } from '../../harness/rest.js';
import { until } from '../../harness/until.js';

let all: Lossy;
beforeAll(async () => {
  all = await startLossy();
});
afterAll(() => all.stop());
beforeEach(() => untilBack());

/** Asks the box itself, because the status is stored shortly after a change. */
const untilBack = () => until(async () => (await all.ask('GET', `/guilds/${all.guild.id}`)).status === 200);

describe('a connection that is cut', () => {
  // A request and its answer are about 700 bytes each. An acknowledgement or an event may come before the answer.
  it.each([1, 100, 400, 700, 900, 1_200])(
    'R-43, R-25: %d bytes into the answer is 504, and the retry gets the answer of the first run',
    async (bytes) => {
      const content = `down ${bytes}`;
      all.line.cutAfter('up', bytes);
      const first = await all.post(content);
      // A short answer may have arrived completely.
      expect(bytes <= 400 ? [504] : [200, 504]).toContain(first.status);
      await untilBack();
      all.line.mend();
      const second = first.status === 200 ? first : await all.post(content);
      expect(second).toMatchObject({ status: 200, body: { content } });
      expect(await all.count(content)).toBe(1);
    },
  );

  it('R-43, R-25: in the middle of an upload is 504, nothing runs, and the retry runs once', async () => {
    const content = new Uint8Array(300_000);
    const send = () => {
      const form = formOf({ content: 'with a file' }, { name: 'files[0]', content, filename: 'x.bin' });
      const headers = { authorization: `Bot ${all.bot.botToken}` };
      return ask(all.cloud, 'POST', `/channels/${all.guild.textChannelId}/messages`, { form, headers });
    };
    all.line.cutAfter('down', 150_000);
    expect((await send()).status).toBe(504);
    await untilBack();
    expect(await all.count('with a file')).toBe(0);
    expect(await send()).toMatchObject({ status: 200, body: { attachments: [{ size: content.length }] } });
    expect(await all.count('with a file')).toBe(1);
  });
});
