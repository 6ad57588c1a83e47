import { GatewayIntentBits } from 'discord-api-types/v10';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { GuildUnavailable } from '../domain/guilds/index.js';
import { pause } from '../infra/clock.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import type { GatewayEvent } from './events.js';
import { guildUnavailable } from './guild-delete.js';
import type { FeedSession } from './guild-feed.js';
import { BOX_PATIENCE_MS, GUILD_RETRY_MS, MAX_GUILD_CREATE_BYTES } from './protocol.js';
import type { Session } from './session.js';

/**
 * Sends a new session its guilds, no faster than its client reads. Cloud guilds go one by one, guilds on boxes
 * concurrently. A guild is unavailable if its box does not respond within `BOX_PATIENCE_MS`.
 */
export async function introduceGuilds(app: AppContext, session: Session, feedSessions: FeedSession[]): Promise<void> {
  const introductions = feedSessions.map((feedSession) => new Introduction(app, feedSession));
  await Promise.all([
    introduceInOrder(introductions.filter(({ isOnBox }) => !isOnBox)),
    introduceFromBoxes(
      app,
      introductions.filter(({ isOnBox }) => isOnBox),
    ),
  ]);
  session.markIntroduced();
}

/** Sends a session a guild that it lost or joined. A client that has the guild as unavailable hears of that once. */
export function introduceGuild(app: AppContext, feedSession: FeedSession): Promise<void> {
  const { session, feed } = feedSession;
  feedSession.isToldUnavailable = session.unavailableGuilds.has(feed.guildId);
  return new Introduction(app, feedSession).begin();
}

/** Goes on with the introduction of a guild that READY named at another process. */
export function continueIntroduction(app: AppContext, feedSession: FeedSession): Promise<void> {
  return new Introduction(app, feedSession).begin();
}

async function introduceInOrder(introductions: Introduction[]): Promise<void> {
  for (const introduction of introductions) await introduction.begin();
}

/** Resolves after `BOX_PATIENCE_MS` at the latest. Slower guilds follow later. */
async function introduceFromBoxes(app: AppContext, introductions: Introduction[]): Promise<void> {
  if (introductions.length === 0) return;
  const begun = Promise.all(introductions.map((introduction) => introduction.begin()));
  await Promise.race([begun, pause(app.connectionClock, BOX_PATIENCE_MS)]);
  for (const introduction of introductions) introduction.tellDelay();
}

/**
 * Dispatches GUILD_CREATE, then the held events. A guild that fails to load, or without the bot, is sent as unavailable
 * and retried. An unreachable guild is sent as unavailable and detached until its return is published (docs/gateway.md,
 * G-50).
 */
class Introduction {
  constructor(
    private readonly app: AppContext,
    private readonly feedSession: FeedSession,
  ) {}

  get isOnBox(): boolean {
    return this.feedSession.feed.isOnBox;
  }

  /** Resolves once GUILD_CREATE or GUILD_DELETE was dispatched. */
  async begin(): Promise<void> {
    const { feedSession } = this;
    if (!feedSession.session.wants(GatewayIntentBits.Guilds)) return feedSession.release();
    if (await this.#isShown()) return;
    this.#tellUnavailable();
    void this.#showLater();
  }

  tellDelay(): void {
    if (this.feedSession.isHeld) this.#tellUnavailable();
  }

  async #showLater(): Promise<void> {
    let wait: number = GUILD_RETRY_MS.first;
    do {
      await pause(this.app.connectionClock, wait);
      wait = Math.min(2 * wait, GUILD_RETRY_MS.most);
    } while (!(await this.#isShown()));
  }

  /** @returns false if the guild could not be read and must be retried */
  async #isShown(): Promise<boolean> {
    const { feedSession } = this;
    const endTurn = await this.#turn();
    const create = feedSession.detached ? 'unreadable' : await this.#guildCreate();
    endTurn();
    if (create === 'unreadable') return feedSession.detached;
    await feedSession.session.whenRoom(() => this.#show(create));
    return true;
  }

  /** Acquires a load permit. A client that does not read holds none. */
  async #turn(): Promise<Release> {
    const { session, feed } = this.feedSession;
    for (;;) {
      await session.room();
      const release = await feed.turn();
      await yieldToEventLoop();
      if (session.hasCapacity || session.ended) return release;
      release();
    }
  }

  #show(create: GatewayEvent | 'out of reach'): void {
    const { feedSession } = this;
    if (feedSession.detached) return;
    if (create === 'out of reach') {
      this.#tellUnavailable();
      feedSession.detach();
    } else {
      this.#showWhole(create);
      feedSession.release();
    }
  }

  #tellUnavailable(): void {
    if (this.feedSession.isToldUnavailable) return;
    this.feedSession.isToldUnavailable = true;
    const { feed, session } = this.feedSession;
    session.unavailableGuilds.add(feed.guildId);
    this.#dispatch(guildUnavailable(feed.guildId));
  }

  #showWhole(create: GatewayEvent): void {
    const { feed, session } = this.feedSession;
    session.unavailableGuilds.delete(feed.guildId);
    this.#dispatch(create);
  }

  #dispatch(event: GatewayEvent): void {
    this.feedSession.session.dispatch(event);
    event.settle();
    this.app.metrics.gatewayDispatches.inc({ type: event.type });
  }

  async #guildCreate(): Promise<GatewayEvent | 'unreadable' | 'out of reach'> {
    const { app } = this;
    const { feed, session } = this.feedSession;
    try {
      const [picture, member] = await Promise.all([
        feed.guildCreatePayload(),
        app.guilds.member(feed.guildId, session.botId),
      ]);
      // The retries end once the loss is published, or show the guild if the bot has returned.
      if (!picture || !member) return 'unreadable';
      const create = await picture.eventFor({
        user: session.user,
        member,
        seesPresences: session.wants(GatewayIntentBits.GuildPresences),
        seesVoice: session.wants(GatewayIntentBits.GuildVoiceStates),
        largeThreshold: session.largeThreshold,
      });
      if (create.size <= MAX_GUILD_CREATE_BYTES) return create;
      app.log.warn(
        { guildId: String(feed.guildId), bytes: create.size },
        'Guild is too large for GUILD_CREATE; it is shown as unavailable',
      );
      return 'out of reach';
    } catch (error) {
      if (error instanceof GuildUnavailable) return 'out of reach';
      if (!refusalIn(error)) app.log.error({ err: error }, 'Could not read a guild for the gateway');
      feed.dropGuildCreate();
      return 'unreadable';
    }
  }
}
