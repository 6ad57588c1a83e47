import { setTimeout } from 'node:timers/promises';
import { storeMove } from '../../domain/session-moves.js';
import type { StreamPosition } from '../../infra/streams/envelope.js';
import { readClocks } from '../../infra/streams/lost-events.js';
import { topics } from '../../infra/streams/topics.js';
import type { Gateway } from '../gateway.js';
import { markUnavailable } from '../guild-delete.js';
import { closes } from '../protocol.js';
import type { Session, SessionLink } from '../session.js';
import { type MovedSession, pack } from './snapshot.js';

/** How long the events of a committed change may take until this process has heard them. */
const HEARD_WITHIN_MS = 250;

/** Clocks of streams of which this process has not heard a committed change, by topic. */
export type Bases = ReadonlyMap<string, number>;

export interface Departed {
  /** Of the row that holds the sessions; null if there are none, or if they could not be stored. */
  moveId: string | null;
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
  bases: Bases,
  target: string | null,
): Promise<Departed> {
  const { app } = gateway;
  // From here to the end of the snapshot, nothing may be awaited.
  for (const session of wanted) if (!session.ended && !session.isSettled) session.end(closes.unavailable);
  const leaving = wanted.filter((session) => !session.ended);
  if (leaving.length === 0) return { moveId: null, links: [] };
  const positions: Record<string, StreamPosition> = {};
  for (const topic of new Set(leaving.flatMap(topicsOf))) {
    const position = app.bus.position(topic);
    if (position) positions[topic] = { ...position, clock: position.clock ?? bases.get(topic) ?? null };
  }
  const departed = leaving.map((session) => takeOut(gateway, session, positions));
  const links = departed.flatMap(({ link }) => link ?? []);
  try {
    const packed = await pack({ sessions: departed.map(({ moved }) => moved), positions });
    return { moveId: await storeMove(app.callOfNobody(), packed, target), links };
  } catch (error) {
    app.log.error({ err: error }, 'Could not store gateway sessions that move; their bots identify again');
    return { moveId: null, links };
  }
}

/** Call this before {@link depart}. */
export async function findBases({ app }: Gateway, sessions: Iterable<Session>): Promise<Bases> {
  const silent = [...new Set([...sessions].flatMap(topicsOf))].filter(
    (topic) => (app.bus.position(topic)?.clock ?? null) === null,
  );
  if (!app.live.isShared || silent.length === 0) return new Map();
  const clocks = await readClocks(app.db.reader, silent);
  if (clocks.size > 0) await setTimeout(HEARD_WITHIN_MS);
  return clocks;
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

function takeOut(
  { app }: Gateway,
  session: Session,
  positions: Record<string, StreamPosition>,
): { moved: MovedSession; link: SessionLink | null } {
  for (const [guildId, { isIdle, isHeld, isArriving }] of [...session.guilds]) {
    const isLost = isHeld ? isArriving : !isIdle || !positions[topics.guild(guildId)];
    if (isLost) markUnavailable(session, guildId);
  }
  const guilds = [...session.guilds];
  const { id, botId, bot, version, intents, shard, largeThreshold, presence } = session;
  const moved = {
    ...{ id, botId, tokenHash: bot.tokenHash, version, intents, shard, largeThreshold, presence },
    shown: guilds.flatMap(([guildId, { isHeld }]) => (isHeld ? [] : [guildId])),
    unshown: guilds.flatMap(([guildId, { isHeld }]) => (isHeld ? [guildId] : [])),
    unavailable: [...session.unavailableGuilds],
    isOnline: app.connections.leave(id),
  };
  const { progress, link } = session.leave();
  return { moved: { ...moved, progress }, link };
}
