import type { AppContext } from '../context.js';
import type { AdmissionControl } from './admission-control.js';
import type { Bots } from './bots.js';
import type { Connections } from './connections.js';
import type { GuildFeeds } from './guild-feeds.js';
import type { LostSessions } from './lost-sessions.js';
import type { Session } from './session.js';

export interface Gateway {
  app: AppContext;
  /** Includes sessions that wait for a RESUME. */
  sessions: Map<string, Session>;
  connections: Connections;
  admissions: AdmissionControl;
  lostSessions: LostSessions;
  bots: Bots;
  feeds: GuildFeeds;
  moves: Moves;
}

/** A connection that waits for its session. */
export interface MoveApplicant {
  readonly isClosed: boolean;
  /** From `performance.now()`. */
  readonly openedAt: number;
}

/** Moves sessions between processes. */
export interface Moves {
  /** Whether the process stops, so that it takes no sessions. */
  readonly isLeaving: boolean;
  /** Takes in the sessions of earlier processes. */
  prepare(): Promise<void>;
  /**
   * Brings a session here for a RESUME, if another process has it.
   * @returns whether this is still the last connection that asked for it here
   */
  fetch(sessionId: string, botId: bigint, applicant: MoveApplicant): Promise<boolean>;
  /**
   * Moves all sessions to other processes, or leaves them for the next one that starts.
   * @param until the time limit, from `performance.now()`
   */
  leave(until: number): Promise<void>;
}
