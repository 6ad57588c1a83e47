import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BoxRefused } from '../../../../src/domain/boxes/index.js';
import { GuildUnavailable } from '../../../../src/domain/guilds/index.js';
import { createBus } from '../../../../src/infra/processes/bus.js';
import { CrossProcessClient } from '../../../../src/relay/cloud/cross-process/client.js';
import { type CrossProcessMessage, crossProcessTopics } from '../../../../src/relay/cloud/cross-process/messages.js';
import { CrossProcessServer } from '../../../../src/relay/cloud/cross-process/server.js';
import {
  BoxError,
  type BoxTransport,
  type ForwardedRequest,
} from '../../../../src/relay/cloud/forwarding/transport.js';
import { ManualClock } from '../../../harness/clock.js';
import { announce, connectNewBox, type HandBox } from '../../../harness/hand-box.js';
import { readableLog } from '../../../harness/log.js';
import { startServer, type TestServer } from '../../../harness/server.js';

describe('calls and requests of the cloud to a box (docs/relay.md, R-20 to R-27, R-43)', () => {
  let server: TestServer;
  let clock: ManualClock;
  let box: HandBox;
  const { log, lines } = readableLog('warn');
  beforeAll(async () => {
    clock = new ManualClock();
    server = await startServer({ clock, log });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    box = await connectNewBox(server);
    await announce(box, []);
    lines.length = 0;
  });
  afterEach(() => box.relay.cut());

  const ask = () => server.app.boxes.ask(box.id, 'guild', { guild_id: '5' });
  const faultOf = (asked: Promise<unknown>) =>
    asked.then(
      () => null,
      (error: unknown) => {
        expect(error).toBeInstanceOf(GuildUnavailable);
        return error instanceof Error && error.cause instanceof BoxError ? error.cause.fault : 'no line';
      },
    );

  it('R-27 return the answer of the box', async () => {
    const asked = ask();
    const call = await box.relay.answer({ id: '5', name: 'Den' });
    expect(call).toMatchObject({ op: 'call', name: 'guild', input: { guild_id: '5' }, budget_ms: 12_000 });
    expect(await asked).toEqual({ id: '5', name: 'Den' });
  });

  it('R-20 number streams from 1, and R-22 send a body beyond the credit of a stream piece by piece', async () => {
    const asked = ask();
    const { id } = await box.relay.next('call');
    expect(id).toBe(1);
    const body = JSON.stringify('x'.repeat(2 * box.welcome.limits.stream_credit));
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: body.length });
    const half = box.welcome.limits.stream_credit;
    box.relay.sendBody(id, body.slice(0, half));
    for (let credit = 0, sent = half; sent < body.length; sent += credit) {
      for (credit = 0; credit === 0; ) {
        const given = await box.relay.next('credit');
        if (given.id === id) credit = given.bytes;
      }
      box.relay.sendBody(id, body.slice(sent, sent + credit));
    }
    expect(await asked).toBe(JSON.parse(body));
  });

  it.each([
    ['a status below 200', { status: 199, body: 0 }],
    ['a redirect', { status: 302, body: 0 }],
    ['401, on which a library throws its token away', { status: 401, body: 0 }],
    ['a status beyond 599', { status: 600, body: 0 }],
    ['an answer that is too long', { status: 200, body: 8 * 1024 * 1024 + 1 }],
    ['no JSON', { status: 200, body: 0 }],
    ['R-27 another status than 200', { status: 201, body: 0 }],
    ['R-27 a fault of the box', { status: 500, body: 0 }],
    ['R-27 a 429, which is good for a while only', { status: 429, body: 0 }],
  ])('R-21 fail if %s is not decodable, and R-35 log it once with the id of the box', async (_what, response) => {
    const fault = faultOf(ask());
    const { id } = await box.relay.next('call');
    box.relay.send({ op: 'response', id, headers: {}, ...response });
    expect(await fault).toBe('undecodable');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { boxId: String(box.id), msg: 'Box sent an invalid response' },
    ]);
  });

  it.each([
    [403, { code: 40007, message: 'no' }, 'BANNED', 'no'],
    [404, { code: 10004, message: 'no' }, 'UNKNOWN_GUILD', 'no'],
    [400, { code: 50035, message: 'x'.repeat(10_000) }, 'FORBIDDEN', 'x'.repeat(200)],
    [404, { message: { very: 'odd' } }, 'FORBIDDEN', null],
    [403, undefined, 'FORBIDDEN', null],
  ])(
    "R-27 treat %i as a refusal, with a message that is not the box's and a log entry with its id (%#)",
    async (status, body, code, said) => {
      const refused = ask().catch((error: unknown) => error);
      await box.relay.answer(body, status);
      const error = await refused;
      expect(error).toBeInstanceOf(BoxRefused);
      expect(error).toMatchObject({ code, message: expect.not.stringMatching(/^no$|x{5}/) });
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { boxId: String(box.id), call: 'guild', status, said, msg: 'Box refused a call' },
      ]);
    },
  );

  it('R-21 ignore later parts of a refused answer', async () => {
    const fault = faultOf(ask());
    const { id } = await box.relay.next('call');
    box.relay.send({ op: 'response', id, status: 401, headers: {}, body: 10 });
    box.relay.sendBody(id, 'x'.repeat(10));
    expect(await fault).toBe('undecodable');
    const asked = ask();
    await box.relay.answer({ id: '5' });
    expect(await asked).toEqual({ id: '5' });
  });

  it('R-21 close 4002 for an answer to no request', async () => {
    box.relay.send({ op: 'response', id: 99, status: 200, headers: {}, body: 0 });
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
  });

  it('R-23 are cancelled after their budget, and their number is in use until the box has released it', async () => {
    const fault = faultOf(ask());
    const { id } = await box.relay.next('call');
    clock.advance(12_000);
    expect(await fault).toBe('timeout');
    expect(await box.relay.next('cancel')).toMatchObject({ id });
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2 });
    box.relay.sendBody(id, '{}');
    const asked = ask();
    expect(await box.relay.answer({ late: false })).toMatchObject({ id: id + 1 });
    expect(await asked).toEqual({ late: false });
  });

  it('R-23 cannot be answered on a released stream', async () => {
    const fault = faultOf(ask());
    const { id } = await box.relay.next('call');
    clock.advance(12_000);
    await fault;
    box.relay.send({ op: 'cancelled', id });
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 0 });
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
  });

  it('R-2 are not sent if a message would be too long, which affects no other request', async () => {
    const query = 'x'.repeat(1024 * 1024);
    expect(await faultOf(server.app.boxes.ask(box.id, 'search_members', { guild_id: '5', query, limit: 1 }))).toBe(
      'tooLong',
    );
    const asked = ask();
    expect(await box.relay.answer({ id: '5' })).toMatchObject({ name: 'guild' });
    expect(await asked).toEqual({ id: '5' });
  });

  it('R-24 are not sent beyond the limit', async () => {
    const { requests } = box.welcome.limits;
    const asked = Array.from({ length: requests }, () => faultOf(ask()));
    expect(await faultOf(ask())).toBe('crowded');
    box.relay.cut();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['timeout']));
  });

  it('R-43 have no outcome after a lost connection, and later ones are not sent', async () => {
    const fault = faultOf(ask());
    await box.relay.next('call');
    box.relay.cut();
    expect(await fault).toBe('timeout');
    expect(await faultOf(ask())).toBe('offline');
  });

  it('R-40 are not sent to a box that announced its stop, and open ones continue', async () => {
    const asked = ask();
    const { id } = await box.relay.next('call');
    box.relay.send({ op: 'going_away', retry_after_ms: 1_000 });
    box.relay.send({ op: 'ping', t: 1 });
    await box.relay.next('pong');
    expect(await faultOf(ask())).toBe('offline');
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2 });
    box.relay.sendBody(id, '{}');
    expect(await asked).toEqual({});
  });

  it('are counted in metrics', async () => {
    const asked = ask();
    const { id } = await box.relay.next('call');
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2, took_ms: 0 });
    box.relay.sendBody(id, '{}');
    await asked;
    const shown = await server.app.metrics.registry.metrics();
    expect(shown).toMatch(/causeway_relay_requests_total\{outcome="answered"\} [1-9]/);
    expect(shown).toMatch(/causeway_relay_requests_total\{outcome="502"\} [1-9]/);
    expect(shown).toMatch(/causeway_relay_added_seconds_count [1-9]/);
    expect(shown).toMatch(/causeway_relay_boxes [1-9]/);
  });
});

describe('a box with its connection in another process', () => {
  const clock = new ManualClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  /** A client of a box whose connection is at the other end of a bus. */
  async function lineBy(transport: BoxTransport | null): Promise<BoxTransport> {
    const bus = createBus<CrossProcessMessage>(null, server.app.log);
    const crossProcessServer = new CrossProcessServer({
      bus,
      clock,
      log: server.app.log,
      transportTo: () => transport,
    });
    await crossProcessServer.listen('there');
    return new CrossProcessClient(bus, clock).transportTo(7n, 'there');
  }

  const errand = { budgetMs: 12_000, key: 'one' };
  const requestOf = (body: Buffer): ForwardedRequest => ({
    method: 'POST',
    path: '/channels/1/messages',
    query: { wait: 'true' },
    headers: { 'content-type': 'text/plain' },
    body: {
      size: body.length,
      async *read() {
        yield body;
      },
    },
    bot: { user: { id: '1', username: 'bot' }, application_id: '1', message_content: true },
    guildId: 5n,
  });

  const echo: BoxTransport = {
    boxId: 7n,
    async request(request) {
      const pieces: Buffer[] = [];
      for await (const piece of request.body.read()) pieces.push(piece);
      return { status: 201, retryAfter: null, tookMs: null, body: Buffer.concat(pieces) };
    },
    call: async (name, input) => ({
      status: 200,
      retryAfter: 2.5,
      tookMs: null,
      body: Buffer.from(JSON.stringify({ name, input })),
    }),
  };

  it.each([0, 1, 64 * 1024, 5_000_000])(
    'gets a body of %i bytes complete, and its answer arrives complete',
    async (size) => {
      const body = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
      const answer = await (await lineBy(echo)).request(requestOf(body), errand);
      expect(answer.status).toBe(201);
      expect(answer.body.equals(body)).toBe(true);
    },
  );

  it('answers calls', async () => {
    const answer = await (await lineBy(echo)).call('guild', { guild_id: '5' }, errand);
    expect(answer).toMatchObject({ status: 200, retryAfter: 2.5 });
    expect(JSON.parse(String(answer.body))).toEqual({ name: 'guild', input: { guild_id: '5' } });
  });

  it('is offline if that process has no connection', async () => {
    await expect((await lineBy(null)).call('guild', {}, errand)).rejects.toMatchObject({ fault: 'offline' });
  });

  it('has no outcome if that process does not answer', async () => {
    const bus = createBus<CrossProcessMessage>(null, server.app.log);
    bus.subscribe(crossProcessTopics.holder('there'), () => {});
    const asked = new CrossProcessClient(bus, clock).transportTo(7n, 'there').call('guild', {}, errand);
    const outcome = expect(asked).rejects.toMatchObject({ fault: 'timeout' });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(13_000);
    await outcome;
  });

  it('is offline if that process has no subscription any more', async () => {
    const bus = createBus<CrossProcessMessage>(null, server.app.log);
    const asked = new CrossProcessClient(bus, clock).transportTo(7n, 'gone').call('guild', {}, errand);
    await expect(asked).rejects.toMatchObject({ fault: 'offline' });
  });

  it('returns faults by their name', async () => {
    const failing = { ...echo, call: () => Promise.reject(new BoxError('crowded', 'too many')) };
    await expect((await lineBy(failing)).call('guild', {}, errand)).rejects.toMatchObject({ fault: 'crowded' });
  });
});
