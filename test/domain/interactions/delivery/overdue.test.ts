import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callContext } from '../../../../src/context.js';
import { removeExpiredRows } from '../../../../src/domain/expired-rows.js';
import {
  answerByToken,
  failureAt,
  nextOverdue,
  OverdueInteractions,
  settleOverdue,
  stateAt,
  takeForGateway,
} from '../../../../src/domain/interactions/index.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { snowflakeTime } from '../../../../src/infra/ids/ids.js';
import { topics } from '../../../../src/infra/streams/topics.js';
import { InteractionCallback } from '../../../../src/rest-compat/interaction-callback.js';
import { ManualClock } from '../../../harness/clock.js';
import {
  ANSWERS,
  type Asked,
  alter,
  answer,
  ask,
  callOfCallback,
  put,
  requestOf,
  rowOf,
  stepsOf,
} from '../../../harness/interactions.js';
import { eventually } from '../../../harness/jobs.js';
import { outcome } from '../../../harness/outcome.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { openScene, type Scene } from '../scene.js';

const clock = new ManualClock();
let server: TestServer;
let scene: Scene;
let asked: Asked;
beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
});
beforeEach(async () => {
  await server.app.db.writer.interaction.deleteMany();
  asked = await ask(scene, 'command');
});
afterAll(() => server.stop());

const nobody = () => callContext(server.app, { kind: 'anonymous' });

function statesTold(): { states: string[]; close(): void } {
  const states: string[] = [];
  const subscription = server.app.bus.subscribe(topics.application(scene.bot.id), (message) => {
    if (message.type !== 'INTERACTION_UPDATED' || !message.interaction?.state) return;
    states.push(message.interaction.state);
  });
  return { states, close: () => subscription.close() };
}

describe('an interaction after its time is over', () => {
  it('I-6: counts as failed at once, and its sender stores that with a step and an event', async () => {
    const { states, close } = statesTold();
    clock.advance(2_999);
    expect(stateAt(await rowOf(server, asked), clock.now())).toBe('DELIVERED_GATEWAY');
    clock.advance(1);
    const over = await rowOf(server, asked);
    expect(over.state).toBe('DELIVERED_GATEWAY');
    expect(stateAt(over, clock.now())).toBe('FAILED');
    expect(failureAt(over, clock.now())).toMatch(/did not answer it within 3 seconds/);
    await eventually(async () => {
      clock.advance(25);
      expect(await stepsOf(server, asked)).toHaveLength(2);
    });
    const noted = await rowOf(server, asked);
    expect(noted).toMatchObject({ state: 'FAILED', endsAt: null, failure: failureAt(over, clock.now()) });
    expect((await stepsOf(server, asked))[1]).toMatchObject({ kind: 'FAILED', reason: noted.failure });
    expect(states).toEqual(['FAILED']);
    close();
  });

  it('I-25: has the failure that the bot was not connected, if so', async () => {
    const left = await put(scene, await requestOf(scene, 'command'), false);
    await takeForGateway(scene.owner, { ...left, applicationId: scene.bot.id }, { isConnected: false });
    await alter(server, left, { endsAt: new Date(clock.now()) });
    await settleOverdue(nobody());
    const { failure } = await rowOf(server, left);
    expect(failure).toBe('The bot was not connected, and its session did not resume within 3 seconds.');
    expect(await stepsOf(server, left)).toMatchObject([
      { kind: 'GATEWAY', reason: expect.stringMatching(/not connected/) },
      { kind: 'FAILED', reason: failure },
    ]);
  });

  it('I-6: expires after 15 minutes if it was deferred, and that is stored', async () => {
    await answer(scene, asked, ANSWERS[5]);
    const end = snowflakeTime(asked.id) + 15 * 60_000;
    clock.advance(end - 1 - clock.now());
    expect(stateAt(await rowOf(server, asked), clock.now())).toBe('DEFERRED');
    clock.advance(1);
    expect(stateAt(await rowOf(server, asked), clock.now())).toBe('EXPIRED');
    await eventually(async () => {
      clock.advance(25);
      expect((await rowOf(server, asked)).state).toBe('EXPIRED');
    });
    await eventually(async () => expect(await stepsOf(server, asked)).toHaveLength(3));
    expect((await stepsOf(server, asked))[2]).toMatchObject({
      kind: 'EXPIRED',
      reason: expect.stringMatching(/deferred answer did not arrive within 15 minutes/),
    });
  });

  it('I-6: is checked at that time, also after a response was deferred or taken back', async () => {
    const { endsAt, channelId } = await rowOf(server, asked);
    const looks: number[] = [];
    const send = async (body: object) => {
      const overdue = { lookAt: (time: number) => looks.push(time) };
      const call = { ...(await callOfCallback(server, asked)), overdue };
      return answerByToken(call, { callback: parseInput(InteractionCallback, body), files: [] });
    };
    await alter(server, asked, { channelId: 5n });
    expect(await outcome(send(ANSWERS[4]))).toBe('UNKNOWN_CHANNEL');
    expect(looks).toEqual([endsAt?.getTime()]);
    await alter(server, asked, { channelId });
    await send(ANSWERS[5]);
    expect(looks).toEqual([endsAt?.getTime(), snowflakeTime(asked.id) + 15 * 60_000]);
  });

  it.each([
    ['DELIVERING', 'FAILED', null, /could not be delivered/],
    ['DELIVERED_HTTP', 'FAILED', 20, /callback route within 3 seconds/],
    ['DELIVERED_HTTP', 'FAILED', null, /^A listener received the interaction/],
    ['DELIVERED_GATEWAY', 'FAILED', null, /^A gateway session of the bot received the interaction/],
    ['DEFERRED', 'EXPIRED', 20, /within 15 minutes/],
  ] as const)('I-6: that a dead process left as %s is settled as %s', async (state, after, httpMs, reason) => {
    const left = await put(scene, await requestOf(scene, 'command'), false);
    await alter(server, left, { state, httpMs, endsAt: new Date(clock.now()) });
    await settleOverdue(nobody());
    expect(await rowOf(server, left)).toMatchObject({
      state: after,
      endsAt: null,
      failure: expect.stringMatching(reason),
    });
    expect(await stepsOf(server, left)).toMatchObject([{ kind: after, reason: expect.stringMatching(reason) }]);
    expect((await rowOf(server, asked)).state).toBe('DELIVERED_GATEWAY');
  });

  it('I-5: is settled once by several callers at once', async () => {
    const { states, close } = statesTold();
    await alter(server, asked, { endsAt: new Date(clock.now()) });
    await Promise.all(Array.from({ length: 5 }, () => settleOverdue(nobody())));
    expect((await stepsOf(server, asked)).filter(({ kind }) => kind === 'FAILED')).toHaveLength(1);
    expect(states).toEqual(['FAILED']);
    close();
  });

  it('I-6: is settled in batches if there are many, until the job is aborted', async () => {
    const { writer, reader } = server.app.db;
    const row = await rowOf(server, asked);
    const facts = { data: {}, owners: {}, modal: undefined, choices: undefined, endsAt: new Date(clock.now()) };
    const data = Array.from({ length: 250 }, () => ({ ...row, ...facts, id: server.app.nextId() }));
    await writer.interaction.createMany({ data });
    await expect(settleOverdue(nobody(), AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await reader.interaction.count({ where: { state: 'FAILED' } })).toBe(0);
    await settleOverdue(nobody());
    expect(await reader.interaction.count({ where: { state: 'FAILED' } })).toBe(250);
  });

  it('I-6: stays as it is if it was answered', async () => {
    await answer(scene, asked);
    clock.advance(16 * 60_000);
    await settleOverdue(nobody());
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', failure: null });
    expect(failureAt(await rowOf(server, asked), clock.now())).toBeNull();
  });
});

describe('the check for overdue interactions', () => {
  it('runs once for all that are due, and earlier if one is due earlier', () => {
    const own = new ManualClock(1_000);
    const looks: number[] = [];
    const overdue = new OverdueInteractions(
      { clock: own, connectionClock: own },
      async () => void looks.push(own.now()),
    );
    overdue.lookAt(5_000);
    overdue.lookAt(4_000);
    overdue.lookAt(4_000);
    overdue.lookAt(6_000);
    own.advance(10_000);
    expect(looks).toEqual([4_025]);
    overdue.lookAt(500);
    own.advance(25);
    expect(looks).toEqual([4_025, 11_025]);
  });

  it('finds out when the next one is due', async () => {
    const next = (await rowOf(server, asked)).endsAt?.getTime();
    const later = await ask(scene, 'command');
    await alter(server, later, { endsAt: new Date((next ?? 0) + 1) });
    expect(await nextOverdue(server.app.db.reader)).toBe(next);
    await server.app.db.writer.interaction.updateMany({ data: { endsAt: null } });
    expect(await nextOverdue(server.app.db.reader)).toBeNull();
  });
});

it('I-27: interactions and their steps are removed after seven days', async () => {
  const { db } = server.app;
  const week = 7 * 24 * 60 * 60_000;
  clock.advance(snowflakeTime(asked.id) + week - clock.now());
  await removeExpiredRows(db, clock, new AbortController().signal);
  expect(await db.reader.interaction.count({ where: { id: asked.id } })).toBe(1);
  clock.advance(1);
  await removeExpiredRows(db, clock, new AbortController().signal);
  expect(await db.reader.interaction.count({ where: { id: asked.id } })).toBe(0);
  expect(await db.reader.interactionStep.count({ where: { interactionId: asked.id } })).toBe(0);
});
