import { setTimeout } from 'node:timers/promises';
import { storeMove } from '../../domain/session-moves.js';
import type { StreamPosition } from '../../infra/streams/envelope.js';
import { readClocks } from '../../infra/streams/lost-events.js';
import { topics } from '../../infra/streams/topics.js';
import type { Gateway } from '../gateway.js';
import { endPresence } from '../presence.js';
import { closes } from '../protocol.js';
import type { Session, SessionLink } from '../session.js';
import { type MovedSession, pack } from './snapshot.js';

/** How long the events of a committed change may take until this process has heard them. */
const HEARD_WITHIN_MS = 250;

/** Last clocks of streams of which this process has not heard a committed change, by topic. */
export type SilentClocks = ReadonlyMap<string, number>;

export interface Departed {
  /** Of the row that holds the sessions; null if there are none, or if they could not be stored. */
  moveId: string | null;
  /** The sessions in the row. */
  moved: readonly Session[];
  /** Open connections of the sessions, whose clients do not know of the move yet. */
  links: SessionLink[];
}

/**
 * Takes sessions out of this process and stores them for another. A session that is not ready ends.
 * @param target the process that is to take them in; null for the next that starts
 */
export async function depart(
  gateway: Gateway,
  wanted: readonly Session[],
  silentClocks: SilentClocks,
  target: string | null,
): Promise<Departed> {
  const { app } = gateway;
  // From here to the end of the snapshot, nothing may be awaited.
  for (const session of wanted) endUnlessComplete(gateway, session);
  const leaving = wanted.filter((session) => !session.ended);
  if (leaving.length === 0) return { moveId: null, moved: [], links: [] };
  const movedAt = app.connectionClock.now();
  const positions = positionsOf(gateway, leaving, silentClocks);
  const departed = leaving.map((session) => takeOut(gateway, session));
  const links = departed.flatMap(({ link }) => link ?? []);
  const snapshots = departed.map(({ snapshot }) => snapshot);
  try {
    const packed = await pack({ sessions: snapshots, positions });
    const moveId = await storeMove(app.callOfNobody(), { sessions: packed, target, movedAt });
    return { moveId, moved: leaving, links };
  } catch (error) {
    app.log.error({ err: error }, 'Could not store gateway sessions that move; their bots identify again');
    for (const one of snapshots) if (one.isOnline) endPresence(gateway, one);
    return { moveId: null, moved: [], links };
  }
}

/** A guild of which events are still to come becomes unavailable to the session, or ends it. */
function endUnlessComplete({ app }: Gateway, session: Session): void {
  if (session.ended) return;
  if (!session.isSettled) {
    session.end(closes.unavailable);
    return;
  }
  for (const [guildId, guild] of [...session.guilds]) {
    const isKnown = guild.isIdle && app.bus.position(topics.guild(guildId)) !== null;
    if (!isKnown && (!guild.isHeld || guild.isArriving)) guild.drop(closes.unavailable);
  }
}

function positionsOf(
  { app }: Gateway,
  leaving: readonly Session[],
  silentClocks: SilentClocks,
): Record<string, StreamPosition> {
  const positions: Record<string, StreamPosition> = {};
  for (const topic of new Set(leaving.flatMap(topicsOf))) {
    const position = app.bus.position(topic);
    if (position) positions[topic] = { ...position, clock: position.clock ?? silentClocks.get(topic) ?? null };
  }
  return positions;
}

/** Call this before {@link depart}. Without the database, it finds none, so that guilds are sent again. */
export async function findSilentClocks({ app }: Gateway, sessions: Iterable<Session>): Promise<SilentClocks> {
  const silent = [...new Set([...sessions].flatMap(topicsOf))].filter(
    (topic) => (app.bus.position(topic)?.clock ?? null) === null,
  );
  if (!app.live.isShared || silent.length === 0) return new Map();
  try {
    const clocks = await readClocks(app.db.reader, silent);
    if (clocks.size > 0) await setTimeout(HEARD_WITHIN_MS);
    return clocks;
  } catch (error) {
    app.log.error({ err: error }, 'Could not read the clocks of streams for gateway sessions that move');
    return new Map();
  }
}

function topicsOf({ botId, guilds }: Session): string[] {
  return [topics.user(botId), topics.application(botId), ...[...guilds.keys()].map(topics.guild)];
}

/** Whether a session can leave without a loss. */
export function isReady({ app }: Gateway, session: Session): boolean {
  return (
    session.isSettled &&
    [...session.guilds.values()].every(({ isIdle }) => isIdle) &&
    topicsOf(session).every((topic) => app.bus.position(topic) !== null)
  );
}

function takeOut({ app }: Gateway, session: Session): { snapshot: MovedSession; link: SessionLink | null } {
  const guilds = [...session.guilds];
  const { id, botId, bot, version, intents, shard, largeThreshold, presence } = session;
  const snapshot = {
    ...{ id, botId, tokenHash: bot.tokenHash, version, intents, shard, largeThreshold, presence },
    shown: guilds.flatMap(([guildId, { isHeld }]) => (isHeld ? [] : [guildId])),
    unshown: guilds.flatMap(([guildId, { isHeld }]) => (isHeld ? [guildId] : [])),
    unavailable: [...session.unavailableGuilds],
    isOnline: app.connections.release(id),
  };
  const { progress, link } = session.leave();
  return { snapshot: { ...snapshot, progress }, link };
}
