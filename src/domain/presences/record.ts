import type { Presence, Reader, Transaction } from '../../infra/database/index.js';

/** What somebody may say of themselves. */
export type Status = 'online' | 'idle' | 'dnd' | 'invisible' | 'offline';

/** What others see of it. */
export type ShownStatus = Exclude<Status, 'invisible'>;

/** What somebody does, of what a bot may say. */
export interface Activity {
  name: string;
  /** The reference platform's activity type. */
  type: number;
  state?: string;
  url?: string;
  /** When it was first said, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** What a connection says of its user. */
export interface Statement {
  /** Null for whatever the user's other connections say, or online. */
  status: Status | null;
  activities: Activity[];
  /** Since when nobody was at the keyboard, in milliseconds since the Unix epoch. */
  since: number | null;
  afk: boolean;
}

/** Of somebody who just came. */
export const JUST_THERE: Statement = { status: null, activities: [], since: null, afk: false };

/** A user as others see them at the moment; without activities while they are offline. */
export interface ShownPresence {
  userId: bigint;
  status: ShownStatus;
  activities: Activity[];
}

/** What a presence is shown of. */
export type Said = Pick<Presence, 'statementId' | 'status' | 'activities'>;

/** What is shown of a user who says all this by different connections: the latest counts. Nothing said is offline. */
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

/** Whether others see no difference. When the same activity was said first is none. */
export function looksAlike(one: ShownPresence, other: ShownPresence): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ status, activities }: ShownPresence): string {
  return JSON.stringify([status, activities.map(({ name, type, state, url }) => [name, type, state, url])]);
}

/** The rows that count for a user: those of processes that live. */
export function presencesOf(db: Reader | Transaction, userId: bigint, now: Date): Promise<Presence[]> {
  return db.presence.findMany({ where: { userId, process: { until: { gt: now } } } });
}

/** Rows by the users of whom they say something. */
export function byUser(rows: readonly Presence[]): Map<bigint, Presence[]> {
  const found = new Map<bigint, Presence[]>();
  for (const row of rows) found.set(row.userId, [...(found.get(row.userId) ?? []), row]);
  return found;
}
