import { GatewayDispatchEvents as Event, GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { permissionsInChannel, permissionsInGuild } from '../domain/guilds/index.js';
import { BUS_RECONNECTED, type BusMessage, type BusSubscription, topics } from '../infra/bus.js';
import { REMEMBER_MS } from '../infra/memory.js';
import { GatewayEvent, Piece } from './events.js';
import { type GuildCreate, loadGuildCreate } from './guild-create.js';
import { type EventRule, ruleOf } from './intents.js';
import { closes, REPLAY_LIMIT } from './protocol.js';
import type { Session } from './session.js';

/** How long a guild's picture is kept for further sessions, in milliseconds. */
const PICTURE_MS = 30_000;

/** The place of a permission that is about the guild at large. */
const GUILD_AT_LARGE = '';

/** A session's seat in a guild's feed. */
export class Attachment {
  /** Events that wait until the session has the guild itself; null once it has. */
  #held: GatewayEvent[] | null = [];
  #detached = false;

  constructor(
    readonly feed: GuildFeed,
    readonly session: Session,
  ) {}

  get detached(): boolean {
    return this.#detached;
  }

  deliver(event: GatewayEvent): void {
    if (!this.#held) {
      this.session.dispatch(event);
      return;
    }
    this.#held.push(event);
    if (this.#held.length > REPLAY_LIMIT.events) this.session.end(closes.notReading);
  }

  /** The session has the guild: from here on events go out at once, after those that waited. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.session.dispatch(event);
  }

  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.#held = [];
    this.session.guilds.delete(this.feed.guildId);
    this.feed.remove(this);
  }
}

/** The sessions of one bot in a guild, and what that bot may do there as far as it was asked. */
interface BotSeat {
  botId: bigint;
  idText: string;
  attachments: Set<Attachment>;
  /** Channel id, or `GUILD_AT_LARGE`, to permission bits. Replaced as a whole when they may have changed. */
  permissions: Map<string, bigint>;
  /** When the oldest of the permissions may have been asked for. */
  since: number;
}

/**
 * Hands a guild's events to the sessions that want them, in order. One subscription serves all sessions of the process; an
 * event is made ready for sending once. While all permissions it needs are known, an event is delivered before `publish`
 * returns; otherwise it and those behind it wait for them.
 */
export class GuildFeed {
  readonly #seats = new Map<bigint, BotSeat>();
  readonly #subscription: BusSubscription;
  readonly #waiting: BusMessage[] = [];
  #working = false;
  #picture: Promise<GuildCreate | null> | undefined;

  constructor(
    private readonly app: AppContext,
    readonly guildId: bigint,
    private readonly onEmpty: () => void,
  ) {
    this.#subscription = app.bus.subscribe(topics.guild(guildId), (message) => this.#receive(message));
  }

  attach(session: Session): Attachment {
    const attachment = new Attachment(this, session);
    this.#seatOf(session.botId).attachments.add(attachment);
    session.guilds.set(this.guildId, attachment);
    return attachment;
  }

  /** Called by the attachment itself. */
  remove(attachment: Attachment): void {
    const seat = this.#seats.get(attachment.session.botId);
    seat?.attachments.delete(attachment);
    if (seat?.attachments.size === 0) this.#seats.delete(seat.botId);
    if (this.#seats.size > 0) return;
    this.#subscription.close();
    this.onEmpty();
  }

  /** The guild as GUILD_CREATE shows it, no older than the last event about it; null when there is no such guild. */
  picture(): Promise<GuildCreate | null> {
    if (this.#picture) return this.#picture;
    const picture = this.#subscription.ready.then(() => loadGuildCreate(this.app.guilds, this.guildId));
    const forget = () => {
      if (this.#picture === picture) this.#picture = undefined;
    };
    this.#picture = picture;
    picture.then(() => this.app.clock.after(PICTURE_MS, forget), forget);
    return picture;
  }

  #seatOf(botId: bigint): BotSeat {
    const known = this.#seats.get(botId);
    if (known) return known;
    const seat: BotSeat = {
      botId,
      idText: String(botId),
      attachments: new Set(),
      permissions: new Map(),
      since: this.app.clock.now(),
    };
    this.#seats.set(botId, seat);
    return seat;
  }

  #receive(message: BusMessage): void {
    this.#forgetWhatChanged(message);
    this.#forgetWhatIsOld();
    const rule = ruleOf(message.type);
    if (!rule) return;
    if (this.#working || this.#undecided(rule, message).length > 0) {
      this.#waiting.push(message);
      if (!this.#working) void this.#work();
    } else {
      this.#fanOut(rule, message);
    }
  }

  /** Works off the events that wait for permissions. */
  async #work(): Promise<void> {
    this.#working = true;
    // Others hear of the same event in this turn; the permissions they answer with are current after it.
    await Promise.resolve();
    for (let message = this.#waiting[0]; message; message = this.#waiting[0]) {
      const rule = ruleOf(message.type);
      if (rule) await this.#decideAndFanOut(rule, message);
      this.#waiting.shift();
    }
    this.#working = false;
  }

  async #decideAndFanOut(rule: EventRule, message: BusMessage): Promise<void> {
    const place = placeOf(rule, message);
    try {
      for (let seats = this.#undecided(rule, message); seats.length > 0; seats = this.#undecided(rule, message)) {
        await Promise.all(seats.map((seat) => this.#decide(seat, place)));
      }
    } catch (error) {
      this.app.log.error({ err: error, type: message.type }, 'permissions for a gateway event could not be read');
    }
    this.#fanOut(rule, message);
  }

  /** Bots whose permission for the event has to be asked for first. */
  #undecided(rule: EventRule, message: BusMessage): BotSeat[] {
    const place = placeOf(rule, message);
    if (place === null) return [];
    const seats: BotSeat[] = [];
    for (const seat of this.#seats.values()) if (!seat.permissions.has(place)) seats.push(seat);
    return seats;
  }

  async #decide(seat: BotSeat, place: string | null): Promise<void> {
    if (place === null) return;
    const { permissions } = seat;
    const bits =
      place === GUILD_AT_LARGE
        ? await permissionsInGuild(this.app.guilds, this.guildId, seat.botId)
        : await permissionsInChannel(this.app.guilds, this.guildId, BigInt(place), seat.botId);
    // Kept in the map that was there when the question was asked: a change since then has put another in its place.
    permissions.set(place, bits ?? 0n);
  }

  #fanOut(rule: EventRule, message: BusMessage): void {
    const place = placeOf(rule, message);
    const full = new GatewayEvent(message.type, new Piece(message.data));
    let redacted: GatewayEvent | undefined;
    let deliveries = 0;
    for (const seat of this.#seats.values()) {
      if (!isAllowed(seat, rule, place) || isAboutOwnJoining(seat, message)) continue;
      const always = rule.intent === 0 || isAboutOwnMember(seat, message);
      const mayRead = message.redactedData === undefined || isAddressed(seat, message);
      for (const attachment of seat.attachments) {
        const { session } = attachment;
        if (!always && !session.wants(rule.intent)) continue;
        if (session.wants(GatewayIntentBits.MessageContent) || (mayRead && mayReadReply(seat, message))) {
          attachment.deliver(full);
        } else if (mayRead && message.reply) {
          attachment.deliver(new GatewayEvent(message.type, new Piece(message.reply.data)));
        } else {
          redacted ??= new GatewayEvent(message.type, new Piece(message.redactedData ?? message.data));
          attachment.deliver(redacted);
        }
        deliveries += 1;
      }
    }
    full.settle();
    redacted?.settle();
    if (deliveries > 0) this.app.metrics.gatewayDispatches.inc({ type: message.type }, deliveries);
    if (message.type === Event.GuildDelete) this.#close();
  }

  /** The guild is gone, or out of reach: no session holds it. */
  #close(): void {
    for (const seat of [...this.#seats.values()]) for (const attachment of [...seat.attachments]) attachment.detach();
  }

  /** Changes of which nobody told are heeded after a while, too. */
  #forgetWhatIsOld(): void {
    const now = this.app.clock.now();
    for (const seat of this.#seats.values()) if (now - seat.since >= REMEMBER_MS) this.#forgetPermissions(seat);
  }

  #forgetPermissions(seat: BotSeat): void {
    seat.permissions = new Map();
    seat.since = this.app.clock.now();
  }

  #forgetWhatChanged(message: BusMessage): void {
    switch (message.type) {
      case Event.GuildMemberAdd:
      case Event.GuildMemberRemove:
      case Event.GuildMemberUpdate: {
        this.#picture = undefined;
        const seat = message.userId === undefined ? undefined : this.#seats.get(BigInt(message.userId));
        if (seat) this.#forgetPermissions(seat);
        return;
      }
      case BUS_RECONNECTED:
      case Event.GuildUpdate:
      case Event.GuildDelete:
      case Event.GuildRoleCreate:
      case Event.GuildRoleUpdate:
      case Event.GuildRoleDelete:
      case Event.ChannelCreate:
      case Event.ChannelUpdate:
      case Event.ChannelDelete:
        this.#picture = undefined;
        for (const seat of this.#seats.values()) this.#forgetPermissions(seat);
        return;
      case Event.MessageCreate:
      case Event.MessageDelete:
      case Event.MessageDeleteBulk:
        // The newest message of a channel is part of the picture.
        this.#picture = undefined;
        return;
    }
  }
}

/** What an event's permission is asked for: a channel id, the guild at large, or nothing. */
function placeOf(rule: EventRule, message: BusMessage): string | null {
  if (rule.inChannel !== undefined) return message.channelId ?? null;
  return rule.anyInGuild === undefined ? null : GUILD_AT_LARGE;
}

function isAllowed(seat: BotSeat, rule: EventRule, place: string | null): boolean {
  if (place === null) return true;
  const bits = seat.permissions.get(place) ?? 0n;
  if (rule.inChannel !== undefined) return (bits & rule.inChannel) === rule.inChannel;
  return (bits & (rule.anyInGuild ?? 0n)) !== 0n;
}

function isAboutOwnMember(seat: BotSeat, message: BusMessage): boolean {
  return message.type === Event.GuildMemberUpdate && message.userId === seat.idText;
}

/** Its own coming and going a bot is told by GUILD_CREATE and GUILD_DELETE. */
function isAboutOwnJoining(seat: BotSeat, message: BusMessage): boolean {
  const joining = message.type === Event.GuildMemberAdd || message.type === Event.GuildMemberRemove;
  return joining && message.userId === seat.idText;
}

/** Whether the message answers none, or one that is for the bot. */
function mayReadReply(seat: BotSeat, { reply }: BusMessage): boolean {
  return reply === undefined || isAddressed(seat, reply);
}

/** Whether the bot wrote the message, or is mentioned in it. */
function isAddressed(seat: BotSeat, message: Pick<BusMessage, 'authorId' | 'mentionedUserIds'>): boolean {
  return message.authorId === seat.idText || message.mentionedUserIds?.includes(seat.idText) === true;
}
