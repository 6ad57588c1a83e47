import type { AppContext } from '../context.js';
import { BoxTurns } from './box-turns.js';
import { type FeedSession, GuildFeed } from './guild-feed.js';
import { KeptEvents } from './kept-events.js';
import type { Session } from './session.js';

/** The feeds of all guilds that a session of this process is in. */
export class GuildFeeds {
  /** Of those who ask boxes for guilds as a whole. */
  readonly turns: BoxTurns;
  readonly #feeds = new Map<bigint, GuildFeed>();
  readonly #kept = new KeptEvents();

  constructor(private readonly app: AppContext) {
    this.turns = new BoxTurns(app);
  }

  /** Events of the guild are held for the session until the feed session is released. */
  attach(guildId: bigint, session: Session): FeedSession {
    const feed = this.#feeds.get(guildId) ?? this.#open(guildId);
    return feed.attach(session);
  }

  /** Calls `act` once a loss of the guild that was told before is dispatched: at once, unless that waits for something. */
  afterLoss(guildId: bigint, act: () => void): void {
    const feed = this.#feeds.get(guildId);
    if (feed) feed.afterLoss(act);
    else act();
  }

  /** Takes a session out of every guild. */
  remove(session: Session): void {
    for (const feedSession of [...session.guilds.values()]) feedSession.detach();
  }

  #open(guildId: bigint): GuildFeed {
    const feed = new GuildFeed(guildId, {
      app: this.app,
      turns: this.turns,
      kept: this.#kept,
      onEmpty: () => {
        if (this.#feeds.get(guildId) === feed) this.#feeds.delete(guildId);
      },
    });
    this.#feeds.set(guildId, feed);
    return feed;
  }
}
