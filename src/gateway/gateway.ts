import type { AppContext } from '../context.js';
import { Bots } from './bots.js';
import { Connections } from './connections.js';
import { GuildFeeds } from './guild-feeds.js';
import { introduceGuild } from './introductions.js';
import type { Session } from './session.js';

export interface Gateway {
  app: AppContext;
  /** Includes sessions that wait for a RESUME. */
  sessions: Map<string, Session>;
  connections: Connections;
  bots: Bots;
  feeds: GuildFeeds;
}

export function createGateway(app: AppContext): Gateway {
  const introduce = (guildId: bigint, session: Session) => {
    if (!session.ended && !session.guilds.has(guildId)) void introduceGuild(app, feeds.attach(guildId, session));
  };
  const feeds: GuildFeeds = new GuildFeeds(app, (guildId, session) => void bots.catchUpOn(guildId, session));
  // If a guild returns while its loss is queued, the loss comes first. Sessions that hold the guild then receive it
  // again.
  const bots: Bots = new Bots(app, feeds.turns, (guildId, session) =>
    feeds.afterLoss(guildId, () => introduce(guildId, session)),
  );
  return { app, sessions: new Map(), connections: new Connections(app.clock), bots, feeds };
}
