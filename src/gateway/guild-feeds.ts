import type { AppContext } from '../context.js';
import { BoxTurns } from './box-turns.js';
import { type FeedSession, GuildFeed } from './guild-feed.js';
import { PendingEventQuota } from './pending-event-quota.js';
import type { Session } from './session.js';

export class GuildFeeds {
  readonly turns: BoxTurns;
  readonly #feeds = new Map<bigint, GuildFeed>();
  readonly #kept = new PendingEventQuota();

  constructor(
    private readonly app: AppContext,
    private readonly showAgain: (guildId: bigint, session: Session) => void,
  ) {
    this.turns = new BoxTurns(app);
  }

  /** The feed session holds events until `release`. */
  attach(guildId: bigint, session: Session): FeedSession {
    const feed = this.#feeds.get(guildId) ?? this.#open(guildId);
    return feed.attach(session);
  }

  afterLoss(guildId: bigint, act: () => void): void {
    const feed = this.#feeds.get(guildId);
    if (feed) feed.afterLoss(act);
    else act();
  }

  remove(session: Session): void {
    for (const feedSession of [...session.guilds.values()]) feedSession.detach();
  }

  #open(guildId: bigint): GuildFeed {
    const feed = new GuildFeed(guildId, {
      app: this.app,
      turns: this.turns,
      kept: this.#kept,
      showAgain: (session) => this.showAgain(guildId, session),
      onEmpty: () => {
        if (this.#feeds.get(guildId) === feed) this.#feeds.delete(guildId);
      },
    });
    this.#feeds.set(guildId, feed);
    return feed;
  }
}
