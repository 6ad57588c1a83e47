import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import type { Audience, BusMessage, Heard } from '../domain/bus-message.js';
import { GuildUnavailable, permissionsThere } from '../domain/guilds/index.js';
import { type ContentShown, contentShownTo } from '../domain/messages/index.js';
import { BUS_RECONNECTED, type BusSubscription, subscribeToAll, topicsOfGuild } from '../infra/bus.js';
import { pause } from '../infra/clock.js';
import { REMEMBER_MS } from '../infra/memory.js';
import type { Release } from '../infra/slots.js';
import { type BoxTurns, placeOfGuild } from './box-turns.js';
import { closeFor } from './closing.js';
import { GatewayEvent, Piece } from './events.js';
import { type GuildCreate, loadGuildCreate } from './guild-create.js';
import { leaveGuild, loseSightOf } from './guild-delete.js';
import type { KeptEvents } from './kept-events.js';
import { type Close, closes, HELD_LIMIT, LAST_PERMISSION_RETRY_MS, PERMISSION_RETRIES_MS } from './protocol.js';
import type { Session } from './session.js';

/** How long a guild's picture is kept for further sessions, in milliseconds. */
const PICTURE_MS = 30_000;

/** The place of a permission that is about the guild at large. */
const GUILD_AT_LARGE = '';

/** A session in a guild's feed. */
export class FeedSession {
  /** Events that wait until the session has the guild itself; null once it has. */
  #held: GatewayEvent[] | null = [];
  #heldBytes = 0;
  #detached = false;

  constructor(
    readonly feed: GuildFeed,
    readonly session: Session,
  ) {}

  get detached(): boolean {
    return this.#detached;
  }

  /** Whether the guild's events wait until the session has it. */
  get isHeld(): boolean {
    return this.#held !== null && !this.#detached;
  }

  /** What a box tells gives way, with its guild, before a session ends that serves others, too (docs/gateway.md, G-46). */
  deliver(event: GatewayEvent): void {
    const { feed, session } = this;
    if (this.#held) this.#hold(event, this.#held);
    else if (feed.isOnBox && session.isFarBehind) loseSightOf(session, feed.guildId);
    else session.dispatch(event);
  }

  #hold(event: GatewayEvent, held: GatewayEvent[]): void {
    held.push(event);
    this.#heldBytes += event.size;
    if (isBeyond(held.length, this.#heldBytes)) this.feed.cutOff(this.session, closes.notReading);
    else this.feed.noteHeld(this.#heldBytes);
  }

  /** The session has the guild: from here on events go out at once, after those that waited. */
  release(): void {
    const held = this.#held ?? [];
    if (this.isHeld) this.feed.noteLetGo();
    this.#held = null;
    for (const event of held) this.session.dispatch(event);
  }

  /** Nobody holds the guild any more, which was delivered. A client that waits to be shown the guild, as READY promised, is told here. */
  lose({ unavailable }: BusMessage): void {
    const { session, feed } = this;
    const isShown = this.#held === null;
    this.detach();
    if (!isShown) this.#loseUnshown(unavailable === true);
    else if (unavailable) session.unavailableGuilds.add(feed.guildId);
    else session.unavailableGuilds.delete(feed.guildId);
  }

  #loseUnshown(isUnavailable: boolean): void {
    const { session, feed } = this;
    if (!session.unavailableGuilds.has(feed.guildId)) return;
    if (isUnavailable) loseSightOf(session, feed.guildId);
    else leaveGuild(session, feed.guildId);
  }

  detach(): void {
    if (this.#detached) return;
    if (this.isHeld) this.feed.noteLetGo();
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
  feedSessions: Set<FeedSession>;
  /** Channel id, or `GUILD_AT_LARGE`, to permission bits. Replaced as a whole when they may have changed. */
  permissions: Map<string, bigint>;
  /** When the bot gets back what a timeout took from it, in milliseconds since the Unix epoch; null for no timeout. */
  timeoutEnd: number | null;
}

/** A message for clients, and whom it goes to. */
interface Dispatched {
  message: BusMessage;
  audience: Audience;
  /** What its permission is asked for: a channel id, the guild at large, or nothing. */
  place: string | null;
  /** In characters. */
  size: number;
}

/** What all feeds share, and whom one tells that no session is left. */
interface FeedParts {
  app: AppContext;
  turns: BoxTurns;
  kept: KeptEvents;
  onEmpty(): void;
}

/** The place of an event whose channel decides, and which does not say which channel that is: nobody has a permission there. */
const NOWHERE = 'nowhere';

/**
 * Hands a guild's events to the sessions that want them, in order. One subscription serves all sessions of the process; an
 * event is made ready for sending once. While all permissions it needs are known, an event is delivered before `publish`
 * returns; otherwise it and those behind it wait for them. Where they cannot be had, the connections of the sessions concerned are
 * closed, and what waits is dispatched to the sessions once they can. Where more waits than is kept, those sessions lose sight of the guild and
 * are shown the whole of it later, or end: none is left with a gap that it could be told of and was not.
 */
export class GuildFeed {
  readonly #seats = new Map<bigint, BotSeat>();
  readonly #subscription: BusSubscription;
  #waiting: Dispatched[] = [];
  #waitingSize = 0;
  /** How many sessions hold events back until they have the guild, and what the one that holds most has held, in bytes: they hold the same events. */
  #holding = { sessions: 0, bytes: 0 };
  #working = false;
  #endPause: () => void = () => {};
  /** What is done once the loss of the guild, which waits, was dispatched. */
  #afterLoss: (() => void)[] = [];
  /** When the oldest of the permissions may have been asked for. */
  #permissionsSince: number;
  #picture: Promise<GuildCreate | null> | undefined;

  private readonly app: AppContext;
  /** Whether it is a box that is asked about the guild. */
  readonly isOnBox: boolean;

  constructor(
    readonly guildId: bigint,
    private readonly parts: FeedParts,
  ) {
    const { app } = parts;
    this.app = app;
    this.isOnBox = placeOfGuild(app, guildId) !== null;
    this.#permissionsSince = app.clock.now();
    this.#subscription = subscribeToAll(app.bus, topicsOfGuild(guildId), (message) => this.#receive(message));
  }

  attach(session: Session): FeedSession {
    const feedSession = new FeedSession(this, session);
    this.#seatOf(session.botId).feedSessions.add(feedSession);
    session.guilds.set(this.guildId, feedSession);
    this.#holding.sessions += 1;
    return feedSession;
  }

  /** Called by the feed session itself. */
  remove(feedSession: FeedSession): void {
    const seat = this.#seats.get(feedSession.session.botId);
    seat?.feedSessions.delete(feedSession);
    if (seat?.feedSessions.size === 0) this.#seats.delete(seat.botId);
    if (this.#seats.size > 0) return;
    this.#subscription.close();
    this.parts.onEmpty();
  }

  /** The turn to ask for the guild as a whole. */
  turn(): Promise<Release> {
    return this.parts.turns.take(this.guildId);
  }

  /** Called by a feed session that holds so many bytes. */
  noteHeld(bytes: number): void {
    if (bytes <= this.#holding.bytes) return;
    this.#holding.bytes = bytes;
    this.#noteKept();
  }

  /** Called by a feed session that holds nothing back any more. */
  noteLetGo(): void {
    this.#holding.sessions -= 1;
    if (this.#holding.sessions > 0) return;
    this.#holding.bytes = 0;
    this.#noteKept();
  }

  #noteKept(): void {
    this.parts.kept.note(this, this.#waitingSize + this.#holding.bytes);
  }

  /** Calls `act` at once; where it is told that nobody holds the guild any more, and that waits still, right after that was dispatched. */
  afterLoss(act: () => void): void {
    if (this.#isToldGone()) this.#afterLoss.push(act);
    else act();
  }

  /** The guild as GUILD_CREATE shows it, no older than the last event about it; null when there is no such guild. */
  picture(): Promise<GuildCreate | null> {
    if (this.#picture) return this.#picture;
    const picture = this.#subscription.ready.then(() => loadGuildCreate(this.app.guilds, this.guildId));
    const forget = () => {
      if (this.#picture === picture) this.#picture = undefined;
    };
    this.#picture = picture;
    this.app.clock.after(PICTURE_MS, forget);
    picture.catch(forget);
    return picture;
  }

  /** The next who asks for the picture has it read anew. */
  forgetPicture(): void {
    this.#picture = undefined;
  }

  /** Who is there has changed. A picture that could not be read is forgotten by itself. */
  #forgetLive(): void {
    this.#picture?.then(
      (picture) => picture?.forgetLive(),
      () => {},
    );
  }

  #seatOf(botId: bigint): BotSeat {
    const known = this.#seats.get(botId);
    if (known) return known;
    const seat: BotSeat = {
      botId,
      idText: String(botId),
      feedSessions: new Set(),
      permissions: new Map(),
      timeoutEnd: null,
    };
    this.#seats.set(botId, seat);
    return seat;
  }

  #receive(message: Heard): void {
    this.#forgetWhatIsOld();
    if (message.type === BUS_RECONNECTED) {
      this.forgetPicture();
      this.#forgetPermissions();
      return;
    }
    this.#forgetWhatChanged(message);
    const { audience } = message;
    if (!audience) return;
    const event = { message, audience, place: placeOf(audience, message), size: sizeOf(message) };
    if (this.#working || this.#undecided(event).length > 0) this.#wait(event);
    else this.#fanOut(event);
  }

  #wait(event: Dispatched): void {
    this.#waiting.push(event);
    this.#waitingSize += event.size;
    if (event.audience.detaches) {
      // Whoever was given it back before loses it again.
      this.#afterLoss = [];
      this.#endPause();
    }
    if (isBeyond(this.#waiting.length, this.#waitingSize)) this.giveWay();
    else this.#noteKept();
    if (!this.#working) void this.#work();
  }

  /** Works off the events that wait for permissions. */
  async #work(): Promise<void> {
    this.#working = true;
    // What remembers the guild for everybody may hear of the same event after this feed, in the same turn: it is asked after that.
    await Promise.resolve();
    for (let event = this.#waiting[0]; event; event = this.#waiting[0]) {
      // Looked at in the same breath: between the two, something might be forgotten.
      while (this.#undecided(event).length > 0) await this.#decideAll(event);
      this.#fanOut(event);
      this.#waiting.shift();
      this.#waitingSize -= event.size;
      this.#noteKept();
    }
    this.#working = false;
  }

  /**
   * Asks for the permissions that are missing until they are there, or nobody is left who needs them. After some tries those
   * concerned are disconnected, once; they may resume, and get what waited. Of a guild that is out of reach they lose sight then, or as soon
   * as its absence is told: where it is back before, nothing was missed (docs/relay.md, R-42).
   */
  async #decideAll(event: Dispatched): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await Promise.all(this.#undecided(event).map((seat) => this.#decide(seat, event.place)));
        return;
      } catch (error) {
        const isLast = tries === PERMISSION_RETRIES_MS.length;
        if (!(error instanceof GuildUnavailable)) {
          if (isLast) this.#disconnect(event, error);
        } else if (isLast || this.#isToldGone()) return this.#showUnavailable(event);
        await this.#pause(PERMISSION_RETRIES_MS[tries] ?? LAST_PERMISSION_RETRY_MS);
      }
    }
  }

  /** Whether what waits says that nobody holds the guild any more. */
  #isToldGone(): boolean {
    return this.#waiting.some(({ audience }) => audience.detaches);
  }

  /** Waits for so many milliseconds, or until it is told that the guild is gone. */
  async #pause(ms: number): Promise<void> {
    const toldGone = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    await Promise.race([pause(this.app.clock, ms), toldGone]);
  }

  /** Closes the connections of sessions that want the event, of bots of which it is not known whether they may have it. */
  #disconnect(event: Dispatched, error: unknown): void {
    const close = closeFor(error, this.app.log, 'permissions for gateway events could not be read');
    for (const session of sessionsThatWant(event, this.#undecided(event))) session.disconnect(close);
  }

  /** The guild is out of reach: bots of which it is not known what they may have there lose it, and are shown the whole of it once it is back. */
  #showUnavailable(event: Dispatched): void {
    for (const seat of this.#undecided(event)) {
      for (const feedSession of [...seat.feedSessions]) loseSightOf(feedSession.session, this.guildId);
    }
  }

  /**
   * A session is not sent all that happens in the guild: it loses sight of it, and is shown the whole of it later. One that cannot be told so, without
   * the guilds intent, ends; but never because of somebody else's box.
   */
  cutOff(session: Session, close: Close): void {
    if (this.isOnBox || session.wants(GatewayIntentBits.Guilds)) loseSightOf(session, this.guildId);
    else session.end(close);
  }

  /** More waits than is kept: the sessions that want any of it, or hold events back, lose sight of the guild, and nobody is left for it. */
  giveWay(): void {
    const seats = [...this.#seats.values()];
    const behind = seats.flatMap((seat) =>
      [...seat.feedSessions].filter(
        ({ session, isHeld }) => isHeld || this.#waiting.some((event) => wants(session, seat, event)),
      ),
    );
    if (behind.length > 0) {
      const facts = { guildId: String(this.guildId), sessions: behind.length };
      this.app.log.warn(facts, 'sessions lose sight of a guild: too much that happens there waits');
    }
    for (const { session } of behind) this.cutOff(session, closes.unavailable);
    // The first is being worked on.
    const [first, ...others] = this.#waiting;
    this.#waiting = [...(first ? [first] : []), ...others.filter(({ audience }) => audience.detaches)];
    this.#waitingSize = this.#waiting.reduce((sum, { size }) => sum + size, 0);
    this.#noteKept();
  }

  /** Bots that want the event, and whose permission for it has to be asked for first. */
  #undecided(event: Dispatched): BotSeat[] {
    const { place } = event;
    if (place === null || place === NOWHERE) return [];
    const seats: BotSeat[] = [];
    for (const seat of this.#seats.values()) {
      if (!seat.permissions.has(place) && isWanted(seat, event)) seats.push(seat);
    }
    return seats;
  }

  async #decide(seat: BotSeat, place: string | null): Promise<void> {
    if (place === null) return;
    const { permissions, botId } = seat;
    const { guilds, clock } = this.app;
    const where = { guildId: this.guildId, channelId: place === GUILD_AT_LARGE ? null : BigInt(place) };
    const there = await permissionsThere(guilds, where, botId, clock.now());
    if (there?.timeoutEnd != null) seat.timeoutEnd = there.timeoutEnd;
    // Kept in the map that was there when the question was asked: a change since then has put another in its place.
    permissions.set(place, there?.bits ?? 0n);
  }

  #fanOut(event: Dispatched): void {
    try {
      this.#deliver(event);
    } catch (error) {
      const close = closeFor(error, this.app.log, 'an event could not be dispatched');
      for (const session of sessionsThatWant(event, [...this.#seats.values()])) session.end(close);
    }
    if (event.audience.detaches) this.#detachAll(event.message);
  }

  #deliver(event: Dispatched): void {
    const { message } = event;
    const isAllowed = permissionTest(event);
    const forms = new Forms(message);
    let deliveries = 0;
    for (const seat of this.#seats.values()) {
      if (!isAllowed(seat)) continue;
      const shown = message.content ? contentShownTo(seat.idText, message.content.readers) : 'whole';
      for (const feedSession of seat.feedSessions) {
        const { session } = feedSession;
        if (!wants(session, seat, event)) continue;
        feedSession.deliver(forms.as(session.readsContent ? 'whole' : shown));
        deliveries += 1;
      }
    }
    forms.settle();
    if (deliveries > 0) this.app.metrics.gatewayDispatches.inc({ type: message.type }, deliveries);
  }

  /** No session holds the guild any more. */
  #detachAll(told: BusMessage): void {
    for (const seat of [...this.#seats.values()])
      for (const feedSession of [...seat.feedSessions]) feedSession.lose(told);
    const acts = this.#afterLoss;
    this.#afterLoss = [];
    for (const act of acts) act();
  }

  /** Changes of which nobody told are heeded after a while, too; and the end of a timeout, of which nobody tells, at once. */
  #forgetWhatIsOld(): void {
    const now = this.app.clock.now();
    if (now - this.#permissionsSince >= REMEMBER_MS) this.#forgetPermissions();
    for (const seat of this.#seats.values()) {
      if (seat.timeoutEnd === null || seat.timeoutEnd > now) continue;
      seat.permissions = new Map();
      seat.timeoutEnd = null;
    }
  }

  #forgetPermissions(): void {
    for (const seat of this.#seats.values()) seat.permissions = new Map();
    this.#permissionsSince = this.app.clock.now();
  }

  /** What is known of permissions goes with the sessions where nobody holds the guild any more: what came before still goes out by it. */
  #forgetWhatChanged({ invalidates, userId, audience }: BusMessage): void {
    if (invalidates.includes('picture') || invalidates.includes('last-message')) this.forgetPicture();
    if (invalidates.includes('live')) this.#forgetLive();
    if (invalidates.includes('view') && !audience?.detaches) this.#forgetPermissions();
    if (!invalidates.includes('member') || userId === undefined) return;
    const seat = this.#seats.get(BigInt(userId));
    if (seat) seat.permissions = new Map();
  }
}

/** Whether events of a guild, so many and so long together, are more than is kept of one. */
function isBeyond(events: number, bytes: number): boolean {
  return events > HELD_LIMIT.events || bytes > HELD_LIMIT.bytes;
}

/** How much text a message holds, in all its forms. */
function sizeOf({ data, content }: BusMessage): number {
  return data.length + (content?.redacted.length ?? 0) + (content?.withoutReply?.length ?? 0);
}

function placeOf({ inChannel, anyInGuild }: Audience, { channelId }: BusMessage): string | null {
  if (inChannel !== undefined) return channelId ?? NOWHERE;
  return anyInGuild === undefined ? null : GUILD_AT_LARGE;
}

/** Tells of a bot whether its permissions, which are known, let it have the event. */
function permissionTest({ audience, place }: Dispatched): (seat: BotSeat) => boolean {
  if (place === null) return () => true;
  const all = BigInt(audience.inChannel ?? 0);
  const any = BigInt(audience.anyInGuild ?? 0);
  return ({ permissions }) => {
    const bits = permissions.get(place) ?? 0n;
    return (bits & all) === all && (any === 0n || (bits & any) !== 0n);
  };
}

/** Whether a session gets the event as far as intents go, and whom it is about. */
function wants(session: Session, seat: BotSeat, { message, audience }: Dispatched): boolean {
  const { ownBot } = audience;
  const isOwn = message.userId === seat.idText;
  if (ownBot === 'only' && !isOwn) return false;
  if (ownBot === 'never' && isOwn) return false;
  if (ownBot === 'always' && isOwn) return true;
  return audience.intent === 0 || session.wants(audience.intent);
}

function sessionsThatWant(event: Dispatched, seats: BotSeat[]): Session[] {
  return seats.flatMap((seat) =>
    [...seat.feedSessions].map(({ session }) => session).filter((session) => wants(session, seat, event)),
  );
}

function isWanted(seat: BotSeat, event: Dispatched): boolean {
  for (const { session } of seat.feedSessions) if (wants(session, seat, event)) return true;
  return false;
}

/** The forms in which one event goes out, each made once. */
class Forms {
  readonly #made: Partial<Record<ContentShown, GatewayEvent>> = {};

  constructor(private readonly message: BusMessage) {}

  as(shown: ContentShown): GatewayEvent {
    const known = this.#made[shown];
    if (known) return known;
    const made = new GatewayEvent(this.message.type, new Piece(this.#textOf(shown)));
    this.#made[shown] = made;
    return made;
  }

  /** Lets go of what was made for sending, once everybody has it. */
  settle(): void {
    for (const event of Object.values(this.#made)) event.settle();
  }

  #textOf(shown: ContentShown): string {
    const { data, content } = this.message;
    if (!content) return data;
    switch (shown) {
      case 'whole':
        return data;
      case 'withoutReply':
        return content.withoutReply ?? content.redacted;
      case 'redacted':
        return content.redacted;
    }
  }
}
