import { type SessionMove, takeOverConnections } from '../../domain/session-moves.js';
import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { readClocks } from '../../infra/streams/lost-events.js';
import { topics } from '../../infra/streams/topics.js';
import type { Gateway } from '../gateway.js';
import type { FeedSession } from '../guild-feed.js';
import { continueIntroduction } from '../introductions.js';
import { openSession } from '../open-session.js';
import { continuePresence, endPresence, hidePresence } from '../presence.js';
import { closes, RESUME_WINDOW_MS } from '../protocol.js';
import type { Session } from '../session.js';
import { findMissed, type Missed } from './missed.js';
import { type MovedSession, type MovedSessions, unpack } from './snapshot.js';

/** A bot whose session moves is shown online for this long, until it resumes. */
const ONLINE_MS = 10_000;

/** Guilds attached before yielding to the event loop. */
const GUILDS_PER_TURN = 500;

/** Takes in sessions of another process. They wait for a RESUME, or for the end of their window. */
export async function arrive(gateway: Gateway, move: SessionMove): Promise<void> {
  const { app } = gateway;
  if (move.movedAt + RESUME_WINDOW_MS <= app.connectionClock.now()) return;
  const moved = await read(gateway, move);
  if (!moved) return;
  const opened = await Promise.all(moved.sessions.map((one) => open(gateway, one)));
  const arrived = opened.filter((one) => one !== null);
  await attachAll(gateway, arrived, (topic, committed) => {
    const from = moved.positions[topic];
    return from ? findMissed(app.bus, { topic, from, sinceMs: move.movedAt, committed }) : Promise.resolve(null);
  });
  measure(gateway, move, { arrived: arrived.length, lost: opened.length - arrived.length });
  await continuePresences(gateway, moved.sessions);
}

interface Arrived {
  session: Session;
  moved: MovedSession;
}

function measure({ app }: Gateway, { movedAt }: SessionMove, counts: Record<'arrived' | 'lost', number>): void {
  const { gatewayMoves, gatewayMoveSeconds } = app.metrics;
  for (const [outcome, count] of Object.entries(counts)) gatewayMoves.inc({ outcome }, count);
  gatewayMoveSeconds.observe(Math.max(0, app.connectionClock.now() - movedAt) / 1_000);
}

async function continuePresences(gateway: Gateway, moved: readonly MovedSession[]): Promise<void> {
  const { app, sessions } = gateway;
  const online = moved.filter(({ isOnline }) => isOnline);
  const ids = online.map(({ id }) => id);
  const here = new Map<string, Session>();
  for (const id of ids) {
    const session = sessions.get(id);
    if (session) here.set(id, session);
  }
  try {
    await takeOverConnections(app.callOfNobody(), ids);
  } catch (error) {
    app.log.error({ err: error }, 'Could not take over the presences of moved gateway sessions');
  }
  // A session that has left again, or has returned since, is another object.
  const isStillHere = (session: Session) => sessions.get(session.id) === session;
  const continued = [...here.values()].filter(isStillHere);
  for (const session of continued) continuePresence(gateway, session);
  for (const one of online) if (!here.has(one.id)) endPresence(gateway, one);
  app.connectionClock.after(ONLINE_MS, () => {
    for (const session of continued) if (isStillHere(session) && !session.connected) hidePresence(gateway, session);
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

/** @param committed the stream's last committed change; 0 for none */
type FindMissed = (topic: string, committed: Promise<number>) => Promise<Missed | null>;

/** Null if the session must not go on, because its bot or its token is gone, or if that is unknown. */
async function open(gateway: Gateway, moved: MovedSession): Promise<Arrived | null> {
  const { app, bots } = gateway;
  const { id, botId, tokenHash, version, intents, shard, largeThreshold, presence, progress } = moved;
  try {
    const bot = await app.botTokens.stillAuthenticated(botId, tokenHash);
    if (!bot) return null;
    const session = openSession(gateway, { id, bot, version, intents, shard, largeThreshold, presence }, progress);
    await bots.add(session);
    return { session, moved };
  } catch (error) {
    app.log.error({ err: error }, 'Could not take in a gateway session; its bot identifies again');
    return null;
  }
}

async function attachAll(gateway: Gateway, arrived: readonly Arrived[], find: FindMissed): Promise<void> {
  let findHere = oncePerTopic(gateway, find);
  let attached = 0;
  for (const { session, moved } of arrived) {
    if (attached >= GUILDS_PER_TURN) {
      await yieldToEventLoop();
      // A session that is attached in this turn must not miss what came since the last.
      findHere = oncePerTopic(gateway, find);
      attached = 0;
    }
    if (!session.ended) attach(gateway, session, moved, findHere);
    attached += moved.shown.length + moved.unshown.length + 1;
  }
}

function attach(
  gateway: Gateway,
  session: Session,
  moved: MovedSession,
  find: (topic: string) => Promise<Missed | null>,
): void {
  const { app, bots, feeds } = gateway;
  for (const guildId of moved.unavailable) session.unavailableGuilds.add(guildId);
  for (const guildId of moved.shown) {
    void arriveAtGuild(gateway, feeds.attach(guildId, session), find(topics.guild(guildId)));
  }
  for (const guildId of moved.unshown) void continueIntroduction(app, feeds.attach(guildId, session));
  void bots.arrive(session, find);
}

/** Finds what was missed of each stream once, and reads the clocks of all streams of a turn together. */
function oncePerTopic({ app }: Gateway, find: FindMissed): (topic: string) => Promise<Missed | null> {
  const found = new Map<string, Promise<Missed | null>>();
  let clocks: Promise<ReadonlyMap<string, number>> | undefined;
  return (topic) => {
    // Runs at the end of the turn, when all topics are known.
    clocks ??= Promise.resolve().then(() =>
      app.bus.isShared ? readClocks(app.db.reader, [...found.keys()]) : new Map<string, number>(),
    );
    const known =
      found.get(topic) ??
      find(
        topic,
        clocks.then((all) => all.get(topic) ?? 0),
      );
    found.set(topic, known);
    // Callers handle it, but maybe later.
    known.catch(() => {});
    return known;
  };
}

async function arriveAtGuild(
  { app, bots }: Gateway,
  feedSession: FeedSession,
  finding: Promise<Missed | null>,
): Promise<void> {
  const { feed, session } = feedSession;
  feedSession.isArriving = true;
  try {
    const missed = await finding;
    if (missed && (await feed.catchUp(feedSession, missed.messages))) {
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
