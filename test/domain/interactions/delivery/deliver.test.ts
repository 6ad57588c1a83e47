import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { InteractionType } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallContext } from '../../../../src/domain/call.js';
import { autocompleteCommand, invokeCommand } from '../../../../src/domain/interactions/index.js';
import type { Interaction } from '../../../../src/infra/database/index.js';
import { MovableClock } from '../../../harness/clock.js';
import { putCommand } from '../../../harness/command-rows.js';
import {
  type EndpointMode,
  type EndpointOptions,
  FILE,
  startEndpoint,
  type TestEndpoint,
} from '../../../harness/endpoint.js';
import { GatewayClient } from '../../../harness/gateway-client.js';
import type { Loose } from '../../../harness/graphql.js';
import { kindsOfSteps, rowOf, stepsOf } from '../../../harness/interactions.js';
import { eventually } from '../../../harness/jobs.js';
import { ask as askRest } from '../../../harness/rest.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { createBot, type TestBot } from '../../../harness/world.js';
import { installWithCommands, openScene, type Scene } from '../scene.js';

const clock = new MovableClock();
let server: TestServer;
let scene: Scene;
const opened: { close(): Promise<unknown> }[] = [];
beforeAll(async () => {
  server = await startServer({ clock, env: { ALLOW_PRIVATE_ENDPOINTS: 'on' } });
  scene = await openScene(server);
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => server.stop());

interface Hosted {
  bot: TestBot;
  endpoint: TestEndpoint;
  session: GatewayClient;
  invoke(call?: CallContext): Promise<Interaction>;
  complete(): Promise<Interaction>;
}

async function host(mode: EndpointMode, options: EndpointOptions = {}): Promise<Hosted> {
  const { app } = server;
  const bot = await createBot(app);
  await installWithCommands(app, bot, scene.guild);
  const endpoint = await startEndpoint(options);
  opened.push(endpoint);
  endpoint.mode(mode);
  const { publicKey } = await app.db.writer.application.update({
    where: { id: bot.id },
    data: { interactionsEndpointUrl: endpoint.url },
  });
  endpoint.trust(publicKey);
  const session = await GatewayClient.open(server.origin);
  opened.push(session);
  await session.ready(bot.token);
  const option = { type: 3, name: 'text', description: 'What', autocomplete: true };
  const { id: commandId } = await putCommand(app, bot.id, { options: [option] });
  const asked = { channelId: scene.guild.channel.id, commandId };
  return {
    bot,
    endpoint,
    session,
    invoke: (call = scene.owner) => invokeCommand(call, { ...asked, options: [] }),
    complete: () =>
      autocompleteCommand(scene.owner, { ...asked, options: [{ name: 'text', type: 3, value: 'a', focused: true }] }),
  };
}

const callback = ({ id, token }: Loose, body: object = { type: 4, data: { content: 'through the route' } }) =>
  askRest(server, 'POST', `/interactions/${id}/${token}/callback`, { json: body });

const staged = () => readdir(join(server.app.config.dataDir, 'blobs', '.staging')).catch(() => []);

async function told({ session }: Hosted): Promise<Loose[]> {
  return (await session.settled()).filter(({ t }) => t === 'INTERACTION_CREATE').map(({ d }) => d);
}

const settled = (row: { id: bigint }, state: string) =>
  eventually(async () => {
    const now = await rowOf(server, row);
    expect(now.state).toBe(state);
    return now;
  });

/** The number of requests to endpoints, or their duration in seconds, by outcome. */
async function requestMetrics(which: 'count' | 'sum'): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  const lines = text.matchAll(/^causeway_endpoint_request_seconds_(\w+)\{outcome="(\w+)"\} (\S+)$/gm);
  const ofInterest = [...lines].filter(([, suffix]) => suffix === which);
  return Object.fromEntries(ofInterest.map(([, , outcome, value]) => [outcome, Number(value)]));
}

const contentOf = async (row: { id: bigint }) => {
  const { originalMessageId } = await rowOf(server, row);
  const found = await server.app.db.reader.message.findUnique({ where: { id: originalMessageId ?? 0n } });
  return found?.content;
};

describe('an interaction over HTTP', () => {
  it('I-8, I-9: reaches the endpoint, signed, and is not sent through the gateway', async () => {
    const hosted = await host('good', { answer: () => ({ type: 4, data: { content: 'hi' } }) });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'ANSWERED', callbackType: 4, fellBack: false, httpMs: expect.any(Number) });
    expect(await contentOf(sent)).toBe('hi');
    expect(await told(hosted)).toEqual([]);
    const [request] = hosted.endpoint.requests;
    expect(request).toMatchObject({ method: 'POST', isSigned: true });
    expect(request?.headers['x-signature-timestamp']).toMatch(/^\d{10}$/);
    expect(request?.headers['x-signature-ed25519']).toMatch(/^[0-9a-f]{128}$/);
    expect(request?.interaction).toMatchObject({ id: String(sent.id), type: InteractionType.ApplicationCommand });
  });

  it.each([
    ['answered', 'good'],
    ['accepted', 'noContent'],
    ['unusable', 'wrongJson'],
    ['failed', 'error'],
  ] as const)('is counted as %s, with its duration', async (outcome, mode) => {
    const hosted = await host(mode, { answer: () => ({ type: 4, data: { content: 'hi' } }) });
    const [countBefore, secondsBefore] = [await requestMetrics('count'), await requestMetrics('sum')];
    const { httpMs } = await hosted.invoke();
    const [count, seconds] = [await requestMetrics('count'), await requestMetrics('sum')];
    expect(count).toEqual({ ...countBefore, [outcome]: (countBefore[outcome] ?? 0) + 1 });
    expect((seconds[outcome] ?? 0) - (secondsBefore[outcome] ?? 0)).toBeCloseTo((httpMs ?? 0) / 1_000, 6);
  });

  it('I-25: is traced with the request, without its token, and the response', async () => {
    const hosted = await host('good', { answer: () => ({ type: 4, data: { content: 'hi' } }) });
    const [step, ...more] = await stepsOf(server, await hosted.invoke());
    expect(more).toEqual([]);
    expect(step).toMatchObject({ kind: 'HTTP', status: 200, durationMs: expect.any(Number), reason: null });
    expect(step?.response).toContain('hi');
    expect(JSON.parse(step?.request ?? '')).toMatchObject({ type: 2, token: '…' });
    expect(step?.request).not.toContain(hosted.endpoint.requests[0]?.interaction.token);
  });

  it('reuses a connection', async () => {
    const hosted = await host('good');
    await hosted.invoke();
    await hosted.invoke();
    expect(hosted.endpoint.connections()).toBe(1);
  });

  it.each(['wrongType', 'noType', 'slow', 'closes'] as const)(
    'I-10: is answered by an endpoint that is %s',
    async (mode) => {
      const hosted = await host(mode, { answer: () => ({ type: 4, data: { content: mode } }) });
      expect(await hosted.invoke()).toMatchObject({ state: 'ANSWERED', fellBack: false });
      expect(await hosted.invoke()).toMatchObject({ state: 'ANSWERED' });
      expect(await told(hosted)).toEqual([]);
    },
  );

  it.each(['noJson', 'wrongJson', 'long', 'huge', 'endless', 'compressed'] as const)(
    'I-10: fails on an unusable 2xx (%s), and is not sent through the gateway',
    async (mode) => {
      const hosted = await host(mode);
      const sent = await hosted.invoke();
      expect(sent).toMatchObject({ state: 'FAILED', fellBack: false, endsAt: null, failure: expect.any(String) });
      expect(await told(hosted)).toEqual([]);
      expect(await stepsOf(server, sent)).toMatchObject([{ kind: 'HTTP', status: 200, reason: sent.failure }]);
      const { interaction } = hosted.endpoint.requests[0] ?? {};
      expect((await callback(interaction)).body).toMatchObject({ code: 10062 });
    },
  );

  it.each([
    [{ type: 4, data: {} }, /empty/],
    [{ type: 7, data: { content: 'x' } }, /type: .* type 7/],
    [{ type: 4, data: { content: 'x'.repeat(4_001) } }, /data\.content: /],
    [{ type: 1 }, /type: /],
  ])('I-10: fails on a refused response, and reports all its errors: %j', async (body, reason) => {
    const hosted = await host('good', { answer: () => body });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'FAILED', failure: expect.stringMatching(reason), originalMessageId: null });
    expect(await told(hosted)).toEqual([]);
  });

  it.each([
    [4, { type: 4, data: { content: 'see', attachments: [{ id: 0, description: 'a file' }] } }],
    [4, { type: 4, data: { embeds: [{ image: { url: 'attachment://a.png' } }] } }],
  ])('I-10: is answered with files by a form, as on the callback route (type %s: %j)', async (callbackType, body) => {
    const hosted = await host('form', { answer: () => body });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'ANSWERED', callbackType });
    const where = { messageId: sent.originalMessageId ?? 0n };
    const [file, ...others] = await server.app.db.reader.attachment.findMany({ where });
    expect(others).toEqual([]);
    expect(file).toMatchObject({ filename: 'a.png', contentType: 'image/png', size: FILE.length });
    const key = `attachments/${scene.guild.channel.id}/${where.messageId}/${file?.id}`;
    expect(await buffer(server.app.blobs.read(key))).toEqual(Buffer.from(FILE));
    expect(await staged()).toEqual([]);
    expect(await stepsOf(server, sent)).toMatchObject([
      { kind: 'HTTP', response: expect.stringContaining('files[0]') },
    ]);
  });

  it('I-12: is answered by a form with a file of the maximum size in the payload', async () => {
    const hosted = await host('largeForm', { answer: () => ({ type: 4, data: { content: 'large' } }) });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'ANSWERED', failure: null });
    const where = { messageId: sent.originalMessageId ?? 0n };
    const file = await server.app.db.reader.attachment.findFirst({ where });
    expect(file?.size).toBe(hosted.endpoint.requests[0]?.interaction.attachment_size_limit);
    expect(await staged()).toEqual([]);
  });

  it.each([
    ['tooLargeForm', { type: 4, data: { content: 'x' } }, /maximum size of 10485760 bytes/],
    ['wrongForm', { type: 4, data: { content: 'x' } }, /Name each file files\[n\]/],
    ['noJsonForm', undefined, /invalid JSON/],
    ['noJson', undefined, /invalid JSON.*return 202/],
    ['deepJson', undefined, /at most 64 levels deep/],
    ['latin1', { type: 4, data: { content: 'café' } }, /It is not valid UTF-8/],
    ['brokenForm', undefined, /form is malformed/],
    ['form', { type: 4, data: { content: 5.5 } }, /data\.content: /],
    ['form', { type: 8, data: { choices: [] } }, /type: .* type 8/],
    ['form', { type: 4, data: { attachments: [{ id: 7 }] } }, /data\.attachments\.0\.id: /],
  ] as const)('I-10: fails on an unusable form or text (%s), and keeps no file', async (mode, body, reason) => {
    const hosted = await host(mode, { answer: () => body });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'FAILED', failure: expect.stringMatching(reason), originalMessageId: null });
    expect(sent.failure).not.toMatch(/request/i);
    expect(await staged()).toEqual([]);
    expect(await told(hosted)).toEqual([]);
  });

  const PROMISES = [
    'empty',
    'noContent',
    'good',
    'accepted',
    'acceptedObject',
    'acceptedHuge',
    'acceptedCutOff',
  ] as const;
  it.each(PROMISES)('I-10: is accepted for later by a 2xx without a body, or any 202 (%s)', async (mode) => {
    const hosted = await host(mode, { answer: () => undefined });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'DELIVERED_HTTP', fellBack: false });
    const { interaction } = hosted.endpoint.requests[0] ?? {};
    expect((await callback(interaction)).status).toBe(204);
    expect(await contentOf(sent)).toBe('through the route');
    expect(await told(hosted)).toEqual([]);
    expect(await kindsOfSteps(server, sent)).toEqual(['HTTP', 'CALLBACK']);
  });

  it('I-10: fails if the promised callback does not come within 3 s', async () => {
    const hosted = await host('noContent');
    const sent = await hosted.invoke();
    clock.advance(3_100);
    const failed = await settled(sent, 'FAILED');
    expect(failed.failure).toMatch(/callback route within 3 seconds/);
    await eventually(async () => expect(await kindsOfSteps(server, failed)).toEqual(['HTTP', 'FAILED']));
    expect(await told(hosted)).toEqual([]);
  });

  it('I-6: is checked when the promised callback is due', async () => {
    const hosted = await host('noContent');
    const looks: number[] = [];
    const sent = await hosted.invoke({ ...scene.owner, overdue: { lookAt: (time) => looks.push(time) } });
    expect(looks).toEqual([sent.endsAt?.getTime()]);
  });

  it('I-5: counts once if the callback comes before the response of the endpoint', async () => {
    const statuses: number[] = [];
    const hosted = await host('good', {
      answer: async (interaction) => {
        statuses.push((await callback(interaction)).status);
        return { type: 4, data: { content: 'inline' } };
      },
    });
    const sent = await hosted.invoke();
    expect(statuses).toEqual([204]);
    expect(sent).toMatchObject({ state: 'ANSWERED', failure: null });
    expect(await contentOf(sent)).toBe('through the route');
    expect(await told(hosted)).toEqual([]);
    expect(await stepsOf(server, sent)).toMatchObject([
      { kind: 'CALLBACK' },
      { kind: 'HTTP', status: 200, reason: expect.stringMatching(/already been acknowledged/) },
    ]);
  });

  it('I-10: is answered if the callback comes before an empty 2xx', async () => {
    const hosted = await host('good', { answer: async (interaction) => void (await callback(interaction)) });
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'ANSWERED', endsAt: null });
    expect(await kindsOfSteps(server, sent)).toEqual(['CALLBACK', 'HTTP']);
  });

  it('I-5: is refused at the callback route after the endpoint has answered', async () => {
    const hosted = await host('good');
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'DEFERRED', callbackType: 5 });
    const { interaction } = hosted.endpoint.requests[0] ?? {};
    expect((await callback(interaction)).body).toMatchObject({ code: 40060 });
  });
});

describe('the gateway gets an interaction', () => {
  it.each([
    'reset',
    'hangUp',
    'cutOff',
    'redirect',
    'error',
    'unauthorized',
    'hugeHeaders',
    'garbage',
    'upgrade',
  ] as const)('I-11: with the same id and token if the endpoint is unusable (%s)', async (mode) => {
    const hosted = await host(mode);
    const sent = await hosted.invoke();
    expect(sent).toMatchObject({ state: 'DELIVERED_GATEWAY', fellBack: true, httpMs: expect.any(Number) });
    const [payload, ...more] = await told(hosted);
    expect(more).toEqual([]);
    const { interaction } = hosted.endpoint.requests[0] ?? {};
    expect(payload).toEqual(interaction);
    expect((await callback(payload)).status).toBe(204);
    expect(await kindsOfSteps(server, sent)).toEqual(['HTTP', 'GATEWAY', 'CALLBACK']);
    expect((await stepsOf(server, sent))[0]?.reason).toEqual(expect.any(String));
  });

  it('I-8, I-11: if the endpoint does not answer within 3 s, and a late response is ignored', async () => {
    const modes: EndpointMode[] = ['hang', 'late', 'drip'];
    const hosts = await Promise.all(
      modes.map((mode) => host(mode, { answer: () => ({ type: 4, data: { content: 'late' } }) })),
    );
    let isSent = false;
    const sending = Promise.all(hosts.map(({ invoke }) => invoke())).finally(() => {
      isSent = true;
    });
    await Promise.all(hosts.map(({ endpoint }) => endpoint.reached(1)));
    clock.advance(2_500);
    await told(hosts[0] as Hosted);
    expect(isSent).toBe(false);
    clock.advance(500);
    const sent = await sending;
    for (const [index, row] of sent.entries()) {
      const hosted = hosts[index] as Hosted;
      expect(row).toMatchObject({ state: 'DELIVERED_GATEWAY', fellBack: true });
      const [payload] = await told(hosted);
      expect(payload?.id).toBe(String(row.id));
      expect((await callback(payload)).status).toBe(204);
    }
    for (const row of sent) expect(await contentOf(row)).toBe('through the route');
  });

  it('I-11: unless a callback came while the endpoint was asked', async () => {
    const hosted = await host('failsAfter', { answer: (interaction) => callback(interaction) });
    const begun = performance.now();
    const sent = await hosted.invoke();
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(sent).toMatchObject({ state: 'ANSWERED', failure: null });
    expect(await told(hosted)).toEqual([]);
    expect(await kindsOfSteps(server, sent)).toEqual(['CALLBACK', 'HTTP']);
  });

  it('I-11: if the endpoint is no longer there', async () => {
    const hosted = await host('good');
    await hosted.invoke();
    await hosted.endpoint.close();
    opened.splice(opened.indexOf(hosted.endpoint), 1);
    expect(await hosted.invoke()).toMatchObject({ state: 'DELIVERED_GATEWAY', fellBack: true });
    expect(await told(hosted)).toHaveLength(1);
  });

  it('I-15: and it fails if no session takes it within 3 s', async () => {
    const hosted = await host('error');
    await hosted.session.close();
    const sending = hosted.invoke();
    await hosted.endpoint.reached(1);
    await clock.advanceOnceWaiting(3_000);
    const sent = await sending;
    expect(sent).toMatchObject({
      state: 'FAILED',
      fellBack: true,
      endsAt: null,
      failure: expect.stringMatching(/^The endpoint responded with 500 instead of 2xx\. No gateway session/),
    });
    expect(await kindsOfSteps(server, sent)).toEqual(['HTTP', 'FAILED']);
    const { interaction } = hosted.endpoint.requests[0] ?? {};
    expect((await callback(interaction)).body).toMatchObject({ code: 10062 });
  });
});

describe('an autocompletion', () => {
  const choices = [{ name: 'a', value: 'a' }];

  it('I-1: is answered by the endpoint', async () => {
    const hosted = await host('good', { answer: () => ({ type: 8, data: { choices } }) });
    expect(await hosted.complete()).toMatchObject({ state: 'ANSWERED', choices });
  });

  it('I-1: is answered by a session', async () => {
    const hosted = await host('error');
    const answered = hosted.complete();
    const { d } = await hosted.session.event('INTERACTION_CREATE');
    expect((await callback(d, { type: 8, data: { choices } })).status).toBe(204);
    expect(await answered).toMatchObject({ state: 'ANSWERED', choices });
  });

  it('I-1: fails if no response comes in time', async () => {
    const hosted = await host('error');
    const asking = hosted.complete();
    await hosted.endpoint.reached(1);
    await clock.advanceOnceWaiting(3_000);
    expect(await asking).toMatchObject({ state: 'FAILED', choices: null });
  });
});
