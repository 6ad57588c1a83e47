import { setImmediate, setTimeout } from 'node:timers/promises';
import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppContext } from '../../src/context.js';
import type { Audience, BusMessage } from '../../src/domain/bus-message.js';
import { Permission } from '../../src/domain/permissions.js';
import { createGateway } from '../../src/gateway/create-gateway.js';
import { GuildFeeds } from '../../src/gateway/guild-feeds.js';
import { BACKLOG_LIMIT, closes, HELD_LIMIT, MAX_HELD_BYTES } from '../../src/gateway/protocol.js';
import type { Session } from '../../src/gateway/session.js';
import type { User } from '../../src/infra/database/index.js';
import { boxSnowflakes, ID_SPACES } from '../../src/infra/ids/ids.js';
import { topics } from '../../src/infra/streams/topics.js';
import { ManualClock } from '../harness/clock.js';
import { openContext } from '../harness/context.js';
import { addGuild, type MemoryGuild, MemoryHome, nobodysRow } from '../harness/guild-home.js';
import { heldSeat as heldSeatAt } from '../harness/seats.js';
import { eachRound, turnsDuring } from '../harness/turns.js';

class AskedHome extends MemoryHome {
  readonly asked: bigint[] = [];
  gate: Promise<void> = Promise.resolve();

  override async member(guildId: bigint, userId: bigint) {
    this.asked.push(userId);
    const member = await super.member(guildId, userId);
    await this.gate;
    return member;
  }
}

const clock = new ManualClock();
let close: () => Promise<void>;
let app: AppContext;
let home: AskedHome;
let feeds: GuildFeeds;
let shownAgain: [bigint, Session][];
let guild: MemoryGuild;
let bot: User;
let other: User;

beforeAll(async () => {
  const context = await openContext();
  close = context.close;
  home = new AskedHome();
  app = { ...context.app, guilds: home, clock, connectionClock: clock };
});
afterAll(() => close());

beforeEach(() => {
  home.gate = Promise.resolve();
  home.guilds.clear();
  shownAgain = [];
  feeds = new GuildFeeds(app, (guildId, session) => shownAgain.push([guildId, session]));
  bot = { ...nobodysRow(app, 'bot'), bot: true };
  other = { ...nobodysRow(app, 'other'), bot: true };
  guild = addGuild(app, home, 'Home', bot, other);
  permit(0n);
  home.asked.length = 0;
});

/** Gives all members these permissions, from the next read on. */
function permit(permissions: bigint): void {
  guild.snapshot.guild.roles[0]!.permissions = permissions;
}

type Seat = ReturnType<typeof heldSeat>;

function seat(user: User, intents: number): Seat {
  const held = heldSeat(user, intents);
  held.feedSession.release();
  return held;
}

function heldSeat(user: User, intents: number) {
  const { frames, ...held } = heldSeatAt({ app, feeds, guildId: guild.id }, user, { intents });
  return {
    ...held,
    get heard(): unknown[] {
      return frames.map(({ d }) => d);
    },
  };
}

function publish(data: unknown, audience: Audience | null, facts: Partial<BusMessage> = {}): void {
  const guildId = String(guild.id);
  app.bus.publish(topics.guild(guildId), {
    type: 'GUILD_ROLE_DELETE',
    audience,
    invalidates: [],
    guildId,
    data: JSON.stringify(data),
    ...facts,
  });
}

const forAll: Audience = { intent: 0 };
const tellOf = (invalidates: BusMessage['invalidates'], facts: Partial<BusMessage> = {}) =>
  publish(null, null, { invalidates, ...facts });

/** Four of these exceed the limit. */
const QUARTER = 'x'.repeat(HELD_LIMIT.bytes / 4);

function expectLost({ session, heard }: Seat): void {
  expect(heard).toEqual([{ id: String(guild.id), unavailable: true }]);
  expect([session.ended, session.guilds.size, session.unavailableGuilds.has(guild.id)]).toEqual([false, 0, true]);
}

/** Waits until the feed has processed all waiting events. An event comes after those published before it. */
async function settled(witness: Seat): Promise<void> {
  const ends = () => witness.heard.filter((said) => said === 'end').length;
  const before = ends();
  publish('end', forAll);
  await expect.poll(ends, { interval: 1 }).toBe(before + 1);
}

const BITS = [Permission.ViewChannel, Permission.ManageChannels, Permission.ViewAuditLog, Permission.BanMembers];
const mask = fc.subarray(BITS).map((bits) => bits.reduce((all, bit) => all | bit, 0n));
const intents = fc.subarray([Intent.Guilds, Intent.GuildMembers, Intent.GuildModeration]);
const oneOf = intents.map((bits) => bits.reduce<number>((all, bit) => all | bit, 0));
const needs = fc.oneof(
  fc.constant({}),
  mask.map((bits) => ({ inChannel: String(bits) })),
  mask.map((bits) => ({ anyInGuild: String(bits) })),
);
const audiences = fc
  .record({ intent: oneOf, ownBot: fc.constantFrom('always', 'never', undefined), needs })
  .map(({ intent, ownBot, needs: permission }): Audience => ({ intent, ...permission, ...(ownBot && { ownBot }) }));

/** Whether a session gets an event by the rules G-25, G-26 and G-28 of docs/gateway.md. */
function mayHear(of: { intents: number; permissions: bigint; isOwn: boolean }, audience: Audience): boolean {
  const { ownBot, intent, inChannel, anyInGuild } = audience;
  const isAsked = ownBot && of.isOwn ? ownBot === 'always' : intent === 0 || (of.intents & intent) !== 0;
  const sees = (of.permissions & Permission.ViewChannel) !== 0n;
  const inIt = sees ? of.permissions : 0n;
  const all = BigInt(inChannel ?? 0);
  const any = BigInt(anyInGuild ?? 0);
  const isAllowed = inChannel === undefined ? any === 0n || (of.permissions & any) !== 0n : (inIt & all) === all;
  return isAsked && isAllowed;
}

describe('G-25, G-26, G-28: an event goes to the sessions that want it, may have it, and are addressed', () => {
  it('by any intents, permissions and subjects', async () => {
    const witness = seat(other, 0);
    await fc.assert(
      fc.asyncProperty(
        oneOf,
        oneOf,
        mask,
        audiences,
        fc.boolean(),
        async (mine, theirs, permissions, audience, isOwn) => {
          permit(permissions);
          tellOf(['view']);
          const [own, another] = [seat(bot, mine), seat(other, theirs)];
          const userId = String(isOwn ? bot.id : guild.owner.id);
          publish('it', audience, { userId, channelId: String(guild.channel.id) });
          await settled(witness);
          const expected = (wishes: number, isIt: boolean) =>
            mayHear({ intents: wishes, permissions, isOwn: isIt }, audience) ? ['it', 'end'] : ['end'];
          expect([own.heard, another.heard]).toEqual([expected(mine, isOwn), expected(theirs, false)]);
          for (const { session } of [own, another]) session.end();
        },
      ),
    );
  });

  it('and without a channel, to no session by a permission in a channel', async () => {
    const [listener, witness] = [seat(bot, 0), seat(other, 0)];
    permit(Permission.Administrator);
    publish('nowhere', { intent: 0, inChannel: String(Permission.ViewChannel) }, { channelId: '42' });
    await settled(witness);
    expect(listener.heard).toEqual(['end']);
  });
});

describe('G-27: the contents of messages', () => {
  const forms = { whole: 'all', redacted: '"none"', withoutReply: '"no reply"' };
  const content = (authorId: bigint, mentions: bigint[], reply?: { authorId: bigint; mentions: bigint[] }) => ({
    readers: {
      authorId: String(authorId),
      mentionedUserIds: mentions.map(String),
      ...(reply && { reply: { authorId: String(reply.authorId), mentionedUserIds: reply.mentions.map(String) } }),
    },
    redacted: forms.redacted,
    ...(reply && { withoutReply: forms.withoutReply }),
  });
  const nobody = 1n;
  const secret = { authorId: nobody, mentions: [] };

  it.each([
    ['of users it does not know', () => content(nobody, []), 'none'],
    ['of its own', () => content(bot.id, []), 'all'],
    ['that mention it', () => content(nobody, [other.id, bot.id]), 'all'],
    ['that answer others and mention it', () => content(nobody, [bot.id], secret), 'no reply'],
    ['that answer it and mention it', () => content(nobody, [bot.id], { ...secret, authorId: bot.id }), 'all'],
    ['that answer it and do not mention it', () => content(nobody, [], { ...secret, authorId: bot.id }), 'none'],
  ])('%s are sent to a bot without the intent as far as it may read them', (_whose, of, shown) => {
    const [without, having] = [seat(bot, Intent.Guilds), seat(bot, Intent.MessageContent)];
    publish(forms.whole, forAll, { content: of() });
    expect([without.heard, having.heard]).toEqual([[shown], ['all']]);
  });
});

describe('G-23: an event before a session got the guild', () => {
  it('waits, and is sent in its order before new events', () => {
    const held = heldSeat(bot, 0);
    for (const n of [1, 2]) publish(n, forAll);
    expect(held.heard).toEqual([]);
    held.feedSession.release();
    publish(3, forAll);
    expect(held.heard).toEqual([1, 2, 3]);
  });

  it('waits up to a limit, beyond which the session loses the guild, or ends if it cannot be notified', () => {
    const [held, deaf] = [heldSeat(bot, Intent.Guilds), heldSeat(bot, 0)];
    for (let n = 0; n < HELD_LIMIT.events; n += 1) publish(n, forAll);
    expect([held.heard, held.session.ended, deaf.session.ended]).toEqual([[], false, false]);
    publish('one more', forAll);
    expect([deaf.session.ended, deaf.closedWith()]).toEqual([true, closes.notReading.code]);
    expectLost(held);
  });

  it('waits up to a limit in bytes', () => {
    const held = heldSeat(bot, Intent.Guilds);
    for (let n = 0; n < 3; n += 1) publish(QUARTER, forAll);
    expect(held.heard).toEqual([]);
    publish(QUARTER, forAll);
    expectLost(held);
  });

  it('is dropped with the guild that has most waiting bytes, if the process has too many in all guilds', () => {
    const quiet = heldSeat(bot, Intent.Guilds);
    publish('quiet', forAll);
    const small = guild;
    const kept = Array.from({ length: MAX_HELD_BYTES / (HELD_LIMIT.bytes / 2) }, (_, index) => {
      guild = addGuild(app, home, `Loud ${index}`, bot);
      const loud = heldSeat(bot, Intent.Guilds);
      publish('x'.repeat(HELD_LIMIT.bytes / 2), forAll);
      return loud;
    });
    guild = small;
    expect(kept.filter(({ feedSession }) => feedSession.detached)).toHaveLength(1);
    quiet.feedSession.release();
    expect(quiet.heard).toEqual(['quiet']);
    for (const { session } of kept) session.end();
  });

  it('counts for a guild as much as waits for the session that joined it first', () => {
    const first = heldSeat(bot, Intent.Guilds);
    publish('x'.repeat(HELD_LIMIT.bytes / 2), forAll);
    const second = heldSeat(other, Intent.Guilds);
    publish('for both', forAll);
    const full = guild;
    const kept = Array.from({ length: MAX_HELD_BYTES / (HELD_LIMIT.bytes / 2) - 1 }, (_, index) => {
      guild = addGuild(app, home, `Loud ${index}`, bot);
      const loud = heldSeat(bot, Intent.Guilds);
      publish('x'.repeat(HELD_LIMIT.bytes / 2), forAll);
      return loud;
    });
    guild = full;
    expect([first, second].map(({ feedSession }) => feedSession.detached)).toEqual([true, true]);
    for (const { session } of kept) session.end();
  });

  it('is dropped when the session leaves the guild', () => {
    const held = heldSeat(bot, 0);
    publish(1, forAll);
    held.feedSession.detach();
    held.feedSession.release();
    publish(2, forAll);
    expect([held.heard, held.feedSession.detached, held.session.guilds.size]).toEqual([[], true, 0]);
  });
});

describe('G-46: a session whose client does not keep up', () => {
  const half = 'x'.repeat(BACKLOG_LIMIT.bytes / 2);
  const behind = () => {
    const listener = seat(bot, Intent.Guilds);
    listener.link.hasCapacity = false;
    for (const said of [half, 'more', half]) publish(said, forAll);
    return listener;
  };

  it('loses a guild on a box before its connection closes', () => {
    const nextId = boxSnowflakes(clock, ID_SPACES.first);
    guild = addGuild({ ...app, nextId }, home, 'Home', bot);
    const listener = behind();
    expect([listener.closedWith(), listener.session.guilds.size]).toEqual([undefined, 0]);
    listener.link.hasCapacity = true;
    listener.session.pump();
    expect(listener.heard).toEqual([half, { id: String(guild.id), unavailable: true }]);
  });

  it('is closed for a guild of the cloud, which it keeps', () => {
    const listener = behind();
    expect([listener.closedWith(), listener.session.guilds.size]).toEqual([closes.notReading.code, 1]);
  });
});

describe('the sessions of a guild', () => {
  it('leave it one by one and get no more events', () => {
    const [one, two] = [seat(bot, 0), seat(bot, 0)];
    one.feedSession.detach();
    one.feedSession.detach();
    publish(1, forAll);
    expect([one.heard, two.heard]).toEqual([[], [1]]);
    const feed = two.feedSession.feed;
    expect(seat(other, 0).feedSession.feed).toBe(feed);
    feeds.remove(two.session);
    expect(two.session.guilds.size).toBe(0);
  });

  it('share a feed while one of them is left, and a later one gets a new feed', () => {
    const first = seat(bot, 0);
    expect(first.session.guilds.get(guild.id)).toBe(first.feedSession);
    first.feedSession.detach();
    const later = seat(bot, 0);
    expect(later.feedSession.feed).not.toBe(first.feedSession.feed);
    publish(1, forAll);
    expect([first.heard, later.heard]).toEqual([[], [1]]);
  });

  it('all lose it with an event that says so, also those that have not got the guild', () => {
    const [told, untold] = [seat(bot, Intent.Guilds), seat(other, 0)];
    publish('gone', { intent: Intent.Guilds, detaches: true });
    publish('after', forAll);
    expect([told.heard, untold.heard]).toEqual([['gone'], []]);
    expect([told.session.guilds.size, untold.session.guilds.size]).toEqual([0, 0]);
  });
});

describe('the permissions of a bot', () => {
  const inChannel = () => ({ channelId: String(guild.channel.id) });
  const asking: Audience = { intent: 0, inChannel: String(Permission.ViewChannel) };
  const ask = () => publish('asked', asking, inChannel());

  beforeEach(() => permit(Permission.ViewChannel));

  it('are read once for a channel, after which events are sent at once', async () => {
    const [listener, witness] = [seat(bot, 0), seat(other, 0)];
    ask();
    expect(listener.heard).toEqual([]);
    await settled(witness);
    home.asked.length = 0;
    ask();
    expect([listener.heard, home.asked]).toEqual([['asked', 'end', 'asked'], []]);
  });

  it('are not read for sessions that do not want the event', async () => {
    const [, witness] = [seat(bot, Intent.Guilds), seat(other, Intent.GuildModeration)];
    publish('x', { ...asking, intent: Intent.GuildModeration }, inChannel());
    await settled(witness);
    expect(home.asked).toEqual([other.id]);
  });

  it.each([
    ['the view changed', () => tellOf(['view']), () => [bot.id, other.id]],
    ['its member changed', () => tellOf(['member'], { userId: String(bot.id) }), () => [bot.id]],
    ['a member without sessions here changed', () => tellOf(['member'], { userId: '1' }), () => []],
    ['something else changed', () => tellOf(['picture', 'portal']), () => []],
  ])('are read again when %s', async (_what, tell, asked) => {
    const witness = seat(other, 0);
    seat(bot, 0);
    ask();
    await settled(witness);
    home.asked.length = 0;
    tell();
    ask();
    await settled(witness);
    expect([...home.asked].sort()).toEqual([...asked()].sort());
  });

  it('are read again after a change while they were being read', async () => {
    const [listener, witness] = [seat(bot, 0), seat(other, 0)];
    let open = () => {};
    home.gate = new Promise((resolve) => {
      open = resolve;
    });
    ask();
    await expect.poll(() => home.asked.length, { interval: 1 }).toBeGreaterThan(0);
    permit(0n);
    tellOf(['view']);
    open();
    await settled(witness);
    expect(listener.heard).toEqual(['end']);
  });

  it('count in the lag of an event, which is measured once for all sessions', async () => {
    const lag = async (name: string) => {
      const { values } = await app.metrics.gatewayDispatchLag.get();
      return values.find(({ metricName }) => metricName === `causeway_gateway_dispatch_lag_seconds_${name}`)!.value;
    };
    const [listener] = [seat(bot, 0), seat(bot, 0)];
    const [count, sum] = [await lag('count'), await lag('sum')];
    home.gate = setTimeout(60);
    ask();
    await expect.poll(() => listener.heard.length, { interval: 1 }).toBe(1);
    expect((await lag('count')) - count).toBe(1);
    expect((await lag('sum')) - sum).toBeGreaterThan(0.05);
  });

  it('delay the events behind it up to a limit, beyond which the sessions lose the guild or end', async () => {
    const [listener, careless] = [seat(bot, 0), seat(other, Intent.Guilds)];
    let open = () => {};
    home.gate = new Promise((resolve) => {
      open = resolve;
    });
    ask();
    for (let n = 1; n < HELD_LIMIT.events; n += 1) publish(n, forAll);
    expect([listener.session.ended, careless.session.ended]).toEqual([false, false]);
    publish('one more', forAll);
    expect(listener.closedWith()).toBe(closes.unavailable.code);
    expectLost(careless);
    open();
  });

  it('delay the events behind it up to a limit in bytes', async () => {
    const listener = seat(bot, Intent.Guilds);
    let open = () => {};
    home.gate = new Promise((resolve) => {
      open = resolve;
    });
    ask();
    for (let n = 0; n < 3; n += 1) publish(QUARTER, forAll);
    expect(listener.heard).toEqual([]);
    publish(QUARTER, forAll);
    expectLost(listener);
    open();
  });
});

describe('G-49 an event for many sessions', () => {
  const MANY = 2_500;
  const inChannel = () => ({ channelId: String(guild.channel.id) });
  const asking: Audience = { intent: 0, inChannel: String(Permission.ViewChannel) };
  let crowd: Seat[];
  const haveHeard = (count: number) => crowd.filter(({ heard }) => heard.length === count).length;
  const untilIdle = () => expect.poll(() => crowd[0]?.feedSession.isIdle, { interval: 1 }).toBe(true);

  beforeEach(() => {
    crowd = Array.from({ length: MANY }, (_, index) => seat(index % 2 === 0 ? bot : other, Intent.Guilds));
  });

  it('is sent in slices, between which the event loop runs, and a later event comes after it', async () => {
    publish(1, forAll);
    publish(2, forAll);
    expect([haveHeard(0), haveHeard(1), crowd[0]?.feedSession.isIdle]).toEqual([1_500, 1_000, false]);
    await setImmediate();
    expect([haveHeard(0), haveHeard(1)]).toEqual([500, 2_000]);
    await untilIdle();
    for (const { heard } of crowd) expect(heard).toEqual([1, 2]);
  });

  it('is sent by the permissions when it happened, and a later event by new ones', async () => {
    permit(Permission.ViewChannel);
    publish(0, asking, inChannel());
    await untilIdle();
    publish(1, asking, inChannel());
    permit(0n);
    tellOf(['view']);
    publish(2, asking, inChannel());
    await untilIdle();
    for (const { heard } of crowd) expect(heard).toEqual([0, 1]);
  });

  it('is not sent to a session that leaves before its slice, nor to one that joins', async () => {
    publish(1, forAll);
    const left = crowd.pop()!;
    left.feedSession.detach();
    const joined = seat(bot, Intent.Guilds);
    await untilIdle();
    expect([left.heard, joined.heard, haveHeard(1)]).toEqual([[], [], MANY - 1]);
  });

  it('is lost with the guild for all, also for those that join before its last slice', async () => {
    publish('gone', { intent: Intent.Guilds, detaches: true });
    const joined = seat(bot, Intent.Guilds);
    await expect.poll(() => joined.session.guilds.size, { interval: 1 }).toBe(0);
    expect(crowd.every(({ heard, session }) => heard.length === 1 && session.guilds.size === 0)).toBe(true);
  });

  it('closes only the connection that does not read', async () => {
    const slow = seat(bot, Intent.GuildMembers);
    slow.link.hasCapacity = false;
    publish('x'.repeat(BACKLOG_LIMIT.bytes - 10), { intent: Intent.GuildMembers });
    publish('more', forAll);
    publish('even more', forAll);
    await untilIdle();
    expect([slow.closedWith(), slow.heard]).toEqual([closes.notReading.code, []]);
    expect([haveHeard(2), crowd.every(({ closedWith }) => closedWith() === undefined)]).toEqual([MANY, true]);
  });
});

describe('the GUILD_CREATE payload of a guild', () => {
  const pictureOf = ({ feedSession: { feed } }: Seat) => feed.guildCreatePayload();

  it('is read once for all requests within half a minute', async () => {
    const shown = seat(bot, 0);
    const first = pictureOf(shown);
    expect(pictureOf(shown)).toBe(first);
    clock.advance(29_999);
    expect(pictureOf(shown)).toBe(first);
    clock.advance(1);
    expect(pictureOf(shown)).not.toBe(first);
    expect((await first)?.constructor.name).toBe('GuildCreate');
  });

  it.each([
    ['is another after an event that changes it', () => tellOf(['picture']), false],
    ['is the same after an event that does not', () => tellOf(['view', 'member'], { userId: '1' }), true],
  ])('%s', (_what, tell, isSame) => {
    const shown = seat(bot, 0);
    const first = pictureOf(shown);
    tell();
    expect(pictureOf(shown) === first).toBe(isSame);
  });

  it('is sent again after a gap of the stream, and the guild is unavailable until then', () => {
    const shown = seat(bot, Intent.Guilds);
    const first = pictureOf(shown);
    app.bus.lose(topics.guild(guild.id));
    expectLost(shown);
    expect(shownAgain).toEqual([[guild.id, shown.session]]);
    expect(pictureOf(seat(bot, 0))).not.toBe(first);
  });

  it.each([
    ['of the cloud, one per turn of the event loop', () => app, 30],
    ['on a box, a few at a time', () => ({ ...app, nextId: boxSnowflakes(clock, ID_SPACES.first) }), 24],
  ])('is read again after a gap for the sessions of a guild %s', async (_how, ids, expected) => {
    const gateway = createGateway(app, null, null);
    guild = addGuild(ids(), home, 'Popular', bot);
    const sessions = Array.from({ length: 30 }, () => {
      const place = { app, feeds: gateway.feeds, guildId: guild.id };
      const { session, feedSession } = heldSeatAt(place, bot, { intents: Intent.Guilds });
      session.markIntroduced();
      feedSession.release();
      return session;
    });
    home.gate = new Promise(() => {});
    let most = 0;
    let before = 0;
    const end = eachRound(() => {
      most = Math.max(most, home.asked.length - before);
      before = home.asked.length;
    });
    app.bus.lose(topics.guild(guild.id));
    await expect.poll(() => home.asked.length).toBe(expected);
    await turnsDuring(() => setTimeout(50));
    end();
    expect([home.asked.length, most]).toEqual([expected, 1]);
    for (const session of sessions) session.end();
  });

  it('is cached for its own half minute, also if another was dropped', () => {
    const shown = seat(bot, 0);
    pictureOf(shown);
    clock.advance(20_000);
    tellOf(['picture']);
    const second = pictureOf(shown);
    clock.advance(10_000);
    expect(pictureOf(shown)).toBe(second);
    clock.advance(20_000);
    expect(pictureOf(shown)).not.toBe(second);
  });

  it('is read again after a failure, and is null if the guild does not exist', async () => {
    const shown = seat(bot, 0);
    home.unreachable.add(guild.id);
    await expect(pictureOf(shown)).rejects.toThrow();
    home.unreachable.clear();
    expect(await pictureOf(shown)).not.toBeNull();
    tellOf(['picture']);
    home.guilds.clear();
    expect(await pictureOf(shown)).toBeNull();
  });
});
