import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import type { Audience, BusMessage, Heard } from '../domain/bus-message.js';
import { GuildUnavailable, permissionsThere } from '../domain/guilds/index.js';
import { type ContentShown, contentShownTo } from '../domain/messages/index.js';
import { CACHE_MS } from '../infra/caching/subscribed-cache.js';
import { pause } from '../infra/clock.js';
import { chunksOf, yieldOnce } from '../infra/concurrency/event-loop.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import type { BusSubscription } from '../infra/processes/bus.js';
import { isWithin, type Place, type StreamPosition } from '../infra/streams/envelope.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import { type BoxTurns, placeOfGuild } from './box-turns.js';
import { closeFor } from './closing.js';
import { GatewayEvent, Piece } from './events.js';
import { type GuildCreate, loadGuildCreate } from './guild-create.js';
import { leaveGuild, markUnavailable } from './guild-delete.js';
import type { PendingEventQuota } from './pending-event-quota.js';
import { type Close, closes, HELD_LIMIT, LAST_PERMISSION_RETRY_MS, PERMISSION_RETRIES_MS } from './protocol.js';
import type { Session } from './session.js';

/** Lifetime of the cached GUILD_CREATE. */
const GUILD_CREATE_MS = 30_000;

/** Key of the guild-wide permissions. */
const GUILD_AT_LARGE = '';

interface HeldEvent {
  event: GatewayEvent;
  place: Place;
}

export class FeedSession {
  /** Events held until GUILD_CREATE was sent, or until a moved session has arrived; null afterwards. */
  #held: HeldEvent[] | null = [];
  /** The position of a moved session when it left its earlier process. */
  #caughtUpTo: StreamPosition | null = null;
  #heldBytes = 0;
  #detached = false;
  /** Whether the client has the guild from another process, and the events since then are still to be sent. */
  isArriving = false;
  /** Whether GUILD_DELETE was sent for the guild that is to be shown. READY alone does not count. */
  isToldUnavailable = false;

  constructor(
    readonly feed: GuildFeed,
    readonly session: Session,
    /** The bot's cached permissions when the session began to receive the guild's events. */
    readonly firstPermissions: ReadonlyMap<string, bigint>,
  ) {}

  get detached(): boolean {
    return this.#detached;
  }

  get isHeld(): boolean {
    return this.#held !== null && !this.#detached;
  }

  get isIdle(): boolean {
    return this.feed.isIdle && !this.isArriving;
  }

  /** If a session is far behind on a guild on a box, only that guild becomes unavailable (docs/gateway.md, G-46). */
  deliver(event: GatewayEvent, place: Place): void {
    const { feed, session } = this;
    if (this.#caughtUpTo && this.#hadBefore(place, this.#caughtUpTo)) return;
    if (this.#held) this.#hold({ event, place }, this.#held);
    else if (feed.isOnBox && session.isFarBehind) markUnavailable(session, feed.guildId);
    else session.dispatch(event);
  }

  #hadBefore(place: Place, position: StreamPosition): boolean {
    if (isWithin(place, position)) return true;
    // Nothing from before it can follow.
    if (place.clock !== null) this.#caughtUpTo = null;
    return false;
  }

  #hold(one: HeldEvent, held: HeldEvent[]): void {
    held.push(one);
    this.#heldBytes += one.event.size;
    if (isBeyond(held.length, this.#heldBytes)) this.feed.dropSession(this.session, closes.notReading);
    else this.feed.noteHeld(this.#heldBytes);
  }

  /** Call this after GUILD_CREATE was sent. */
  release(): void {
    const held = this.#held ?? [];
    if (this.isHeld) this.feed.noteLetGo();
    this.#held = null;
    this.isArriving = false;
    for (const { event } of held) this.session.dispatch(event);
  }

  /** Call this when a moved session has everything up to a position. */
  arrive(position: StreamPosition): void {
    this.#held = this.#held?.filter(({ place }) => !isWithin(place, position)) ?? null;
    this.#caughtUpTo = position;
    this.release();
  }

  /**
   * Called after the guild's GUILD_DELETE was dispatched. A session still waiting for GUILD_CREATE, or for what it
   * missed, did not receive it. If its client knows the guild, this sends GUILD_DELETE.
   */
  lose({ unavailable }: BusMessage, isSent = this.#held === null): void {
    const { session, feed } = this;
    this.detach();
    if (!isSent) this.#loseUnsent(unavailable === true);
    else if (unavailable) session.unavailableGuilds.add(feed.guildId);
    else session.unavailableGuilds.delete(feed.guildId);
  }

  #loseUnsent(isUnavailable: boolean): void {
    const { session, feed } = this;
    if (!this.isArriving && !session.unavailableGuilds.has(feed.guildId)) return;
    if (!isUnavailable) leaveGuild(session, feed.guildId);
    else if (!this.isToldUnavailable) markUnavailable(session, feed.guildId);
  }

  drop(close: Close): void {
    this.feed.dropSession(this.session, close);
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

interface BotSubscription {
  botId: bigint;
  idText: string;
  feedSessions: Set<FeedSession>;
  /** Cached permission bits by channel id or `GUILD_AT_LARGE`. A change of permissions replaces the map. */
  permissions: Map<string, bigint>;
  /** End of the bot's timeout, in milliseconds since the Unix epoch; null for no timeout. */
  timeoutEnd: number | null;
}

interface Dispatched {
  message: BusMessage;
  /** In the guild's stream. */
  place: Place;
  audience: Audience;
  /** Key in `BotSubscription.permissions`; null if the event requires none. */
  where: string | null;
  /** In characters. */
  size: number;
}

/** A session that gets an event. */
interface Receiver {
  feedSession: FeedSession;
  shown: ContentShown;
}

interface FeedParts {
  app: AppContext;
  turns: BoxTurns;
  kept: PendingEventQuota;
  /** Sends the guild to a session that has lost it. */
  showAgain(session: Session): void;
  onEmpty(): void;
}

/** Of an event that is sent to one session only. */
const NO_PLACE: Place = { origin: '', count: 0, clock: null };

/** Sessions that get an event before the feed yields to the event loop. */
const SESSIONS_PER_SLICE = 1_000;

/** The feed does not yield while more events wait, so that it does not fall further behind. */
const MAX_WAITING_TO_YIELD = 20;

/** Placeholder for the channel of an event that requires channel permissions but names no channel. */
const NOWHERE = 'nowhere';

/**
 * Sends a guild's events, in order, to the sessions that want them, and serialises each once. If the required
 * permissions are cached and few sessions get it, an event is delivered before `publish` returns. Otherwise it and later
 * events wait.
 *
 * If permissions cannot be loaded, the affected connections close, and their sessions receive the events later. If too
 * many events wait, the affected sessions lose the guild or end. No session misses events without notice.
 */
export class GuildFeed {
  readonly #bots = new Map<bigint, BotSubscription>();
  readonly #subscription: BusSubscription;
  #waiting: Dispatched[] = [];
  #waitingSize = 0;
  /** The number of sessions that hold events, and the most bytes held by one. All hold the same events. */
  #holding = { sessions: 0, bytes: 0 };
  #working = false;
  #endPause: () => void = () => {};
  /** Callbacks to run after the queued loss of the guild was dispatched. */
  #afterLoss: (() => void)[] = [];
  /** Cached permissions were read at this time or later. */
  #permissionsSince: number;
  #guildCreate: Promise<GuildCreate | null> | undefined;

  private readonly app: AppContext;
  readonly isOnBox: boolean;

  constructor(
    readonly guildId: bigint,
    private readonly parts: FeedParts,
  ) {
    const { app } = parts;
    this.app = app;
    this.isOnBox = placeOfGuild(app, guildId) !== null;
    this.#permissionsSince = app.clock.now();
    this.#subscription = app.bus.subscribe(topics.guild(guildId), (message, place) => this.#receive(message, place));
  }

  attach(session: Session): FeedSession {
    const bot = this.#botOf(session.botId);
    const feedSession = new FeedSession(this, session, bot.permissions);
    bot.feedSessions.add(feedSession);
    session.guilds.set(this.guildId, feedSession);
    this.#holding.sessions += 1;
    return feedSession;
  }

  remove(feedSession: FeedSession): void {
    const bot = this.#bots.get(feedSession.session.botId);
    bot?.feedSessions.delete(feedSession);
    if (bot?.feedSessions.size === 0) this.#bots.delete(bot.botId);
    if (this.#bots.size > 0) return;
    this.#subscription.close();
    this.parts.onEmpty();
  }

  turn(): Promise<Release> {
    return this.parts.turns.take(this.guildId);
  }

  noteHeld(bytes: number): void {
    if (bytes <= this.#holding.bytes) return;
    this.#holding.bytes = bytes;
    this.#noteKept();
  }

  noteLetGo(): void {
    this.#holding.sessions -= 1;
    if (this.#holding.sessions > 0) return;
    this.#holding.bytes = 0;
    this.#noteKept();
  }

  #noteKept(): void {
    this.parts.kept.note(this, this.#waitingSize + this.#holding.bytes);
  }

  /** Calls `act` after the queued loss of the guild was dispatched, or at once if none is queued. */
  afterLoss(act: () => void): void {
    if (this.#isToldGone()) this.#afterLoss.push(act);
    else act();
  }

  /** GUILD_CREATE, including the effects of the last event. Null if there is no such guild. */
  guildCreatePayload(): Promise<GuildCreate | null> {
    if (this.#guildCreate) return this.#guildCreate;
    const picture = this.#subscription.ready.then(() => loadGuildCreate(this.app.guilds, this.guildId));
    const forget = () => {
      if (this.#guildCreate === picture) this.#guildCreate = undefined;
    };
    this.#guildCreate = picture;
    this.app.connectionClock.after(GUILD_CREATE_MS, forget);
    picture.catch(forget);
    return picture;
  }

  dropGuildCreate(): void {
    this.#guildCreate = undefined;
  }

  #forgetLive(): void {
    this.#guildCreate?.then(
      (picture) => picture?.forgetLive(),
      () => {},
    );
  }

  #botOf(botId: bigint): BotSubscription {
    const known = this.#bots.get(botId);
    if (known) return known;
    const bot: BotSubscription = {
      botId,
      idText: String(botId),
      feedSessions: new Set(),
      permissions: new Map(),
      timeoutEnd: null,
    };
    this.#bots.set(botId, bot);
    return bot;
  }

  #receive(message: Heard, place: Place | null): void {
    this.#forgetWhatIsOld();
    if (message.type === STREAM_GAP || place === null) {
      this.#showAgain();
      return;
    }
    this.#forgetWhatChanged(message);
    const event = dispatchedOf(message, place);
    if (!event) return;
    const receivers = this.#working || this.#undecided(event).length > 0 ? null : this.#receiversOf(event);
    if (receivers === null || receivers.length > SESSIONS_PER_SLICE) this.#wait(event);
    else this.#fanOut(event, receivers);
  }

  /** Whether all received events are with the sessions. */
  get isIdle(): boolean {
    return !this.#working;
  }

  /**
   * Sends a session of another process the events from before its arrival.
   * @returns false if permissions have changed since an event, so that those at its time are unknown
   * @throws if permissions cannot be read
   */
  async catchUp(feedSession: FeedSession, messages: readonly BusMessage[]): Promise<boolean> {
    const { session } = feedSession;
    const lastChange = messages.findLastIndex((message) => changesPermissions(message, session.botId));
    for (const [index, message] of messages.entries()) {
      const event = dispatchedOf(message, NO_PLACE);
      if (feedSession.detached) return true;
      const bot = this.#botOf(session.botId);
      if (!event) continue;
      if (wants(session, bot, event)) {
        while (!isDecided(bot, event)) await this.#decide(bot, event.where);
        const isChanged = index < lastChange || bot.permissions !== feedSession.firstPermissions;
        if (event.where !== null && isChanged) return false;
        if (permissionTest(event)(bot)) session.dispatch(new Forms(message).as(this.#shownTo(session, bot, message)));
      }
      if (event.audience.detaches) feedSession.lose(message, true);
    }
    return true;
  }

  #shownTo(session: Session, bot: BotSubscription, { content }: BusMessage): ContentShown {
    if (session.readsContent || !content) return 'whole';
    return contentShownTo(bot.idText, content.readers);
  }

  /** Events are lost, so that the guild as the sessions know it may be outdated. */
  #showAgain(): void {
    this.dropGuildCreate();
    this.#forgetPermissions();
    const sessions = [...this.#bots.values()].flatMap((bot) => [...bot.feedSessions].map(({ session }) => session));
    for (const session of sessions) {
      this.dropSession(session, closes.unavailable);
      this.parts.showAgain(session);
    }
  }

  #wait(event: Dispatched): void {
    this.#waiting.push(event);
    this.#waitingSize += event.size;
    if (event.audience.detaches) {
      // A new loss makes earlier callbacks obsolete.
      this.#afterLoss = [];
      this.#endPause();
    }
    if (isBeyond(this.#waiting.length, this.#waitingSize)) this.shedLoad();
    else this.#noteKept();
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let event = this.#waiting[0]; event; event = this.#waiting[0]) {
      // No `await` between the check and the choice of receivers, because permissions may change during it.
      while (this.#undecided(event).length > 0) await this.#decideAll(event);
      const receivers = this.#receiversOf(event);
      const forms = new Forms(event.message);
      await this.#deliverInSlices(event, forms, receivers);
      this.#finish(event, forms, receivers.length);
      this.#waiting.shift();
      this.#waitingSize -= event.size;
      this.#noteKept();
    }
    this.#working = false;
  }

  /**
   * Loads the missing permissions, with retries. After the last of `PERMISSION_RETRIES_MS`, closes the affected
   * connections, once. An unreachable guild becomes unavailable instead, then or once its absence is published. If it
   * returns earlier, no event was missed (docs/relay.md, R-42).
   */
  async #decideAll(event: Dispatched): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await Promise.all(this.#undecided(event).map((bot) => this.#decide(bot, event.where)));
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

  #isToldGone(): boolean {
    return this.#waiting.some(({ audience }) => audience.detaches);
  }

  /** Ends early when the guild's absence is published. */
  async #pause(ms: number): Promise<void> {
    const toldGone = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    await Promise.race([pause(this.app.connectionClock, ms), toldGone]);
  }

  #disconnect(event: Dispatched, error: unknown): void {
    const close = closeFor(
      error,
      this.app.log,
      'Could not read permissions for gateway events; disconnecting the sessions',
    );
    for (const session of sessionsThatWant(event, this.#undecided(event))) session.disconnect(close);
  }

  #showUnavailable(event: Dispatched): void {
    for (const bot of this.#undecided(event)) {
      for (const feedSession of [...bot.feedSessions]) markUnavailable(feedSession.session, this.guildId);
    }
  }

  /**
   * Makes the guild unavailable to a session that misses events. Without the guilds intent, the session cannot be
   * notified, so it ends. But a box must never end a session.
   */
  dropSession(session: Session, close: Close): void {
    if (this.isOnBox || session.wants(GatewayIntentBits.Guilds)) markUnavailable(session, this.guildId);
    else session.end(close);
  }

  /** Drops all sessions that hold events or want a waiting one, and discards the waiting events. */
  shedLoad(): void {
    const bots = [...this.#bots.values()];
    const behind = bots.flatMap((bot) =>
      [...bot.feedSessions].filter(
        ({ session, isHeld }) => isHeld || this.#waiting.some((event) => wants(session, bot, event)),
      ),
    );
    if (behind.length > 0) {
      const facts = { guildId: String(this.guildId), sessions: behind.length };
      this.app.log.warn(
        facts,
        'Too many events of a guild are waiting; the guild becomes unavailable to the sessions that lag behind',
      );
    }
    for (const { session } of behind) this.dropSession(session, closes.unavailable);
    // `#work` is processing the first event. Events about the loss of the guild also stay.
    const [first, ...others] = this.#waiting;
    this.#waiting = [...(first ? [first] : []), ...others.filter(({ audience }) => audience.detaches)];
    this.#waitingSize = this.#waiting.reduce((sum, { size }) => sum + size, 0);
    this.#noteKept();
  }

  /** Bots that want the event and have no cached permissions for it. */
  #undecided(event: Dispatched): BotSubscription[] {
    const { where } = event;
    if (where === null || where === NOWHERE) return [];
    const bots: BotSubscription[] = [];
    for (const bot of this.#bots.values()) {
      if (!isDecided(bot, event) && isWanted(bot, event)) bots.push(bot);
    }
    return bots;
  }

  async #decide(bot: BotSubscription, where: string | null): Promise<void> {
    if (where === null) return;
    const { permissions, botId } = bot;
    const { guilds, clock } = this.app;
    const channelId = where === GUILD_AT_LARGE ? null : BigInt(where);
    const there = await permissionsThere(guilds, { guildId: this.guildId, channelId }, botId, clock.now());
    if (there?.timeoutEnd != null) bot.timeoutEnd = there.timeoutEnd;
    // If permissions changed during the request, the bot has a new map, and this write has no effect.
    permissions.set(where, there?.bits ?? 0n);
  }

  /** Permissions are judged here, once, even if they change before the last slice. */
  #receiversOf(event: Dispatched): Receiver[] {
    const { content } = event.message;
    const isAllowed = permissionTest(event);
    const receivers: Receiver[] = [];
    for (const bot of this.#bots.values()) {
      if (!isAllowed(bot)) continue;
      const shown = content ? contentShownTo(bot.idText, content.readers) : 'whole';
      for (const feedSession of bot.feedSessions) {
        const { session } = feedSession;
        if (wants(session, bot, event)) receivers.push({ feedSession, shown: session.readsContent ? 'whole' : shown });
      }
    }
    return receivers;
  }

  #fanOut(event: Dispatched, receivers: readonly Receiver[]): void {
    const forms = new Forms(event.message);
    this.#deliver(event, forms, receivers);
    this.#finish(event, forms, receivers.length);
  }

  async #deliverInSlices(event: Dispatched, forms: Forms, receivers: readonly Receiver[]): Promise<void> {
    for (const [index, slice] of chunksOf(receivers, SESSIONS_PER_SLICE).entries()) {
      if (index > 0 && this.#waiting.length <= MAX_WAITING_TO_YIELD) await yieldOnce();
      this.#deliver(event, forms, slice);
    }
  }

  #deliver(event: Dispatched, forms: Forms, receivers: readonly Receiver[]): void {
    try {
      for (const { feedSession, shown } of receivers) {
        if (!feedSession.detached) feedSession.deliver(forms.as(shown), event.place);
      }
    } catch (error) {
      const close = closeFor(error, this.app.log, 'Could not dispatch an event; ending the sessions that want it');
      for (const { feedSession } of receivers) if (!feedSession.detached) feedSession.session.end(close);
    }
  }

  #finish(event: Dispatched, forms: Forms, deliveries: number): void {
    const { message, audience } = event;
    forms.settle();
    if (deliveries > 0) this.#measure(event, deliveries);
    if (audience.detaches) this.#detachAll(message);
  }

  #measure({ message, place: { publishedAt } }: Dispatched, deliveries: number): void {
    const { gatewayDispatches, gatewayDispatchLag } = this.app.metrics;
    gatewayDispatches.inc({ type: message.type }, deliveries);
    // Negative if the clock of another machine is ahead.
    if (publishedAt !== undefined) gatewayDispatchLag.observe(Math.max(0, Date.now() - publishedAt) / 1_000);
  }

  #detachAll(told: BusMessage): void {
    for (const bot of [...this.#bots.values()]) for (const feedSession of [...bot.feedSessions]) feedSession.lose(told);
    const acts = this.#afterLoss;
    this.#afterLoss = [];
    for (const act of acts) act();
  }

  /** Permissions expire in case an invalidation was lost. The end of a timeout publishes no event. */
  #forgetWhatIsOld(): void {
    const now = this.app.clock.now();
    if (now - this.#permissionsSince >= CACHE_MS) this.#forgetPermissions();
    for (const bot of this.#bots.values()) {
      if (bot.timeoutEnd === null || bot.timeoutEnd > now) continue;
      bot.permissions = new Map();
      bot.timeoutEnd = null;
    }
  }

  #forgetPermissions(): void {
    for (const bot of this.#bots.values()) bot.permissions = new Map();
    this.#permissionsSince = this.app.clock.now();
  }

  /** Losing the guild does not drop permissions, because earlier events still need them. */
  #forgetWhatChanged({ invalidates, userId, audience }: BusMessage): void {
    if (invalidates.includes('picture') || invalidates.includes('last-message')) this.dropGuildCreate();
    if (invalidates.includes('live')) this.#forgetLive();
    if (invalidates.includes('view') && !audience?.detaches) this.#forgetPermissions();
    if (!invalidates.includes('member') || userId === undefined) return;
    const bot = this.#bots.get(BigInt(userId));
    if (bot) bot.permissions = new Map();
  }
}

function changesPermissions({ invalidates, userId, audience }: BusMessage, botId: bigint): boolean {
  if (invalidates.includes('view') && !audience?.detaches) return true;
  return invalidates.includes('member') && userId === String(botId);
}

function dispatchedOf(message: BusMessage, place: Place): Dispatched | null {
  const { audience } = message;
  return audience && { message, place, audience, where: whereOf(audience, message), size: sizeOf(message) };
}

function isDecided({ permissions }: BotSubscription, { where }: Dispatched): boolean {
  return where === null || where === NOWHERE || permissions.has(where);
}

function isBeyond(events: number, bytes: number): boolean {
  return events > HELD_LIMIT.events || bytes > HELD_LIMIT.bytes;
}

/** In characters. */
function sizeOf({ data, content }: BusMessage): number {
  return data.length + (content?.redacted.length ?? 0) + (content?.withoutReply?.length ?? 0);
}

function whereOf({ inChannel, anyInGuild }: Audience, { channelId }: BusMessage): string | null {
  if (inChannel !== undefined) return channelId ?? NOWHERE;
  return anyInGuild === undefined ? null : GUILD_AT_LARGE;
}

function permissionTest({ audience, where }: Dispatched): (bot: BotSubscription) => boolean {
  if (where === null) return () => true;
  const all = BigInt(audience.inChannel ?? 0);
  const any = BigInt(audience.anyInGuild ?? 0);
  return ({ permissions }) => {
    const bits = permissions.get(where) ?? 0n;
    return (bits & all) === all && (any === 0n || (bits & any) !== 0n);
  };
}

/** Checks intents and `ownBot`, not permissions. */
function wants(session: Session, bot: BotSubscription, { message, audience }: Dispatched): boolean {
  const { ownBot } = audience;
  const isOwn = message.userId === bot.idText;
  if (ownBot === 'only' && !isOwn) return false;
  if (ownBot === 'never' && isOwn) return false;
  if (ownBot === 'always' && isOwn) return true;
  return audience.intent === 0 || session.wants(audience.intent);
}

function sessionsThatWant(event: Dispatched, bots: BotSubscription[]): Session[] {
  return bots.flatMap((bot) =>
    [...bot.feedSessions].map(({ session }) => session).filter((session) => wants(session, bot, event)),
  );
}

function isWanted(bot: BotSubscription, event: Dispatched): boolean {
  for (const { session } of bot.feedSessions) if (wants(session, bot, event)) return true;
  return false;
}

/** The full and redacted forms of one event, each built once. */
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
