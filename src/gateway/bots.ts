import { GatewayIntentBits } from 'discord-api-types/v10';
import { type AppContext, callContext } from '../context.js';
import { ACTIVE, INTENT_COLUMNS, privilegedIntents } from '../domain/applications/index.js';
import type { BusMessage, Heard } from '../domain/bus-message.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { takeForGateway } from '../domain/interactions/index.js';
import { pause, type Timer } from '../infra/clock.js';
import { chunksOf, forEachYielding, yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { BusSubscription } from '../infra/processes/bus.js';
import { isWithin, type Place } from '../infra/streams/envelope.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import { type BoxTurns, placeOfGuild } from './box-turns.js';
import { GatewayEvent, Piece } from './events.js';
import { leaveGuild } from './guild-delete.js';
import { asksTooMuch } from './intents.js';
import type { Missed } from './moves/missed.js';
import { closes } from './protocol.js';
import type { Session } from './session.js';

/** Interval of the check for lost events. */
const CHECK_EVERY_MS = 30_000;

/** SQLite allows 999 parameters per query. */
const BOTS_PER_QUERY = 400;

/** Guilds compared before yielding to the event loop. */
const GUILDS_PER_TURN = 1_000;

/**
 * A process without a connected session leaves an interaction to other processes for this long. The interaction times
 * out after 3 s.
 */
const HEAD_START_MS = 250;

const DIRECT_MESSAGES = GatewayIntentBits.DirectMessages | GatewayIntentBits.DirectMessageReactions;

const NOT_CAUGHT_UP = 'Could not read the guilds of a bot for the gateway';

interface Bot {
  sessions: Set<Session>;
  subscriptions: BusSubscription[];
}

/** Tracks the bots with sessions in this process, and dispatches events that concern a whole bot. */
export class Bots {
  readonly #bots = new Map<bigint, Bot>();
  #check: Timer | null = null;
  /** Bots that may have missed events. */
  #unsure = new Map<bigint, Bot>();
  #isMakingSure = false;
  readonly #catchingUp = new WeakSet<Session>();
  /** Guilds on boxes whose membership is being read. */
  readonly #askedOfBoxes = new WeakMap<Session, Set<bigint>>();

  constructor(
    private readonly app: AppContext,
    private readonly turns: BoxTurns,
    private readonly introduce: (guildId: bigint, session: Session) => void,
  ) {}

  async add(session: Session): Promise<void> {
    const bot = this.#bots.get(session.botId) ?? this.#open(session.botId);
    bot.sessions.add(session);
    this.#check ??= this.#checkLater();
    await Promise.all(bot.subscriptions.map((subscription) => subscription.ready));
  }

  remove(session: Session): void {
    const bot = this.#bots.get(session.botId);
    bot?.sessions.delete(session);
    if (bot?.sessions.size !== 0) return;
    for (const subscription of bot.subscriptions) subscription.close();
    this.#bots.delete(session.botId);
    if (this.#bots.size > 0) return;
    this.#check?.cancel();
    this.#check = null;
  }

  #open(botId: bigint): Bot {
    const bot: Bot = {
      sessions: new Set(),
      subscriptions: [
        this.app.bus.subscribe(topics.user(botId), (message, place) => this.#onUserMessage(botId, bot, message, place)),
        this.app.bus.subscribe(topics.application(botId), (message, place) =>
          this.#onApplicationMessage(botId, bot, message, place),
        ),
      ],
    };
    this.#bots.set(botId, bot);
    return bot;
  }

  #onUserMessage(botId: bigint, bot: Bot, message: Heard, place: Place | null): void {
    if (message.type === STREAM_GAP) {
      endThoseWithDirectMessages(bot.sessions);
      this.#doubt([[botId, bot]]);
      return;
    }
    const topic = topics.user(botId);
    const event = eventOf(message);
    for (const session of bot.sessions) {
      whenIntroduced(session, topic, place, () => this.#tellOfUser(session, message, event));
    }
  }

  #tellOfUser(session: Session, message: BusMessage, event: GatewayEvent): void {
    const guildId = BigInt(message.guildId ?? 0);
    if (!session.isResponsibleFor(guildId)) return;
    switch (message.type) {
      case 'GUILD_JOINED':
        this.introduce(guildId, session);
        break;
      case 'GUILD_LEFT':
        leaveGuild(session, guildId);
        break;
      default:
        dispatchToShard(session, message, event);
        break;
    }
  }

  #onApplicationMessage(botId: bigint, bot: Bot, message: Heard, place: Place | null): void {
    if (message.type === STREAM_GAP) {
      this.#doubt([[botId, bot]]);
      return;
    }
    if (message.invalidates.includes('token')) {
      heedPrivileges(bot, message);
      void this.#compare([[botId, bot]]);
    }
    if (message.audience?.once) void this.#offer(bot, message);
    else {
      const topic = topics.application(botId);
      const event = eventOf(message);
      for (const session of bot.sessions) {
        whenIntroduced(session, topic, place, () => dispatchToShard(session, message, event));
      }
    }
  }

  /**
   * For a session of another process, of which `find` says what it has missed of a stream. It then has everything up to
   * now, and is introduced.
   */
  async arrive(session: Session, find: (topic: string) => Promise<Missed | null>): Promise<void> {
    const { botId } = session;
    const [user, application] = [topics.user(botId), topics.application(botId)];
    try {
      const [ofUser, ofApplication] = await Promise.all([find(user), find(application)]);
      if (ofUser) session.catchUpTo(user, ofUser.position);
      else endThoseWithDirectMessages([session]);
      if (ofApplication) session.catchUpTo(application, ofApplication.position);
      this.#catchUpAfterMove(session, ofUser?.messages ?? [], ofApplication?.messages ?? []);
    } catch (error) {
      this.app.log.error({ err: error }, 'Could not find what a gateway session missed; its bot identifies again');
      session.end(closes.unavailable);
    }
  }

  #catchUpAfterMove(session: Session, ofUser: readonly BusMessage[], ofApplication: readonly BusMessage[]): void {
    const { botId } = session;
    const bot = this.#bots.get(botId);
    if (!bot || session.ended) return;
    for (const message of ofUser) this.#tellOfUser(session, message, eventOf(message));
    for (const message of ofApplication) {
      if (message.audience?.once) void this.#offer(bot, message);
      else dispatchToShard(session, message, eventOf(message));
    }
    session.markIntroduced();
    this.#doubt([[botId, bot]]);
  }

  /**
   * Dispatches an event that only one session of all processes may take. First waits `HEAD_START_MS` if no session here
   * is connected.
   */
  async #offer(bot: Bot, message: BusMessage): Promise<void> {
    if (message.interaction?.listenerId !== undefined) return;
    const guildId = BigInt(message.guildId ?? 0);
    const candidate = bestOf(bot, guildId);
    const offer = async () => {
      if (!candidate?.connected) await pause(this.app.connectionClock, HEAD_START_MS);
      const session = bestOf(bot, guildId);
      await session?.introduced;
      await session?.dispatching(async () => {
        if (await this.#take(session, message)) {
          session.dispatch(eventOf(message));
        }
      });
    };
    try {
      // The candidate does not move to another process before the end.
      await (candidate ? candidate.dispatching(offer) : offer());
    } catch (error) {
      this.#logFault(error, 'Could not claim an interaction for a session');
    }
  }

  async #take(session: Session, { interaction }: BusMessage): Promise<boolean> {
    if (!interaction || session.ended) return false;
    const call = callContext(this.app, session.bot.actor);
    const taken = { id: BigInt(interaction.id), applicationId: session.botId };
    return takeForGateway(call, taken, { isConnected: session.connected });
  }

  #checkLater(): Timer {
    return this.app.connectionClock.after(CHECK_EVERY_MS, () => {
      this.#check = this.#checkLater();
      this.#doubt(this.#bots);
    });
  }

  #doubt(bots: Iterable<[bigint, Bot]>): void {
    for (const [botId, bot] of bots) this.#unsure.set(botId, bot);
    void this.#makeSure();
  }

  /** Checks sessions before guilds, because the first check can end sessions. */
  async #makeSure(): Promise<void> {
    if (this.#isMakingSure) return;
    this.#isMakingSure = true;
    while (this.#unsure.size > 0) {
      // A reconnect notifies all bots in the same tick, so this collects them into one batch.
      await yieldToEventLoop();
      const bots = [...this.#unsure].filter(([botId, bot]) => this.#bots.get(botId) === bot);
      this.#unsure = new Map();
      await forEachYielding(chunksOf(bots, BOTS_PER_QUERY), 1, (piece) => this.#compare(piece));
      await forEachYielding(bots, 1, ([botId, bot]) => this.#catchUpOnGuilds(botId, bot));
    }
    this.#isMakingSure = false;
  }

  async #compare(bots: [bigint, Bot][]): Promise<void> {
    const sessions = bots.flatMap(([, bot]) => [...bot.sessions]);
    try {
      const rows = await this.app.db.reader.application.findMany({
        where: { id: { in: bots.map(([botId]) => botId) }, ...ACTIVE },
        select: {
          id: true,
          botTokenHash: true,
          ...INTENT_COLUMNS,
          bot: true,
        },
      });
      const applications = new Map(rows.map((row) => [row.id, row]));
      for (const session of sessions) {
        const application = applications.get(session.botId);
        if (!application || session.bot.tokenHash !== application.botTokenHash)
          session.end(closes.authenticationFailed);
        else if (asksTooMuch(session.intents, privilegedIntents(application))) session.end(closes.disallowedIntents);
        else {
          session.user = application.bot;
          session.setPrivileges(privilegedIntents(application));
        }
      }
    } catch (error) {
      // At a stop, the sessions leave before the database closes.
      const isNeeded = bots.some(([botId, bot]) => this.#bots.get(botId) === bot);
      if (isNeeded) this.#logFault(error, 'Could not read applications for the gateway');
    }
  }

  async #catchUpOnGuilds(botId: bigint, bot: Bot): Promise<void> {
    try {
      const joined = new Set<bigint>();
      for await (const page of this.app.guilds.pagesOfGuildIds(botId)) for (const id of page) joined.add(id);
      // Not awaited, because a session that still receives its guilds must not delay other bots.
      for (const session of bot.sessions) void session.introduced.then(() => this.#catchUp(session, joined));
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    }
  }

  /** Runs at most once per session at a time, and does not wait for boxes. */
  async #catchUp(session: Session, joined: ReadonlySet<bigint>): Promise<void> {
    if (this.#catchingUp.has(session)) return;
    this.#catchingUp.add(session);
    try {
      const known = [...session.guilds.keys(), ...session.unavailableGuilds];
      await forEachYielding(new Set([...joined, ...known]), GUILDS_PER_TURN, async (guildId) => {
        const isMember = joined.has(guildId);
        if (isCaughtUp(session, guildId, isMember) || !session.isResponsibleFor(guildId)) return;
        await this.#catchUpInTurn(guildId, session, isMember);
      });
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    } finally {
      this.#catchingUp.delete(session);
    }
  }

  async #catchUpInTurn(guildId: bigint, session: Session, isMember: boolean): Promise<void> {
    if (placeOfGuild(this.app, guildId) !== null) return void this.#askBox(guildId, session, isMember);
    await yieldToEventLoop();
    if (!session.ended) await this.#catchUpOnGuild(guildId, session, isMember);
  }

  async #askBox(guildId: bigint, session: Session, isMember: boolean): Promise<void> {
    const asked = this.#askedOfBoxes.get(session) ?? new Set();
    this.#askedOfBoxes.set(session, asked);
    if (asked.has(guildId)) return;
    asked.add(guildId);
    const endTurn = await this.turns.take(guildId);
    try {
      await yieldToEventLoop();
      if (!session.ended) await this.#catchUpOnGuild(guildId, session, isMember);
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    } finally {
      endTurn();
      asked.delete(guildId);
    }
  }

  /** For a guild of which the session may have missed events. Does not wait for a box. */
  async catchUpOn(guildId: bigint, session: Session): Promise<void> {
    try {
      await session.introduced;
      await this.#catchUpInTurn(guildId, session, true);
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    }
  }

  /**
   * Reads the membership again, because `isMember` may be outdated. An unreachable guild is kept, because its return is
   * published. If `isMember` is false, a guild that the client knows only as unavailable is removed.
   */
  async #catchUpOnGuild(guildId: bigint, session: Session, isMember: boolean): Promise<void> {
    try {
      if (await this.app.guilds.member(guildId, session.botId)) this.introduce(guildId, session);
      else leaveGuild(session, guildId);
    } catch (error) {
      if (!(error instanceof GuildUnavailable)) throw error;
      if (!isMember && !session.guilds.has(guildId)) leaveGuild(session, guildId);
    }
  }

  /** Ignores refusals, because the database monitor logs outages. */
  #logFault(error: unknown, message: string): void {
    if (!refusalIn(error)) this.app.log.error({ err: error }, message);
  }
}

/** Unlike guilds, direct channels cannot be sent again. */
function endThoseWithDirectMessages(sessions: Iterable<Session>): void {
  for (const session of [...sessions]) {
    if (session.isResponsibleFor(0n) && session.wants(DIRECT_MESSAGES)) session.end(closes.unavailable);
  }
}

function isCaughtUp(session: Session, guildId: bigint, isMember: boolean): boolean {
  const holds = session.guilds.has(guildId);
  return isMember ? holds : !holds && !session.unavailableGuilds.has(guildId);
}

/** Runs before the event is dispatched, so that sessions with a disabled intent do not receive it. */
function heedPrivileges(bot: Bot, { privilegedIntents }: BusMessage): void {
  if (!privilegedIntents) return;
  for (const session of [...bot.sessions]) {
    if (asksTooMuch(session.intents, privilegedIntents)) session.end(closes.disallowedIntents);
    else session.setPrivileges(privilegedIntents);
  }
}

/** Dispatches an event about the bot itself to the shard of the event's guild. Events without a guild go to shard 0. */
function dispatchToShard(session: Session, { guildId, audience }: BusMessage, event: GatewayEvent): void {
  if (!audience || !session.isResponsibleFor(BigInt(guildId ?? 0))) return;
  if (audience.intent !== 0 && !session.wants(audience.intent)) return;
  session.dispatch(event);
}

/** Sessions share it. */
function eventOf({ type, data }: BusMessage): GatewayEvent {
  return new GatewayEvent(type, new Piece(data));
}

/** @param place of the event in the stream; null for a gap */
function whenIntroduced(session: Session, topic: string, place: Place | null, act: () => void): void {
  void session.introduced.then(() => {
    const caughtUpTo = session.caughtUpTo(topic);
    if (!caughtUpTo || !place || !isWithin(place, caughtUpTo)) act();
  });
}

function bestOf({ sessions }: Bot, guildId: bigint): Session | undefined {
  const responsible = [...sessions].filter((session) => session.isResponsibleFor(guildId));
  return responsible.findLast(({ connected }) => connected) ?? responsible.at(-1);
}
