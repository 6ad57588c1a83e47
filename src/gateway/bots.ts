import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { BUS_RECONNECTED, type BusMessage, type BusSubscription, topics } from '../infra/bus.js';
import { eventOf, GatewayEvent, Piece } from './events.js';
import { ruleOf } from './intents.js';
import { closes } from './protocol.js';
import type { Session } from './session.js';

interface Bot {
  sessions: Set<Session>;
  subscriptions: BusSubscription[];
}

/** The bots with sessions in this process, and what concerns each as a whole: guilds it joins and leaves, its token. */
export class Bots {
  readonly #bots = new Map<bigint, Bot>();

  constructor(
    private readonly app: AppContext,
    private readonly introduce: (guildId: bigint, session: Session) => void,
  ) {}

  /** Settles once nothing that concerns the bot is missed any more. */
  async add(session: Session): Promise<void> {
    const bot = this.#bots.get(session.botId) ?? this.#open(session.botId);
    bot.sessions.add(session);
    await Promise.all(bot.subscriptions.map((subscription) => subscription.ready));
  }

  remove(session: Session): void {
    const bot = this.#bots.get(session.botId);
    bot?.sessions.delete(session);
    if (bot?.sessions.size !== 0) return;
    for (const subscription of bot.subscriptions) subscription.close();
    this.#bots.delete(session.botId);
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

  #onUserMessage(bot: Bot, message: BusMessage): void {
    switch (message.type) {
      case 'GUILD_JOINED':
        this.#forGuild(bot, message, (session, guildId) => this.introduce(guildId, session));
        break;
      case 'GUILD_LEFT':
        this.#forGuild(bot, message, (session, guildId) => this.#leave(guildId, session));
        break;
      default:
        dispatchToShard(bot, message);
        break;
    }
  }

  #onApplicationMessage(botId: bigint, bot: Bot, message: BusMessage): void {
    switch (message.type) {
      case 'BOT_TOKEN_RESET':
        endSessions(bot);
        break;
      case 'APPLICATION_UPDATED':
        void this.#endDeadSessions(botId, bot);
        return;
      case BUS_RECONNECTED:
        void this.#endDeadSessions(botId, bot).then(() => this.#catchUpOnGuilds(botId, bot));
        return;
      default:
        dispatchToShard(bot, message);
        break;
    }
  }

  /** Runs `act` for the sessions responsible for the message's guild, once each has had its READY and first guilds. */
  #forGuild(bot: Bot, message: BusMessage, act: (session: Session, guildId: bigint) => void): void {
    const guildId = BigInt(message.guildId ?? 0);
    for (const session of bot.sessions) {
      if (session.isResponsibleFor(guildId)) void session.introduced.then(() => act(session, guildId));
    }
  }

  #leave(guildId: bigint, session: Session): void {
    const attachment = session.guilds.get(guildId);
    if (!attachment) return;
    attachment.detach();
    if (session.wants(GatewayIntentBits.Guilds)) {
      session.dispatch(eventOf(GatewayDispatchEvents.GuildDelete, { id: String(guildId) }));
    }
  }

  /** Ends the sessions whose token is good no longer. */
  async #endDeadSessions(botId: bigint, bot: Bot): Promise<void> {
    const sessions = [...bot.sessions];
    try {
      const application = await this.app.db.reader.application.findUnique({
        where: { id: botId, deletedAt: null },
        select: { botTokenHash: true },
      });
      for (const session of sessions) {
        if (session.bot.tokenHash !== application?.botTokenHash) session.end(closes.authenticationFailed);
      }
    } catch (error) {
      this.app.log.error({ err: error }, 'an application could not be read for the gateway');
    }
  }

  /** Makes up for guilds that the bot was added to or removed from unheard. */
  async #catchUpOnGuilds(botId: bigint, bot: Bot): Promise<void> {
    try {
      const memberships = await this.app.db.reader.member.findMany({
        where: { userId: botId },
        select: { guildId: true },
      });
      const joined = new Set(memberships.map(({ guildId }) => guildId));
      await Promise.all([...bot.sessions].map((session) => this.#catchUp(session, joined)));
    } catch (error) {
      this.app.log.error({ err: error }, "a bot's guilds could not be read for the gateway");
    }
  }

  async #catchUp(session: Session, joined: ReadonlySet<bigint>): Promise<void> {
    await session.introduced;
    for (const guildId of new Set([...joined, ...session.guilds.keys()])) {
      if (joined.has(guildId) === session.guilds.has(guildId) || !session.isResponsibleFor(guildId)) continue;
      // What was heard since counts for more than what was read.
      if (await this.app.guilds.member(guildId, session.botId)) this.introduce(guildId, session);
      else this.#leave(guildId, session);
    }
  }
}

/** The token these sessions were opened with is good no longer. */
function endSessions(bot: Bot): void {
  for (const session of [...bot.sessions]) session.end(closes.authenticationFailed);
}

/** An event for the bot itself goes to its guild's shard, or to the first when it is of no guild. */
function dispatchToShard(bot: Bot, message: BusMessage): void {
  if (!ruleOf(message.type)) return;
  const event = new GatewayEvent(message.type, new Piece(message.data));
  for (const session of bot.sessions) {
    const concerned = session.isResponsibleFor(BigInt(message.guildId ?? 0));
    if (concerned) void session.introduced.then(() => session.dispatch(event));
  }
}
