import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deliverInteraction } from '../../src/domain/interactions/delivery/deliver.js';
import { createInvite, getInvite } from '../../src/domain/invites/index.js';
import { updateMember } from '../../src/domain/members/index.js';
import { sendMessage } from '../../src/domain/messages/index.js';
import { systemClock } from '../../src/infra/clock.js';
import { snowflakeTime } from '../../src/infra/ids/ids.js';
import { type JobKinds, Jobs } from '../../src/infra/jobs/index.js';
import { SandboxClock } from '../../src/sandbox/clock.js';
import { createClockedRateLimits } from '../../src/sandbox/rate-limits.js';
import { runBuiltIn } from '../domain/built-in-commands/scene.js';
import { openScene, type Scene } from '../domain/interactions/scene.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { ANSWERS, answer, ask, kindsOfSteps, requestOf, rowOf } from '../harness/interactions.js';
import { outcome } from '../harness/outcome.js';
import { type Person, signUp } from '../harness/people.js';
import { RestBot } from '../harness/rest.js';
import { putSlowMode } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { toSend } from '../harness/world.js';

const HOUR = 3_600_000;

const clock = new SandboxClock();
let server: TestServer;
let scene: Scene;
beforeAll(async () => {
  const limits = createClockedRateLimits(clock);
  server = await startServer({ clock, connectionClock: systemClock, limits, jobs: true });
  scene = await openScene(server);
});
beforeEach(() => clock.freeze());
afterAll(() => server.stop());

const say = (call = scene.ada) =>
  sendMessage(call, { channelId: scene.guild.channel.id, body: toSend({ content: 'hello' }) });

describe('an interaction', () => {
  it('fails when the clock has advanced by 3 s without an answer', async () => {
    const asked = await ask(scene, 'command');
    await clock.advance('2999ms');
    expect((await rowOf(server, asked)).state).toBe('DELIVERED_GATEWAY');
    await clock.advance(1);
    expect((await rowOf(server, asked)).state).toBe('FAILED');
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'FAILED']);
  });

  it('fails after 3 s if no session takes it', async () => {
    const delivered = deliverInteraction(scene.owner, await requestOf(scene, 'command'));
    const find = () => server.app.db.reader.interaction.findFirst({ where: { state: 'DELIVERING' } });
    const asked = await expect.poll(find).not.toBeNull().then(find);
    await setTimeout(50);
    await clock.advance('3s');
    expect((await rowOf(server, asked!)).state).toBe('FAILED');
    expect((await delivered).failure).toMatch(/^No gateway session .* within 3 seconds/);
  });

  it('expires when the clock has advanced by 15 minutes after it was deferred', async () => {
    const asked = await ask(scene, 'command');
    await answer(scene, asked, ANSWERS[5]);
    await clock.advance('15m');
    expect((await rowOf(server, asked)).state).toBe('EXPIRED');
  });

  it('does not fail in real time while the clock is frozen', async () => {
    const asked = await ask(scene, 'command');
    await clock.advance('2999ms');
    await setTimeout(100);
    expect((await rowOf(server, asked)).state).toBe('DELIVERED_GATEWAY');
    clock.resume();
    await expect.poll(async () => (await rowOf(server, asked)).state).toBe('FAILED');
  });
});

describe('a job', () => {
  const remindersAbout = (about: string) =>
    server.app.db.reader.message.findMany({ where: { content: { endsWith: about } } });

  it('posts a reminder once, at its time', async () => {
    const dueAt = clock.now() + HOUR;
    await runBuiltIn(scene.owner, scene.guild.channel.id, 'remindme', { when: '1h', about: 'the cake' });
    await clock.advance('59m');
    expect(await remindersAbout('the cake')).toEqual([]);
    await clock.advance('1h');
    const [reminder, ...others] = await remindersAbout('the cake');
    expect(snowflakeTime(reminder!.id)).toBe(dueAt);
    await clock.advance('1d');
    expect([others, (await remindersAbout('the cake')).length]).toEqual([[], 1]);
  });

  it('that is added for now runs while the clock is frozen', async () => {
    const now = clock.now();
    const { id } = await server.app.db.writer.authVerification.create({
      data: {
        id: '1',
        identifier: 'x',
        value: 'x',
        expiresAt: new Date(0),
        createdAt: new Date(0),
        updatedAt: new Date(0),
      },
    });
    await scene.owner.write(({ addJob }) => addJob({ kind: 'expired-rows', payload: {}, dueAt: now, key: 'now' }));
    await expect.poll(() => server.app.db.reader.authVerification.count({ where: { id } })).toBe(0);
    expect(clock.now()).toBe(now);
  });

  it('of the service has run for the last time less than its interval ago, but not every time', async () => {
    const runs = async () =>
      /job_runs_total\{kind="overdue-interactions",ending="done"\} (\d+)/.exec(
        await server.app.metrics.registry.metrics(),
      )?.[1];
    const before = Number(await runs());
    await clock.advance('7d');
    expect(Number(await runs()) - before).toBe(2);
    const { dueAt } = await server.app.db.reader.job.findUniqueOrThrow({ where: { key: 'overdue-interactions' } });
    expect(dueAt!.getTime() - clock.now()).toBeGreaterThan(0);
    expect(dueAt!.getTime() - clock.now()).toBeLessThanOrEqual(60_000);
  });

  it('that another job adds runs in the same move if it is due by then, and running ones are awaited', async () => {
    const ran: [string, number][] = [];
    const start = clock.now();
    const payloads = { first: z.object({}), second: z.object({}), third: z.object({}) };
    const { db, nextId } = server.app;
    const parts = { db, clock, connectionClock: systemClock, nextId, log: pino({ level: 'silent' }) };
    const jobs = new Jobs<typeof payloads>({ ...parts, registry: new Registry() });
    const add = async (kind: keyof typeof payloads, dueAt: number) => {
      await jobs.add(db.writer, { kind, payload: {}, dueAt });
      jobs.wakeAt(dueAt);
    };
    const running = (kind: keyof typeof payloads, next?: keyof typeof payloads) => ({
      payload: payloads[kind],
      atOnce: 1,
      run: async () => {
        await setTimeout(20);
        ran.push([kind, clock.now() - start]);
        if (next) await add(next, clock.now() + HOUR);
      },
    });
    const kinds: JobKinds<typeof payloads> = {
      first: running('first', 'second'),
      second: running('second', 'third'),
      third: running('third'),
    };
    await add('first', clock.now());
    jobs.start(kinds);
    await clock.advance('2h');
    await jobs.stop();
    expect(ran).toEqual([
      ['first', 0],
      ['second', HOUR],
      ['third', 2 * HOUR],
    ]);
  });
});

describe('a rule of the service ends with the time of the service', () => {
  it('the timeout of a member', async () => {
    const until = new Date(clock.now() + HOUR);
    const key = { guildId: scene.guild.id, userId: scene.users.ada.id };
    await updateMember(scene.owner, { ...key, communicationDisabledUntil: until });
    await clock.advance('59m');
    expect(await outcome(say())).toBe('MISSING_PERMISSIONS');
    await clock.advance('1m');
    expect(await outcome(say())).toBe('ok');
  });

  it('slow mode', async () => {
    await putSlowMode(server.app, scene.guild.channel.id, 30);
    await say();
    await clock.advance('29s');
    expect(await outcome(say())).toBe('SLOW_MODE');
    await clock.advance('1s');
    expect(await outcome(say())).toBe('ok');
    await putSlowMode(server.app, scene.guild.channel.id, 0);
  });

  it('an invite, whose row is removed later', async () => {
    const { code } = await createInvite(scene.owner, scene.guild.channel.id, { maxAge: 3_600 });
    await clock.advance('59m');
    expect(await outcome(getInvite(scene.ada, { code }))).toBe('ok');
    await clock.advance('1m');
    expect(await outcome(getInvite(scene.ada, { code }))).toBe('UNKNOWN_INVITE');
    await clock.advance('30d');
    expect(await server.app.db.reader.invite.count({ where: { code } })).toBe(0);
  });

  it('the window of a rate limit', async () => {
    const bot = new RestBot(server, scene.bot);
    const request = () => bot.get('/gateway/bot');
    let answer = await request();
    while (answer.status === 200) answer = await request();
    await clock.advance(answer.body.retry_after * 1_000 - 1);
    expect((await request()).status).toBe(429);
    await clock.advance(1);
    expect((await request()).status).toBe(200);
  });
});

describe('a portal session', () => {
  const isSignedIn = async (person: Person) => (await person.ask('{ me { id } }')).data?.me != null;

  it('expires a week after its last use', async () => {
    const [ada, bob] = [await signUp(server, 'ada'), await signUp(server, 'bob')];
    await clock.advance('6d');
    expect(await isSignedIn(ada)).toBe(true);
    await clock.advance('6d');
    expect([await isSignedIn(ada), await isSignedIn(bob)]).toEqual([true, false]);
    await clock.advance('8d');
    expect(await isSignedIn(ada)).toBe(false);
  });

  it('begins after any move', async () => {
    await clock.advance('30d');
    const cleo = await signUp(server, 'cleo');
    expect(await isSignedIn(cleo)).toBe(true);
    const where = { user: { email: cleo.email } };
    const { expiresAt } = await server.app.db.reader.authSession.findFirstOrThrow({ where });
    expect(Math.round((expiresAt.getTime() - clock.now()) / HOUR)).toBe(7 * 24);
  });
});

describe('a gateway session', () => {
  it('keeps its connection and its heartbeat while the clock advances by 30 days, which is quick', async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(scene.bot.token);
    const began = performance.now();
    await clock.advance('30d');
    expect(performance.now() - began).toBeLessThan(2_000);
    client.send(1, client.sequence);
    await client.op(11);
    await say();
    expect(snowflakeTime(BigInt((await client.event('MESSAGE_CREATE')).d.id))).toBe(clock.now());
    await client.close();
  });

  it('cannot be resumed after five minutes of the time of the service', async () => {
    const open = async () => {
      const client = await GatewayClient.open(server.origin);
      const { d } = await client.ready(scene.bot.token);
      return { client, resume: { token: scene.bot.token, session_id: d.session_id, seq: client.sequence } };
    };
    const resumed = async (resume: object) => {
      const client = await GatewayClient.open(server.origin);
      client.send(6, resume);
      const { op, t } = await client.next((frame) => frame.op === 9 || frame.t === 'RESUMED');
      await client.close();
      return op === 9 ? op : t;
    };
    const first = await open();
    // The limit of one IDENTIFY.
    await clock.advance('5s');
    const sessions = [first, await open()] as const;
    for (const { client } of sessions) await client.close(4000);
    await clock.advance('4m');
    expect(await resumed(sessions[0].resume)).toBe('RESUMED');
    await clock.advance('1m');
    expect(await resumed(sessions[1].resume)).toBe(9);
  });
});
