import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { deleteApplication } from '../../../src/domain/applications/index.js';
import { BoxClientRef } from '../../../src/domain/boxes/index.js';
import type { DomainEvent } from '../../../src/domain/events.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { AskedBoxes, AskLater } from '../../../src/domain/installations/asked-boxes.js';
import { settleBoxBot } from '../../../src/domain/installations/box-bots.js';
import {
  forgetBot,
  installApplication,
  readmitBots,
  reconcileBots,
  type Scope,
  uninstallApplication,
} from '../../../src/domain/installations/index.js';
import type { User } from '../../../src/infra/database/index.js';
import type { Limit } from '../../../src/infra/rate-limits.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { BoxesInMemory, putBox, putBoxGuild, type TestBox } from '../../harness/box-guilds.js';
import { type Caller, newCaller, toldBy } from '../../harness/calls.js';
import { between, meanwhile, noPostgres } from '../../harness/interleave.js';
import { outcome } from '../../harness/outcome.js';
import { putWebhook } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { callOf, createBot } from '../../harness/world.js';

let server: TestServer;
let app: AppContext;
let ada: Caller;
let bob: Caller;
let boxes: BoxesInMemory;
let home: TestBox;
let guildId: bigint;
let bot: User;
let applicationId: bigint;

beforeAll(async () => {
  server = await startServer();
  ({ app } = server);
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
});
afterAll(() => server.stop());
beforeEach(async () => {
  boxes = new BoxesInMemory();
  if (!(app.boxes instanceof BoxClientRef)) throw new Error('there is no doorway');
  app.boxes.set(boxes);
  home = await putBox(app, ada);
  ({ id: guildId } = await putBoxGuild(app, home));
  ({ id: applicationId, user: bot } = await createBot(app, { owner: bob.user, name: 'Helper' }));
});

const WANTED = 2_048n | 8n;

const install = ({ call } = ada, scopes: Scope[] = ['bot', 'applications.commands'], permissions = WANTED) =>
  installApplication(call, { applicationId, guildId, scopes, permissions });

const rows = () => app.db.reader.installation.findMany({ where: { applicationId }, orderBy: { guildId: 'asc' } });

const isInstalled = async () => (await rows()).some((row) => row.guildId === guildId);

const isThere = () => boxes.has(guildId, applicationId);

const payloads = async () => {
  const found = await app.db.reader.job.findMany({ where: { kind: 'settle-box-bot' }, orderBy: { id: 'asc' } });
  return found.map(({ payload }) => payload);
};

const payload = (guild = guildId, botId = applicationId) => ({ guildId: String(guild), botId: String(botId) });

const waiting = () => app.db.reader.job.findMany({ where: { key: `settle-box-bot ${guildId} ${applicationId}` } });

const settle = () => settleBoxBot(app.callOfNobody(), { guildId, botId: applicationId });

const typesOf = (events: DomainEvent[]) => events.map(({ type }) => type);

/** A guild is deleted with its box, in one locking transaction. */
async function deleteBox(): Promise<void> {
  await app.callOfNobody().write(
    async ({ db }) => {
      const guilds = await db.boxGuild.findMany({ where: { boxId: home.box.id }, select: { id: true } });
      await db.installation.deleteMany({ where: { guildId: { in: guilds.map(({ id }) => id) } } });
      await db.box.delete({ where: { id: home.box.id } });
    },
    { streams: [topics.box(home.box.id), topics.guild(guildId)] },
  );
  app.publish({ type: 'BOX_ROUTES_UPDATED' });
}

describe('an installation to a guild on a box', () => {
  test('makes the box add the bot as a member with a managed role (R-27), and grants all requested permissions', async () => {
    const told = await toldBy(ada.call, (call) => install({ ...ada, call }));
    expect(boxes.asked).toEqual(['install_bot']);
    expect(boxes.last).toEqual({
      boxId: home.box.id,
      guild_id: String(guildId),
      bot,
      name: 'Helper',
      permissions: String(WANTED),
    });
    expect(await rows()).toMatchObject([
      { context: 'SERVER', guildId, installerId: ada.id, permissions: String(WANTED) },
    ]);
    expect(told.events).toEqual([
      { type: 'MEMBERSHIP_UPDATED', guildId, userId: applicationId },
      { type: 'GUILD_JOINED', guildId, userId: applicationId },
      { type: 'COMMAND_ACCESS_UPDATED', applicationId },
    ]);
    expect(told.entries).toMatchObject([{ action: 'INSTALLATION_PUT', guildId, applicationId }]);
  });

  test("uses the application's default permissions if none are named", async () => {
    await app.db.writer.application.update({
      where: { id: applicationId },
      data: { serverInstallPermissions: '1024' },
    });
    await installApplication(ada.call, { applicationId, guildId, scopes: ['bot'] });
    expect(boxes.last).toMatchObject({ permissions: '1024' });
  });

  test('sets the permissions again if repeated, restores a missing bot, and publishes no second join', async () => {
    const first = await install();
    boxes.members.clear();
    const told = await toldBy(ada.call, (call) => install({ ...ada, call }, ['bot'], 1_024n));
    expect(boxes.last).toMatchObject({ permissions: '1024' });
    expect(isThere()).toBe(true);
    expect(typesOf(told.events)).toEqual(['MEMBERSHIP_UPDATED', 'COMMAND_ACCESS_UPDATED']);
    expect(await rows()).toMatchObject([{ id: first.id, permissions: '1024', scopes: first.scopes }]);
  });

  test.each<[string, string, () => Promise<unknown>]>([
    ['by a user other than the owner of the box', 'UNKNOWN_GUILD', () => install(bob)],
    ['without the scope bot', 'INVALID_INPUT', () => install(ada, ['applications.commands'])],
    [
      'of an application that is for people only',
      'FORBIDDEN',
      async () => {
        await app.db.writer.application.update({ where: { id: applicationId }, data: { serverInstall: false } });
        return install();
      },
    ],
    [
      'while the box is away',
      'OVERLOADED',
      () => {
        boxes.isAway = true;
        return install();
      },
    ],
  ])('%s is refused, and no event is published', async (_how, refusal, attempt) => {
    expect(await outcome(attempt())).toBe(refusal);
    expect(boxes.asked).toEqual([]);
    expect(await rows()).toEqual([]);
  });
});

describe('an uninstallation from a guild on a box', () => {
  test('ends the installation and the webhooks at once, and makes the box remove the bot', async () => {
    const { id } = await install();
    const { webhook } = await putWebhook(app, {
      bot: { id: applicationId },
      guild: { id: guildId, channel: { id: home.nextId() } as never },
    });
    const told = await toldBy(ada.call, (call) => uninstallApplication(call, id));
    expect(await rows()).toEqual([]);
    expect(told.events).toContainEqual({ type: 'GUILD_LEFT', guildId, userId: applicationId });
    expect(told.entries.map(({ action }) => action)).toEqual(['APPLICATION_WEBHOOK_DELETE', 'INSTALLATION_DELETE']);
    const after = await app.db.reader.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    expect(after.deletedAt).not.toBeNull();
    expect(await waiting()).toHaveLength(1);
    await settle();
    expect(isThere()).toBe(false);
  });

  test('is limited to the owner of the box', async () => {
    const { id } = await install();
    expect(await outcome(uninstallApplication(bob.call, id))).toBe('UNKNOWN_INSTALLATION');
    expect(await isInstalled()).toBe(true);
  });

  test('succeeds without the box, and the removal is retried every minute until the box is back', async () => {
    const { id } = await install();
    boxes.isAway = true;
    await uninstallApplication(ada.call, id);
    expect(await isInstalled()).toBe(false);
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    const before = app.clock.now();
    await settle();
    const [again] = await waiting();
    expect(again?.dueAt?.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    boxes.isAway = false;
    await settle();
    expect(isThere()).toBe(false);
  });

  test('happens in all boxes when the application is deleted', async () => {
    const other = await putBoxGuild(app, home, { name: 'Cellar' });
    await install();
    await installApplication(ada.call, { applicationId, guildId: other.id, scopes: ['bot'] });
    const told = await toldBy(bob.call, (call) => deleteApplication(call, { applicationId, name: 'Helper' }));
    expect(await rows()).toEqual([]);
    for (const id of [guildId, other.id]) {
      expect(told.events).toContainEqual({ type: 'GUILD_LEFT', guildId: id, userId: applicationId });
      expect(await payloads()).toContainEqual(payload(id));
    }
  });
});

describe('the job that settles a bot on a box', () => {
  test('makes the membership match the installation', async () => {
    await install();
    expect(await waiting()).toHaveLength(1);
    boxes.members.clear();
    await settle();
    expect(isThere()).toBe(true);
    expect(boxes.last).toMatchObject({ bot: { id: applicationId }, permissions: String(WANTED), name: 'Helper' });
    await app.db.writer.installation.deleteMany({ where: { applicationId } });
    await settle();
    expect(isThere()).toBe(false);
  });

  test('is not repeated if the bot is installed and the box is away', async () => {
    await install();
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    boxes.isAway = true;
    await settle();
    expect(await waiting()).toEqual([]);
  });

  test('is not repeated if the box refuses', async () => {
    await install();
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    boxes.asked.length = 0;
    boxes.isRefusing = true;
    await settle();
    await app.db.writer.installation.deleteMany({ where: { applicationId } });
    await settle();
    expect(boxes.asked).toEqual(['install_bot', 'remove_bot']);
    expect(await waiting()).toEqual([]);
  });

  test('ends if the box no longer has the guild', async () => {
    await deleteBox();
    boxes.isAway = true;
    await settle();
    expect(await waiting()).toEqual([]);
  });
});

describe('requests of jobs to boxes', () => {
  const clock = { now: () => 1_000_000 } as AppContext['clock'];
  const never = () => new Promise<never>(() => {});

  test('are limited to a few parallel jobs per box, so that a silent box does not block the others', async () => {
    const asked = new AskedBoxes();
    for (let job = 0; job < 4; job += 1) void asked.ask(clock, 1n, never);
    await expect(asked.ask(clock, 1n, never)).rejects.toEqual(new AskLater(1_005_000));
    expect(await asked.ask(clock, 2n, async () => 'an answer')).toBe('an answer');
  });

  test('are unlimited in sequence, regardless of their results', async () => {
    const asked = new AskedBoxes();
    const refuse = () => Promise.reject(new RangeError('no'));
    for (let job = 0; job < 5; job += 1) {
      expect(await asked.ask(clock, 1n, async () => job)).toBe(job);
      await expect(asked.ask(clock, 1n, refuse)).rejects.toThrow(RangeError);
    }
  });

  test('pause for a minute after a timeout, and the job waits as long', async () => {
    await install();
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    const asked = new AskedBoxes();
    boxes.isSilent = true;
    boxes.asked.length = 0;
    const nobody = app.callOfNobody();
    const before = app.clock.now();
    await settleBoxBot(nobody, { guildId, botId: applicationId }, asked);
    await settleBoxBot(nobody, { guildId, botId: applicationId }, asked);
    expect(boxes.asked).toEqual(['install_bot']);
    const [again] = await waiting();
    expect(again?.dueAt?.getTime()).toBeGreaterThanOrEqual(before + 60_000);
  });
});

describe('a bot that leaves a guild on a box', () => {
  test('leaves the box first and then the cloud', async () => {
    await install();
    await leaveGuild(callOf(app, bot), guildId);
    expect([isThere(), await isInstalled()]).toEqual([false, false]);
  });

  test('changes nothing while the box is away', async () => {
    await install();
    boxes.isAway = true;
    expect(await outcome(leaveGuild(callOf(app, bot), guildId))).toBe('OVERLOADED');
    expect([isThere(), await isInstalled()]).toEqual([true, true]);
  });

  test('leaves the cloud even if the box refuses the removal', async () => {
    await install();
    boxes.isRefusing = true;
    await leaveGuild(callOf(app, bot), guildId);
    expect([isThere(), await isInstalled()]).toEqual([true, false]);
  });

  test('must be installed there', async () => {
    expect(await outcome(leaveGuild(callOf(app, bot), guildId))).toBe('MISSING_ACCESS');
    expect(await outcome(leaveGuild(ada.call, guildId))).toBe('UNKNOWN_GUILD');
    expect(boxes.asked).toEqual([]);
  });
});

describe('a report of a box about bots', () => {
  const forget = () => forgetBot(app.callOfNobody(), guildId, applicationId);

  test('uninstalls a bot that was kicked', async () => {
    await install();
    boxes.members.clear();
    const told = await toldBy(app.callOfNobody(), (call) => forgetBot(call, guildId, applicationId));
    expect(await isInstalled()).toBe(false);
    expect(typesOf(told.events)).toEqual(['COMMAND_ACCESS_UPDATED', 'MEMBERSHIP_UPDATED', 'GUILD_LEFT']);
  });

  test('keeps a bot that was kicked and installed again', async () => {
    await install();
    await forget();
    expect(await isInstalled()).toBe(true);
  });

  test('is trusted if the box is away by now', async () => {
    await install();
    boxes.isAway = true;
    await forget();
    expect(await isInstalled()).toBe(false);
  });

  test('is not trusted if the box is connected but silent, and is checked again later', async () => {
    await install();
    boxes.members.clear();
    boxes.isSilent = true;
    const before = app.clock.now();
    await forget();
    expect(await isInstalled()).toBe(true);
    const key = `forget-box-bot ${guildId} ${applicationId}`;
    const again = await app.db.reader.job.findUniqueOrThrow({ where: { key } });
    expect(again.dueAt?.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(again.payload).toEqual(payload());
    boxes.isSilent = false;
    await forget();
    expect(await isInstalled()).toBe(false);
  });

  test('is trusted if the box refuses a check', async () => {
    await install();
    boxes.isRefusing = true;
    await forget();
    expect(await isInstalled()).toBe(false);
  });

  test('fails on an unexpected error, without a retry', async () => {
    await install();
    const fault = new Error('the line is broken');
    boxes.meanwhile = () => Promise.reject(fault);
    await expect(forget()).rejects.toBe(fault);
    const key = `forget-box-bot ${guildId} ${applicationId}`;
    expect([await isInstalled(), await app.db.reader.job.count({ where: { key } })]).toEqual([true, 0]);
  });

  test('in an announcement (R-32) uninstalls missing bots and removes unknown ones', async () => {
    const { id: stranger } = await createBot(app, { owner: bob.user });
    const { id: kicked } = await createBot(app, { owner: bob.user });
    await install();
    await installApplication(ada.call, { applicationId: kicked, guildId, scopes: ['bot'] });
    boxes.members.delete(`${guildId} ${kicked}`);
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    const before = app.clock.now();
    await reconcileBots(app.callOfNobody(), home.box.id, guildId, [applicationId, stranger]);
    const left = await app.db.reader.installation.findMany({ where: { guildId } });
    expect(left.map((row) => row.applicationId)).toEqual([applicationId]);
    expect(await payloads()).toEqual([payload(guildId, kicked), { ...payload(guildId, stranger), isStranger: true }]);
    const leaving = await app.db.reader.job.findUniqueOrThrow({
      where: { key: `settle-box-bot ${guildId} ${stranger}` },
    });
    expect(leaving.dueAt?.getTime()).toBeGreaterThan(before + 12_000);
  });

  test('in an announcement (R-32) with many unknown bots removes a limited number of them, each once', async () => {
    const strangers = Array.from({ length: 300 }, () => app.nextId());
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    const announceAll = () => reconcileBots(app.callOfNobody(), home.box.id, guildId, strangers);
    expect([await announceAll(), await announceAll()]).toEqual([200, 200]);
    expect(await payloads()).toHaveLength(100);
  });

  test('causes no more removals than the quota of a box for ten minutes', async () => {
    const keys: string[] = [];
    const take = async (_: Limit, key: string) => ({ allowed: keys.push(key) <= 3, retryAfterMs: 1, remaining: 0 });
    const call = { ...app.callOfNobody(), limits: { ...app.callOfNobody().limits, take } as never };
    const strangers = Array.from({ length: 10 }, () => app.nextId());
    expect(await reconcileBots(call, home.box.id, guildId, strangers)).toBe(7);
    expect(new Set(keys)).toEqual(new Set([String(home.box.id)]));
  });

  test('does not remove an unknown bot if the box is away, since the box will report it again', async () => {
    await app.db.writer.job.deleteMany({ where: { kind: 'settle-box-bot' } });
    boxes.isAway = true;
    await settleBoxBot(app.callOfNobody(), { guildId, botId: applicationId, isStranger: true });
    expect(await waiting()).toEqual([]);
  });

  test('about a guild of another box changes nothing there', async () => {
    await install();
    boxes.members.clear();
    const other = await putBox(app, bob);
    await reconcileBots(app.callOfNobody(), other.box.id, guildId, []);
    expect(await isInstalled()).toBe(true);
  });

  test('about its return (R-31) is published to the bots that are installed there', async () => {
    await install();
    const events: DomainEvent[] = [];
    await readmitBots({ ...app.callOfNobody(), announce: (event) => events.push(event) }, guildId);
    const membership = { guildId, userId: applicationId };
    expect(events).toEqual([
      { type: 'MEMBERSHIP_UPDATED', ...membership },
      { type: 'GUILD_JOINED', ...membership },
    ]);
  });
});

describe('at once', () => {
  test('two installations create one', async () => {
    let left = 2;
    let open = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    boxes.meanwhile = async () => {
      left -= 1;
      if (left === 0) open();
      await both;
    };
    const told = await toldBy(ada.call, (call) => Promise.all([1, 2].map(() => install({ ...ada, call }))));
    expect(await rows()).toHaveLength(1);
    expect(typesOf(told.events).filter((type) => type === 'GUILD_JOINED')).toHaveLength(1);
  });

  test('an installation and an uninstallation agree with the box in the end', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await install();
      await Promise.all([install(), outcome(uninstallApplication(ada.call, id)).then(settle)]);
      await settle();
      expect(isThere()).toBe(await isInstalled());
    }
  });

  test.each([
    ['as a member', () => [applicationId]],
    ['as none', () => []],
  ])(
    'an installation and an announcement (R-31) with the bot %s leave it installed, and a member',
    async (_how, bots) => {
      const nobody = app.callOfNobody();
      const settleWhatIsDue = async () => {
        const now = app.clock.now();
        for (const { dueAt } of await waiting()) if (dueAt !== null && dueAt.getTime() <= now) await settle();
      };
      boxes.meanwhile = async () => {
        boxes.meanwhile = async () => {};
        await reconcileBots(nobody, home.box.id, guildId, bots());
        await settleWhatIsDue();
      };
      await install();
      // The box reports a bot that it removed in the meantime.
      if (!isThere()) await forgetBot(nobody, guildId, applicationId);
      await reconcileBots(nobody, home.box.id, guildId, bots());
      await settleWhatIsDue();
      await settle();
      expect([isThere(), await isInstalled()]).toEqual([true, true]);
    },
  );

  test('an installation is refused if the box is deleted after its reply', async () => {
    boxes.meanwhile = deleteBox;
    expect(await outcome(install())).toBe('UNKNOWN_GUILD');
    expect(await rows()).toEqual([]);
  });

  test.skipIf(noPostgres)(
    needing(noPostgres, 'no installation is left when the box is deleted while it is written'),
    async () => {
      const deletion = meanwhile(app, deleteBox);
      await between(/^INSERT INTO "public"."Installation"/, deletion.begin, install);
      await deletion.done();
      expect(await rows()).toEqual([]);
    },
  );
});
