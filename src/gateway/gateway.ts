import type { AppContext } from '../context.js';
import { Bots } from './bots.js';
import { Connections } from './connections.js';
import { GuildFeeds } from './guild-feeds.js';
import { introduceGuild } from './introductions.js';
import type { Session } from './session.js';

/** What the gateway of this process has one of. */
export interface Gateway {
  app: AppContext;
  /** Every session, connected or waiting, by its id. */
  sessions: Map<string, Session>;
  connections: Connections;
  bots: Bots;
  feeds: GuildFeeds;
}

export function createGateway(app: AppContext): Gateway {
  const feeds = new GuildFeeds(app);
  const introduce = (guildId: bigint, session: Session) => {
    if (!session.ended && !session.guilds.has(guildId)) void introduceGuild(app, feeds.attach(guildId, session));
  };
  // A guild that is back before its loss was dispatched is lost first: whoever holds it still is shown it anew, too.
  const bots = new Bots(app, feeds.turns, (guildId, session) =>
    feeds.afterLoss(guildId, () => introduce(guildId, session)),
  );
  return { app, sessions: new Map(), connections: new Connections(app.clock), bots, feeds };
}
