import { describe, expect, it } from 'vitest';
import { ResponseQuota } from '../../../../src/relay/cloud/connections/response-quota.js';
import { Streams } from '../../../../src/relay/cloud/connections/streams.js';
import { cloudEnd } from '../../../harness/link-ends.js';

const LIMITS = { streamCredit: 65_536, boxCredit: 262_144 };
const REQUEST = {
  ...{ op: 'request' as const, method: 'POST', path: '/', query: {}, headers: {}, guild_id: '5' },
  bot: { user: { id: '1', username: 'b' }, application_id: '1', message_content: true },
};
const ERRAND = { budgetMs: 12_000, key: 'k' };

function open(size = 200_000) {
  const end = cloudEnd();
  end.link.allow(LIMITS);
  const streams = new Streams(end.link, end.clock, new ResponseQuota().ofBox());
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  async function* read() {
    try {
      for (let sent = 0; sent < size; sent += 50_000) yield Buffer.alloc(50_000);
    } finally {
      close();
    }
  }
  const answered = streams.ask({ ...REQUEST, body: size }, { size, read }, ERRAND);
  const answer = (status: number) =>
    streams.receive({ op: 'response', id: 1, status, headers: {}, body: 0, took_ms: undefined });
  const cancels = () => end.wire.messages.filter(({ op }) => op === 'cancel');
  return { ...end, answered, answer, closed, cancels };
}

describe('R-22, R-23: a body whose request is answered before it was fully sent', () => {
  it('is broken off, with or without credit for it, and its source is closed', async () => {
    const { answered, answer, closed, cancels, wire, link } = open();
    await expect.poll(() => wire.pieces.length).toBeGreaterThan(0);
    expect(answer(403)).toBe(true);
    expect(await answered).toMatchObject({ status: 403 });
    await closed;
    expect(cancels()).toEqual([{ op: 'cancel', id: 1 }]);
    const before = wire.pieces.length;
    link.text(JSON.stringify({ op: 'credit', id: 1, bytes: 1_000_000 }));
    link.text(JSON.stringify({ op: 'credit', id: 0, bytes: 1_000_000 }));
    expect([link.isOpen, wire.pieces.length]).toEqual([true, before]);
  });

  it('is broken off also if the answer is invalid', async () => {
    const { answered, answer, closed, cancels, wire } = open();
    await expect.poll(() => wire.pieces.length).toBeGreaterThan(0);
    answer(401);
    await expect(answered).rejects.toMatchObject({ fault: 'undecodable' });
    await closed;
    expect(cancels()).toHaveLength(1);
  });

  it('is not broken off if it was fully sent', async () => {
    const { answered, answer, closed, cancels } = open(50_000);
    await closed;
    await new Promise(setImmediate);
    answer(200);
    expect(await answered).toMatchObject({ status: 200 });
    expect(cancels()).toEqual([]);
  });
});
