import { ActivityType } from 'discord-api-types/v10';
import type { Activity, SessionFacts, Statement } from '../domain/presences/index.js';
import type { Gateway } from './gateway.js';
import type { PresenceUpdate } from './payloads.js';
import type { Session } from './session.js';

/** The greatest number of a shard that is kept: the databases' integers, and those of GraphQL, have 32 bits. */
const MAX_SHARD = 2 ** 31 - 1;

/** Activities that are kept of a statement. */
const MAX_ACTIVITIES = 10;

/** Characters of a name or a state that are kept, and of an address. */
const MAX_TEXT = 128;
const MAX_URL = 2_048;

/** The types of activities that there are; one of another type is left out (decisions 229). */
const ACTIVITY_TYPES: readonly number[] = [
  ActivityType.Playing,
  ActivityType.Streaming,
  ActivityType.Listening,
  ActivityType.Watching,
  ActivityType.Custom,
  ActivityType.Competing,
];

/** What a custom status is called whose client did not name it. */
const CUSTOM_STATUS = 'Custom Status';

/** A session is on a connection: its bot is there, as it says. Settles when the bot's guilds were told. */
export function showPresence({ app }: Gateway, session: Session): Promise<void> {
  const key = { id: session.id, userId: session.botId, session: factsOf(session, app.clock.now()) };
  return app.connections.open(key, statementOf(session.presence, app.clock.now()));
}

/** What is kept of a session that is connected now. Numbers of shards that are none a bot has are kept as the greatest that can be. */
function factsOf({ shard, intents }: Session, now: number): SessionFacts {
  const { id, count } = shard ?? { id: 0, count: 1 };
  return {
    shardId: Math.min(id, MAX_SHARD),
    shardCount: Math.min(count, MAX_SHARD),
    intents,
    connectedAt: new Date(now),
  };
}

/** The connection of a session is gone, and with it what it said, and where its bot was in voice. */
export function hidePresence({ app }: Gateway, session: Session): void {
  session.presencePace.cancel();
  void app.connections.close(session.id);
}

/** The client says something else of its bot. */
export function changePresence({ app }: Gateway, session: Session, presence: PresenceUpdate): void {
  session.presence = presence;
  session.presencePace.do(() => void app.connections.state(session.id, statementOf(presence, app.clock.now())));
}

/** What a client says, as it is kept: of activities, what a bot can set (docs/gateway.md, G-39). */
function statementOf(presence: PresenceUpdate | null, now: number): Statement {
  return {
    status: presence?.status || 'online',
    activities: (presence?.activities ?? []).flatMap((activity) => keptOf(activity, now)).slice(0, MAX_ACTIVITIES),
    since: presence?.since == null ? null : wholeOf(presence.since),
    afk: presence?.afk ?? false,
  };
}

type SaidActivity = NonNullable<PresenceUpdate['activities']>[number];

function keptOf({ name, type, state, url }: SaidActivity, now: number): Activity[] {
  const kept = textOf(name, MAX_TEXT) ?? (type === ActivityType.Custom ? CUSTOM_STATUS : undefined);
  if (kept === undefined || !ACTIVITY_TYPES.includes(type)) return [];
  const said = textOf(state, MAX_TEXT);
  const address = type === ActivityType.Streaming ? textOf(url, MAX_URL) : undefined;
  return [
    {
      name: kept,
      type,
      ...(said === undefined ? {} : { state: said }),
      ...(address === undefined || !/^https?:\/\//.test(address) ? {} : { url: address }),
      createdAt: now,
    },
  ];
}

/** Text that both databases can keep; undefined for anything else, and for none. */
function textOf(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = [...value.replaceAll('\0', '').toWellFormed()].slice(0, max).join('');
  return text === '' ? undefined : text;
}

function wholeOf(since: number): number | null {
  return Number.isFinite(since) && Math.abs(since) <= Number.MAX_SAFE_INTEGER ? Math.trunc(since) : null;
}
