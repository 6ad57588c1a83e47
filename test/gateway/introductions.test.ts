import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { eventOf } from '../../src/gateway/events.js';
import { GuildCreate } from '../../src/gateway/guild-create.js';
import { GuildFeeds } from '../../src/gateway/guild-feeds.js';
import { continueIntroduction, introduceGuild, introduceGuilds } from '../../src/gateway/introductions.js';
import { BACKLOG_LIMIT, GUILD_RETRY_MS, MAX_GUILD_CREATE_BYTES } from '../../src/gateway/protocol.js';
import type { SessionTerms } from '../../src/gateway/session.js';
import { yieldToEventLoop } from '../../src/infra/concurrency/event-loop.js';
import type { User } from '../../src/infra/database/index.js';
import { topics } from '../../src/infra/streams/topics.js';
import { renderMember } from '../../src/wire/members.js';
import { ManualClock } from '../harness/clock.js';
import { openContext } from '../harness/context.js';
import { addGuild, joinMembers, type MemoryGuild, MemoryHome, nobodysRow } from '../harness/guild-home.js';
import { readableLog, readLines } from '../harness/log.js';
import { PLAIN_MEMBER } from '../harness/plain-columns.js';
import { heldSeat } from '../harness/seats.js';

class FaultyHome extends MemoryHome {
  fault: Error | null = null;
  asked: number[] = [];
  memberLists = 0;

  override async snapshot(guildId: bigint) {
    this.asked.push(clock.now());
    if (this.fault) throw this.fault;
    return super.snapshot(guildId);
  }

  override async members(...asked: Parameters<MemoryHome['members']>) {
    this.#listMembers();
    return super.members(...asked);
  }

  override async notableMembers(...asked: Parameters<MemoryHome['notableMembers']>) {
    this.#listMembers();
    return super.notableMembers(...asked);
  }

  #listMembers(): void {
    this.memberLists += 1;
    if (this.fault) throw this.fault;
  }
}

const clock = new ManualClock();
const { log, lines } = readableLog();
let close: () => Promise<void>;
let app: AppContext;
let home: FaultyHome;
let feeds: GuildFeeds;
let guild: MemoryGuild;
let bot: User;

beforeAll(async () => {
  const context = await openContext();
  close = context.close;
  home = new FaultyHome();
  app = { ...context.app, guilds: home, clock, connectionClock: clock, log };
});
afterAll(() => close());

beforeEach(() => {
  home.fault = null;
  home.guilds.clear();
  home.unreachable.clear();
  lines.length = 0;
  feeds = new GuildFeeds(app, () => {});
  bot = { ...nobodysRow(app, 'bot'), bot: true };
  guild = addGuild(app, home, 'Home', bot);
  home.asked = [];
  home.memberLists = 0;
});

const ALL = Intent.Guilds | Intent.GuildPresences;
const seat = (terms: Partial<SessionTerms> = {}) =>
  heldSeat({ app, feeds, guildId: guild.id }, bot, { intents: ALL, ...terms });

const say = (content: string) => {
  const guildId = String(guild.id);
  app.bus.publish(topics.guild(guildId), {
    type: 'GUILD_ROLE_DELETE',
    audience: { intent: 0 },
    invalidates: [],
    guildId,
    data: JSON.stringify({ content }),
  });
};

const told = ({ frames }: ReturnType<typeof seat>) =>
  frames.map(({ t, d }) => d.content ?? (d.unavailable ? `${t} unavailable` : t));
const settled = async () => {
  for (let turn = 0; turn < 3; turn += 1) await yieldToEventLoop();
};

describe('a guild is shown', () => {
  it('before the events that happened in it since', async () => {
    const shown = seat();
    say('meanwhile');
    await introduceGuild(app, shown.feedSession);
    say('after');
    expect(told(shown)).toEqual(['GUILD_CREATE', 'meanwhile', 'after']);
  });

  it('to no session without the guilds intent, which still gets its events', async () => {
    const shown = seat({ intents: Intent.GuildPresences });
    say('meanwhile');
    await introduceGuild(app, shown.feedSession);
    expect([told(shown), home.asked]).toEqual([['meanwhile'], []]);
  });

  it('as unavailable, and kept, if it is gone or the bot is no longer a member', async () => {
    const shown = seat();
    guild.members = [];
    await introduceGuild(app, shown.feedSession);
    home.guilds.clear();
    const late = seat();
    await introduceGuild(app, late.feedSession);
    expect([told(shown), told(late)]).toEqual([['GUILD_DELETE unavailable'], ['GUILD_DELETE unavailable']]);
    expect([shown.feedSession.detached, shown.frames[0]?.d]).toEqual([
      false,
      { id: String(guild.id), unavailable: true },
    ]);
    for (const { feedSession } of [shown, late]) feedSession.detach();
  });

  it('as unavailable and without its events while the bot is not a member, and whole once it is again', async () => {
    const shown = seat();
    const { members } = guild;
    guild.members = [];
    say('held');
    await introduceGuild(app, shown.feedSession);
    say('later');
    expect(told(shown)).toEqual(['GUILD_DELETE unavailable']);
    guild.members = members;
    clock.advance(GUILD_RETRY_MS.first);
    await settled();
    expect(told(shown)).toEqual(['GUILD_DELETE unavailable', 'GUILD_CREATE', 'held', 'later']);
  });

  it('as unavailable, and not kept, if it is out of reach', async () => {
    const shown = seat();
    home.unreachable.add(guild.id);
    say('lost');
    await introduceGuild(app, shown.feedSession);
    expect([told(shown), shown.feedSession.detached]).toEqual([['GUILD_DELETE unavailable'], true]);
    expect(lines).toEqual([]);
  });

  it('as unavailable once to a session that lost it, but also to one that knows it so from READY alone', async () => {
    const [lost, moved] = [seat(), seat()];
    for (const { session } of [lost, moved]) session.unavailableGuilds.add(guild.id);
    home.unreachable.add(guild.id);
    await introduceGuild(app, lost.feedSession);
    await continueIntroduction(app, moved.feedSession);
    expect([told(lost), told(moved)]).toEqual([[], ['GUILD_DELETE unavailable']]);
    home.unreachable.clear();
    await introduceGuild(app, feeds.attach(guild.id, lost.session));
    expect([told(lost), lost.session.unavailableGuilds.size]).toEqual([['GUILD_CREATE'], 0]);
  });

  it('as unavailable once to a session that loses it again while it waits, or that has yet to hear what it missed', async () => {
    const [lost, arriving] = [seat(), seat()];
    lost.session.unavailableGuilds.add(guild.id);
    lost.feedSession.isToldUnavailable = true;
    arriving.feedSession.isArriving = true;
    app.publish({ type: 'GUILD_DELETE', guildId: guild.id, unavailable: true });
    await settled();
    expect([told(lost), told(arriving)]).toEqual([[], ['GUILD_DELETE unavailable']]);
    expect([lost.feedSession.detached, arriving.feedSession.detached]).toEqual([true, true]);
  });

  it('as unavailable, and not kept, if it is larger than the buffer of a session, which goes on', async () => {
    const topic = 'x'.repeat(MAX_GUILD_CREATE_BYTES / 4);
    const { channels } = guild.snapshot;
    const [large, shown] = [addGuild(app, home, 'Large', bot), seat()];
    large.snapshot.channels = Array.from({ length: 4 }, () => ({ ...channels[0]!, id: app.nextId(), topic }));
    await introduceGuild(app, feeds.attach(large.id, shown.session));
    await introduceGuild(app, shown.feedSession);
    expect([told(shown), shown.session.ended]).toEqual([['GUILD_DELETE unavailable', 'GUILD_CREATE'], false]);
    expect([...shown.session.guilds.keys()]).toEqual([guild.id]);
  });

  it('once the client has read enough of the earlier data', async () => {
    const shown = seat();
    shown.link.hasCapacity = false;
    shown.session.dispatch(eventOf('BEFORE', { content: 'x'.repeat(BACKLOG_LIMIT.bytes / 2) }));
    const introduced = introduceGuild(app, shown.feedSession);
    await settled();
    expect(home.asked).toEqual([]);
    shown.link.hasCapacity = true;
    shown.session.pump();
    await introduced;
    expect(shown.frames.map(({ t }) => t)).toEqual(['BEFORE', 'GUILD_CREATE']);
  });

  it('not at all to a session that has left it', async () => {
    const shown = seat();
    const introduced = introduceGuild(app, shown.feedSession);
    shown.feedSession.detach();
    await introduced;
    expect([told(shown), home.asked]).toEqual([[], []]);
  });

  it('to each session in its turn, which then gets its events', async () => {
    const shown = seat();
    let isIntroduced = false;
    void shown.session.introduced.then(() => {
      isIntroduced = true;
    });
    await settled();
    expect(isIntroduced).toBe(false);
    await introduceGuilds(app, shown.session, [shown.feedSession]);
    await settled();
    expect([isIntroduced, told(shown)]).toEqual([true, ['GUILD_CREATE']]);
  });
});

describe('a guild that cannot be read', () => {
  it('is read again after 1 s, then 2, 4, 8, 16 and every 30, until it can be read', async () => {
    home.fault = new Error('broken');
    const start = clock.now();
    const shown = seat();
    await introduceGuild(app, shown.feedSession);
    say('meanwhile');
    for (let second = 0; second < 92; second += 1) {
      clock.advance(1_000);
      await settled();
    }
    expect(home.asked.map((at) => (at - start) / 1_000)).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
    expect(told(shown)).toEqual(['GUILD_DELETE unavailable']);
    const said = { level: 50, msg: 'Could not read a guild for the gateway', err: { message: 'broken' } };
    expect(readLines(lines)).toMatchObject(Array(8).fill(said));
    home.fault = null;
    clock.advance(29_000);
    await settled();
    expect(told(shown)).toEqual(['GUILD_DELETE unavailable', 'GUILD_CREATE', 'meanwhile']);
    clock.advance(60_000);
    await settled();
    expect(home.asked).toHaveLength(9);
  });

  it('is not read again for a session that has left', async () => {
    home.fault = new Error('broken');
    const shown = seat();
    await introduceGuild(app, shown.feedSession);
    shown.feedSession.detach();
    clock.advance(1_000);
    await settled();
    expect(home.asked).toHaveLength(1);
  });
});

describe('the members of GUILD_CREATE', () => {
  const viewer = (of: Partial<Parameters<GuildCreate['eventFor']>[0]> = {}) => ({
    user: bot,
    member: { ...PLAIN_MEMBER, joinedAt: guild.members[0]!.joinedAt, roleIds: [] },
    seesPresences: true,
    seesVoice: true,
    largeThreshold: 50,
    ...of,
  });
  async function shownTo(create: GuildCreate, of = viewer()) {
    const { pieces } = (await create.eventFor(of)).at(1);
    const d = JSON.parse(
      Buffer.concat(pieces.map(({ bytes }) => bytes))
        .toString()
        .slice(0, -1),
    );
    return { large: d.large, ids: d.members.map(({ user }: { user: { id: string } }) => user.id), d };
  }
  const createOf = (count: number) => new GuildCreate(home, guild.id, '{"id":"1"}', count);
  const ownId = () => String(bot.id);
  const ownerId = () => String(guild.owner.id);

  it.each([
    [49, false],
    [50, false],
    [51, true],
  ])('are of a guild of %i members, which is large beyond its threshold: %s', async (count, large) => {
    const create = createOf(count);
    const { d, ids } = await shownTo(create);
    expect([d.id, d.large]).toEqual(['1', large]);
    expect(ids).toEqual(large ? [ownId()] : guild.members.map(({ userId }) => String(userId)));
  });

  it('are the bot itself and then those with a nickname or role, in a large guild', async () => {
    const [named] = joinMembers(app, guild, nobodysRow(app, 'named'), nobodysRow(app, 'plain'));
    named!.nick = 'heron';
    expect((await shownTo(createOf(51))).ids).toEqual([ownId(), String(named!.userId)]);
    guild.members.find(({ userId }) => userId === bot.id)!.nick = 'helper';
    const { ids, d } = await shownTo(createOf(51));
    expect(ids.toSorted()).toEqual([ownId(), String(named!.userId)].toSorted());
    expect(d.members.at(-1)).toEqual(JSON.parse(JSON.stringify(renderMember(named!))));
  });

  it('are the bot alone if it may not see others', async () => {
    const { ids } = await shownTo(createOf(2), viewer({ seesPresences: false, seesVoice: false }));
    expect([ids, home.memberLists]).toEqual([[ownId()], 0]);
  });

  it('are read once for all sessions, and again after a fault', async () => {
    const create = createOf(2);
    home.fault = new Error('broken');
    await expect(shownTo(create)).rejects.toThrow('broken');
    home.fault = null;
    const all = await Promise.all([shownTo(create), shownTo(create)]);
    expect(all.map(({ ids }) => ids.toSorted())).toEqual(Array(2).fill([ownId(), ownerId()].toSorted()));
    expect(home.memberLists).toBe(2);
    await shownTo(create, viewer({ largeThreshold: 1 }));
    expect(home.memberLists).toBe(3);
  });
});
