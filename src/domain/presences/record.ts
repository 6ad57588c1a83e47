import type { Presence, Reader, Transaction } from '../../infra/database/index.js';

export type Status = 'online' | 'idle' | 'dnd' | 'invisible' | 'offline';

export type ShownStatus = Exclude<Status, 'invisible'>;

export interface Activity {
  name: string;
  /** Discord's `ActivityType`. */
  type: number;
  state?: string;
  url?: string;
  /** When first set, in milliseconds since the Unix epoch. */
  createdAt: number;
}

export interface Statement {
  /** Null takes the status of the user's other connections, or online. */
  status: Status | null;
  activities: Activity[];
  /** Milliseconds since the Unix epoch; null if not idle. */
  since: number | null;
  afk: boolean;
}

export const JUST_THERE: Statement = { status: null, activities: [], since: null, afk: false };

/** Activities are empty while offline. */
export interface ShownPresence {
  userId: bigint;
  status: ShownStatus;
  activities: Activity[];
}

export type Said = Pick<Presence, 'statementId' | 'status' | 'activities'>;

/** The latest statement counts. Without any, the user is offline. */
export function shownOf(userId: bigint, said: readonly Said[]): ShownPresence {
  const latest = latestOf(said);
  const status = shownStatus(latest?.status);
  const isThere = latest !== undefined && status !== 'offline';
  return { userId, status, activities: isThere ? (latest.activities as unknown as Activity[]) : [] };
}

export function latestOf<One extends Said>(said: readonly One[]): One | undefined {
  return said.reduce<One | undefined>(
    (latest, one) => (latest === undefined || one.statementId > latest.statementId ? one : latest),
    undefined,
  );
}

function shownStatus(status: string | undefined): ShownStatus {
  switch (status) {
    case 'online':
    case 'idle':
    case 'dnd':
      return status;
    default:
      return 'offline';
  }
}

/** Ignores `createdAt` of activities. */
export function looksAlike(one: ShownPresence, other: ShownPresence): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ status, activities }: ShownPresence): string {
  return JSON.stringify([status, activities.map(({ name, type, state, url }) => [name, type, state, url])]);
}

/** Skips presences of dead processes. */
export function presencesOf(db: Reader | Transaction, userId: bigint, now: Date): Promise<Presence[]> {
  return db.presence.findMany({ where: { userId, process: { until: { gt: now } } } });
}

export function byUser<Row extends Pick<Presence, 'userId'>>(rows: readonly Row[]): Map<bigint, Row[]> {
  const found = new Map<bigint, Row[]>();
  for (const row of rows) found.set(row.userId, [...(found.get(row.userId) ?? []), row]);
  return found;
}
