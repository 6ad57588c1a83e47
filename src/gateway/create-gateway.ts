import type { AppContext } from '../context.js';
import type { Bus } from '../infra/processes/bus.js';
import { AdmissionControl } from './admission-control.js';
import { Bots } from './bots.js';
import { Connections } from './connections.js';
import type { Gateway } from './gateway.js';
import { GuildFeeds } from './guild-feeds.js';
import { introduceGuild } from './introductions.js';
import { type LifeMessage, LostSessions } from './lost-sessions.js';
import type { MoveMessage } from './moves/messages.js';
import { SessionMoves } from './moves/session-moves.js';
import type { Session } from './session.js';

/** The buses are null in a set-up of one process. */
export function createGateway(
  app: AppContext,
  bus: Bus<MoveMessage> | null,
  lifeBus: Bus<LifeMessage> | null,
): Gateway {
  const introduce = (guildId: bigint, session: Session) => {
    if (!session.ended && !session.guilds.has(guildId)) void introduceGuild(app, feeds.attach(guildId, session));
  };
  const feeds: GuildFeeds = new GuildFeeds(app, (guildId, session) => void bots.catchUpOn(guildId, session));
  // If a guild returns while its loss is queued, the loss comes first. Sessions that hold the guild then receive it
  // again.
  const bots: Bots = new Bots(app, feeds.turns, (guildId, session) =>
    feeds.afterLoss(guildId, () => introduce(guildId, session)),
  );
  const gateway: Gateway = {
    app,
    sessions: new Map(),
    connections: new Connections(app.connectionClock),
    admissions: new AdmissionControl(app),
    lostSessions: new LostSessions(app, lifeBus),
    bots,
    feeds,
    get moves() {
      return moves;
    },
  };
  const moves = new SessionMoves(gateway, bus);
  return gateway;
}
