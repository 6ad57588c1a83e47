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
  const bots = new Bots(app, (guildId, session) => {
    if (!session.ended && !session.guilds.has(guildId)) void introduceGuild(app, feeds.attach(guildId, session));
  });
  return { app, sessions: new Map(), connections: new Connections(app.clock), bots, feeds };
}
