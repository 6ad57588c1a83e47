import { ActivityType } from 'discord-api-types/v10';
import type { Activity, SessionSummary, Statement } from '../domain/presences/index.js';
import type { Gateway } from './gateway.js';
import type { PresenceUpdate } from './payloads.js';
import type { Session } from './session.js';

/** Database and GraphQL integers have 32 bits. */
const MAX_SHARD = 2 ** 31 - 1;

const MAX_ACTIVITIES = 10;

/** In characters. */
const MAX_TEXT = 128;
const MAX_URL = 2_048;

/** Activities of other types are dropped. */
const ACTIVITY_TYPES: readonly number[] = [
  ActivityType.Playing,
  ActivityType.Streaming,
  ActivityType.Listening,
  ActivityType.Watching,
  ActivityType.Custom,
  ActivityType.Competing,
];

const CUSTOM_STATUS = 'Custom Status';

export function showPresence({ app }: Gateway, session: Session): Promise<void> {
  const key = { id: session.id, userId: session.botId, session: sessionSummaryOf(session, app.clock.now()) };
  return app.connections.open(key, statementOf(session.presence, app.clock.now()));
}

/** For a session of another process, whose stored presence belongs to this one now. */
export function continuePresence({ app }: Gateway, session: Session): void {
  const now = app.clock.now();
  const key = { id: session.id, userId: session.botId, session: sessionSummaryOf(session, now) };
  app.connections.adopt(key, statementOf(session.presence, now));
}

/** For a session that ended on its way here. */
export function endPresence({ app }: Gateway, { id, botId }: { id: string; botId: bigint }): void {
  app.connections.adopt({ id, userId: botId, session: null }, statementOf(null, app.clock.now()));
  void app.connections.close(id);
}

function sessionSummaryOf({ shard, intents }: Session, now: number): SessionSummary {
  const { id, count } = shard ?? { id: 0, count: 1 };
  return {
    shardId: Math.min(id, MAX_SHARD),
    shardCount: Math.min(count, MAX_SHARD),
    intents,
    connectedAt: new Date(now),
  };
}

export function hidePresence({ app }: Gateway, session: Session): void {
  session.presencePace.cancel();
  void app.connections.close(session.id);
}

export function changePresence({ app }: Gateway, session: Session, presence: PresenceUpdate): void {
  session.presence = presence;
  void session.presencePace.do(() => app.connections.state(session.id, statementOf(presence, app.clock.now())));
}

/** Keeps only the activity fields that a bot can set (docs/gateway.md, G-39). */
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

/** Removes NUL and lone surrogates, which the databases cannot store. Undefined if nothing is left. */
function textOf(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = [...value.replaceAll('\0', '').toWellFormed()].slice(0, max).join('');
  return text === '' ? undefined : text;
}

function wholeOf(since: number): number | null {
  return Number.isFinite(since) && Math.abs(since) <= Number.MAX_SAFE_INTEGER ? Math.trunc(since) : null;
}
