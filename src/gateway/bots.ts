import { type AppContext, callContext } from '../context.js';
import { INTENT_COLUMNS, privilegedIntents } from '../domain/applications/index.js';
import type { BusMessage, Heard } from '../domain/bus-message.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { takeForGateway } from '../domain/interactions/index.js';
import { BUS_RECONNECTED, type BusSubscription, topics } from '../infra/bus.js';
import { pause, type Timer } from '../infra/clock.js';
import { inPieces, inTurns, nextTurn } from '../infra/turns.js';
import { type BoxTurns, placeOfGuild } from './box-turns.js';
import { GatewayEvent, Piece } from './events.js';
import { leaveGuild } from './guild-delete.js';
import { asksTooMuch } from './intents.js';
import { closes } from './protocol.js';
import type { Session } from './session.js';

/** How often all sessions are compared with what is so, in milliseconds: an event about their application or a guild may be lost. */
const CHECK_EVERY_MS = 30_000;

/** Bots whose applications are read with one query: SQLite takes 999 parameters. */
const BOTS_PER_QUERY = 400;

/** Guilds that are compared before others have a turn. */
const GUILDS_PER_TURN = 1_000;

/** How long sessions that wait for a RESUME leave an interaction to connected ones elsewhere, in milliseconds: a small part of its 3 s. */
const HEAD_START_MS = 250;

const NOT_CAUGHT_UP = "a bot's guilds could not be read for the gateway";

interface Bot {
  sessions: Set<Session>;
  subscriptions: BusSubscription[];
}

/** The bots with sessions in this process, and what concerns each as a whole: guilds it joins and leaves, its token. */
export class Bots {
  readonly #bots = new Map<bigint, Bot>();
  #check: Timer | null = null;
  /** Bots of which something may have been missed. */
  #unsure = new Map<bigint, Bot>();
  #isMakingSure = false;
  /** Sessions whose guilds are being compared. */
  readonly #catchingUp = new WeakSet<Session>();
  /** The guilds of which boxes are being asked for a session. */
  readonly #askedOfBoxes = new WeakMap<Session, Set<bigint>>();

  constructor(
    private readonly app: AppContext,
    private readonly turns: BoxTurns,
    private readonly introduce: (guildId: bigint, session: Session) => void,
  ) {}

  /** Settles once nothing that concerns the bot is missed any more. */
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
        this.app.bus.subscribe(topics.user(botId), (message) => this.#onUserMessage(bot, message)),
        this.app.bus.subscribe(topics.application(botId), (message) => this.#onApplicationMessage(botId, bot, message)),
      ],
    };
    this.#bots.set(botId, bot);
    return bot;
  }

  #onUserMessage(bot: Bot, message: Heard): void {
    switch (message.type) {
      case 'GUILD_JOINED':
        this.#forGuild(bot, message, (session, guildId) => this.introduce(guildId, session));
        break;
      case 'GUILD_LEFT':
        this.#forGuild(bot, message, leaveGuild);
        break;
      case BUS_RECONNECTED:
        // The application's topic tells it, too.
        break;
      default:
        dispatchToShard(bot, message);
        break;
    }
  }

  #onApplicationMessage(botId: bigint, bot: Bot, message: Heard): void {
    if (message.type === BUS_RECONNECTED) {
      this.#doubt([[botId, bot]]);
      return;
    }
    if (message.invalidates.includes('token')) {
      heedPrivileges(bot, message);
      void this.#compare([[botId, bot]]);
    }
    if (message.audience?.once) void this.#offer(bot, message);
    else dispatchToShard(bot, message);
  }

  /**
   * Takes an event that one session of all processes gets, and dispatches it if it was not taken yet. Where nobody is connected, a process
   * in which somebody is has a head start.
   */
  async #offer(bot: Bot, message: BusMessage): Promise<void> {
    const guildId = BigInt(message.guildId ?? 0);
    if (!bestOf(bot, guildId)?.connected) await pause(this.app.clock, HEAD_START_MS);
    const session = bestOf(bot, guildId);
    try {
      await session?.introduced;
      if (session && (await this.#take(session, message))) {
        session.dispatch(new GatewayEvent(message.type, new Piece(message.data)));
      }
    } catch (error) {
      this.#logFault(error, 'an interaction could not be taken for a session');
    }
  }

  async #take(session: Session, { interaction }: BusMessage): Promise<boolean> {
    if (!interaction || session.ended) return false;
    const call = callContext(this.app, session.bot.actor);
    const taken = { id: BigInt(interaction.id), applicationId: session.botId };
    return takeForGateway(call, taken, { isConnected: session.connected });
  }

  /** Runs `act` for the sessions responsible for the message's guild, once each has had its READY and first guilds. */
  #forGuild(bot: Bot, message: BusMessage, act: (session: Session, guildId: bigint) => void): void {
    const guildId = BigInt(message.guildId ?? 0);
    for (const session of bot.sessions) {
      if (session.isResponsibleFor(guildId)) void session.introduced.then(() => act(session, guildId));
    }
  }

  #checkLater(): Timer {
    return this.app.clock.after(CHECK_EVERY_MS, () => {
      this.#check = this.#checkLater();
      this.#doubt(this.#bots);
    });
  }

  /** Something of these bots may have been missed. */
  #doubt(bots: Iterable<[bigint, Bot]>): void {
    for (const [botId, bot] of bots) this.#unsure.set(botId, bot);
    void this.#makeSure();
  }

  /** Makes up for what was missed: first what ends sessions, for many bots at a time, then guilds, for one after the other. */
  async #makeSure(): Promise<void> {
    if (this.#isMakingSure) return;
    this.#isMakingSure = true;
    while (this.#unsure.size > 0) {
      // The others are told in this turn, too.
      await nextTurn();
      const bots = [...this.#unsure].filter(([botId, bot]) => this.#bots.get(botId) === bot);
      this.#unsure = new Map();
      await inTurns(inPieces(bots, BOTS_PER_QUERY), 1, (piece) => this.#compare(piece));
      await inTurns(bots, 1, ([botId, bot]) => this.#catchUpOnGuilds(botId, bot));
    }
    this.#isMakingSure = false;
  }

  /**
   * Compares sessions with their applications: ends those whose token is good no longer, or that ask for a privileged intent which is
   * switched off, and renews the bot's user of the others.
   */
  async #compare(bots: [bigint, Bot][]): Promise<void> {
    const sessions = bots.flatMap(([, bot]) => [...bot.sessions]);
    try {
      const rows = await this.app.db.reader.application.findMany({
        where: { id: { in: bots.map(([botId]) => botId) }, deletedAt: null },
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
      this.#logFault(error, 'applications could not be read for the gateway');
    }
  }

  /** Makes up for guilds that the bot was added to or removed from unheard. */
  async #catchUpOnGuilds(botId: bigint, bot: Bot): Promise<void> {
    try {
      const joined = new Set<bigint>();
      for await (const page of this.app.guilds.pagesOfGuildIds(botId)) for (const id of page) joined.add(id);
      // Nobody waits for a session that is still being shown its guilds.
      for (const session of bot.sessions) void session.introduced.then(() => this.#catchUp(session, joined));
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    }
  }

  /** One pass at a time, in which nobody waits for a box. */
  async #catchUp(session: Session, joined: ReadonlySet<bigint>): Promise<void> {
    if (this.#catchingUp.has(session)) return;
    this.#catchingUp.add(session);
    try {
      const known = [...session.guilds.keys(), ...session.unavailableGuilds];
      await inTurns(new Set([...joined, ...known]), GUILDS_PER_TURN, async (guildId) => {
        const isMember = joined.has(guildId);
        if (isCaughtUp(session, guildId, isMember) || !session.isResponsibleFor(guildId)) return;
        if (placeOfGuild(this.app, guildId) !== null) return void this.#askBox(guildId, session, isMember);
        await nextTurn();
        await this.#catchUpOnGuild(guildId, session, isMember);
      });
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    } finally {
      this.#catchingUp.delete(session);
    }
  }

  /** A guild of which a box was asked before, and has not answered yet, is not asked for once more. */
  async #askBox(guildId: bigint, session: Session, isMember: boolean): Promise<void> {
    const asked = this.#askedOfBoxes.get(session) ?? new Set();
    this.#askedOfBoxes.set(session, asked);
    if (asked.has(guildId)) return;
    asked.add(guildId);
    const endTurn = await this.turns.take(guildId);
    try {
      await nextTurn();
      if (!session.ended) await this.#catchUpOnGuild(guildId, session, isMember);
    } catch (error) {
      this.#logFault(error, NOT_CAUGHT_UP);
    } finally {
      endTurn();
      asked.delete(guildId);
    }
  }

  /**
   * What was heard since counts for more than what was read. The return of a guild that is out of reach will be told; one that the session
   * does not hold, and its bot is no member of, has ended for it.
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

  /** An outage of the database is told once, by what watches it. */
  #logFault(error: unknown, message: string): void {
    if (!refusalIn(error)) this.app.log.error({ err: error }, message);
  }
}

/** Whether the session holds the guild, or its client knows of it, exactly where the bot is a member. */
function isCaughtUp(session: Session, guildId: bigint, isMember: boolean): boolean {
  const holds = session.guilds.has(guildId);
  return isMember ? holds : !holds && !session.unavailableGuilds.has(guildId);
}

/** Heeds what the message says is switched on and off, before anything else is sent: sessions that ask for what is off end. */
function heedPrivileges(bot: Bot, { privilegedIntents }: BusMessage): void {
  if (!privilegedIntents) return;
  for (const session of [...bot.sessions]) {
    if (asksTooMuch(session.intents, privilegedIntents)) session.end(closes.disallowedIntents);
    else session.setPrivileges(privilegedIntents);
  }
}

/** An event for the bot itself goes to its guild's shard, or to the first when it is of no guild, as direct messages are. */
function dispatchToShard(bot: Bot, { type, data, guildId, audience }: BusMessage): void {
  if (!audience) return;
  const { intent } = audience;
  const event = new GatewayEvent(type, new Piece(data));
  for (const session of bot.sessions) {
    const isConcerned = session.isResponsibleFor(BigInt(guildId ?? 0)) && (intent === 0 || session.wants(intent));
    if (isConcerned) void session.introduced.then(() => session.dispatch(event));
  }
}

/** The session for a guild that is likeliest to read at once: a connected one, the newest of them. */
function bestOf({ sessions }: Bot, guildId: bigint): Session | undefined {
  const responsible = [...sessions].filter((session) => session.isResponsibleFor(guildId));
  return responsible.findLast(({ connected }) => connected) ?? responsible.at(-1);
}
