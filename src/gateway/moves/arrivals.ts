import { type SessionMove, takeOverConnections } from '../../domain/session-moves.js';
import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { StreamPosition } from '../../infra/streams/envelope.js';
import { topics } from '../../infra/streams/topics.js';
import type { Gateway } from '../gateway.js';
import type { FeedSession } from '../guild-feed.js';
import { introduceGuild } from '../introductions.js';
import { openSession } from '../open-session.js';
import { continuePresence, hidePresence } from '../presence.js';
import { closes, RESUME_WINDOW_MS } from '../protocol.js';
import type { Session } from '../session.js';
import { findMissed, type Missed } from './missed.js';
import { type MovedSession, type MovedSessions, unpack } from './snapshot.js';

/** A bot whose session moves is shown online for this long, until it resumes. */
const ONLINE_MS = 10_000;

/** Sessions taken in before yielding to the event loop. */
const SESSIONS_PER_TURN = 50;

/** Takes in sessions of another process. They wait for a RESUME, or for the end of their window. */
export async function arrive(gateway: Gateway, move: SessionMove): Promise<void> {
  const { app } = gateway;
  const { gatewayMoves, gatewayMoveSeconds } = app.metrics;
  if (move.movedAt + RESUME_WINDOW_MS <= app.clock.now()) return;
  const moved = await read(gateway, move);
  if (!moved) return;
  const find = (topic: string) => findIn(gateway, moved.positions, topic, move.movedAt);
  const online: Session[] = [];
  for (const [index, one] of moved.sessions.entries()) {
    if (index % SESSIONS_PER_TURN === 0) await yieldToEventLoop();
    const session = await open(gateway, one, find);
    gatewayMoves.inc({ outcome: session ? 'arrived' : 'lost' });
    if (session && one.isOnline) online.push(session);
  }
  await takeOverConnections(
    app.callOfNobody(),
    online.map(({ id }) => id),
  );
  gatewayMoveSeconds.observe(Math.max(0, app.clock.now() - move.movedAt) / 1_000);
  for (const session of online) continuePresence(gateway, session);
  app.clock.after(ONLINE_MS, () => {
    for (const session of online) if (!session.connected) hidePresence(gateway, session);
  });
}

/** Null if the bots must identify again. */
async function read({ app: { log } }: Gateway, { id, sessions }: SessionMove): Promise<MovedSessions | null> {
  try {
    const moved = await unpack(sessions);
    if (!moved) log.warn({ moveId: id }, 'Gateway sessions of another version end; their bots identify again');
    return moved;
  } catch (error) {
    log.error({ err: error, moveId: id }, 'Could not read gateway sessions of another process');
    return null;
  }
}

type FindMissed = (topic: string) => Promise<Missed | null>;

function findIn(
  { app }: Gateway,
  positions: Record<string, StreamPosition>,
  topic: string,
  movedAt: number,
): Promise<Missed | null> {
  const position = positions[topic];
  return position ? findMissed(app.bus, topic, position, movedAt) : Promise.resolve(null);
}

/** Null if the session must not go on, because its bot or its token is gone. */
async function open(gateway: Gateway, moved: MovedSession, find: FindMissed): Promise<Session | null> {
  const { app, bots, feeds } = gateway;
  const { id, botId, tokenHash, version, intents, shard, largeThreshold, presence, progress } = moved;
  const bot = await app.botTokens.stillAuthenticated(botId, tokenHash);
  if (!bot) return null;
  const session = openSession(gateway, { id, bot, version, intents, shard, largeThreshold, presence }, progress);
  await bots.add(session);
  for (const guildId of moved.unavailable) session.unavailableGuilds.add(guildId);
  for (const guildId of moved.shown) {
    void arriveAtGuild(gateway, feeds.attach(guildId, session), find(topics.guild(guildId)));
  }
  for (const guildId of moved.unshown) void introduceGuild(app, feeds.attach(guildId, session));
  void bots.arrive(session, find);
  return session;
}

async function arriveAtGuild(
  { app, bots }: Gateway,
  feedSession: FeedSession,
  finding: Promise<Missed | null>,
): Promise<void> {
  const { feed, session } = feedSession;
  try {
    const missed = await finding;
    if (missed) {
      await feed.catchUp(feedSession, missed.messages);
      feedSession.arrive(missed.position);
      return;
    }
  } catch (error) {
    app.log.error({ err: error }, 'Could not send a moved gateway session the events that it missed');
  }
  if (session.ended || feedSession.detached) return;
  feed.dropSession(session, closes.unavailable);
  await bots.catchUpOn(feed.guildId, session);
}
