import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { StreamPosition } from '../../infra/streams/envelope.js';
import { GatewayEvent, Piece } from '../events.js';
import type { PresenceUpdate } from '../payloads.js';
import type { GatewayVersion } from '../protocol.js';
import type { SessionProgress, Shard } from '../session.js';

/** Of the text below. A process ignores snapshots that it cannot read. */
const FORMAT = 1;

/** Speed matters more than size. */
const LEVEL = 1;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** A session that left its process. */
export interface MovedSession {
  id: string;
  botId: bigint;
  tokenHash: string;
  version: GatewayVersion;
  intents: number;
  shard: Shard | null;
  largeThreshold: number;
  presence: PresenceUpdate | null;
  progress: SessionProgress;
  /** Guilds that the client has. */
  shown: bigint[];
  /** Guilds whose GUILD_CREATE is still to be sent. */
  unshown: bigint[];
  unavailable: bigint[];
  /** Whether its presence shows the bot online. */
  isOnline: boolean;
}

type Ids = 'botId' | 'shown' | 'unshown' | 'unavailable';

interface StoredSession extends Omit<MovedSession, Ids | 'progress'>, Omit<SessionProgress, 'events'> {
  botId: string;
  /** Places in the list of events. */
  events: number[];
  shown: string[];
  unshown: string[];
  unavailable: string[];
}

/** Sessions that left together. */
export interface MovedSessions {
  sessions: MovedSession[];
  /** The positions up to which they have the events of their streams, by topic. An absent stream may have had more. */
  positions: Record<string, StreamPosition>;
}

interface StoredSessions extends Pick<MovedSessions, 'positions'> {
  format: number;
  /** Type and `d`, each once, since sessions share them. */
  events: [string, string][];
  sessions: StoredSession[];
}

export async function pack({ sessions: moved, positions }: MovedSessions): Promise<Uint8Array> {
  const places = new Map<GatewayEvent, number>();
  const events: [string, string][] = [];
  const placeOf = (event: GatewayEvent): number => {
    const known = places.get(event);
    if (known !== undefined) return known;
    places.set(event, events.length);
    return events.push([event.type, event.data]) - 1;
  };
  const sessions = moved.map(
    ({ botId, shown, unshown, unavailable, progress, ...rest }): StoredSession => ({
      ...rest,
      ...progress,
      botId: String(botId),
      events: progress.events.map(placeOf),
      shown: shown.map(String),
      unshown: unshown.map(String),
      unavailable: unavailable.map(String),
    }),
  );
  const stored: StoredSessions = { format: FORMAT, positions, events, sessions };
  return deflate(JSON.stringify(stored), { level: LEVEL });
}

/** Null for a format of another version. */
export async function unpack(packed: Uint8Array): Promise<MovedSessions | null> {
  const stored = JSON.parse((await inflate(packed)).toString()) as StoredSessions;
  if (stored.format !== FORMAT) return null;
  const events = stored.events.map(([type, data]) => new GatewayEvent(type, new Piece(data)));
  const sessions = stored.sessions.map(({ sequence, sent, acknowledged, waitsSince, events: places, ...rest }) => ({
    ...rest,
    botId: BigInt(rest.botId),
    shown: rest.shown.map(BigInt),
    unshown: rest.unshown.map(BigInt),
    unavailable: rest.unavailable.map(BigInt),
    progress: {
      ...{ sequence, sent, acknowledged, waitsSince },
      events: places.flatMap((place) => events[place] ?? []),
    },
  }));
  return { sessions, positions: stored.positions };
}
