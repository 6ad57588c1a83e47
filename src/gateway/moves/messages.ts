/** Messages between the processes of an instance. */
export type MoveMessage =
  | { type: 'WHO_TAKES_SESSIONS'; from: string }
  | { type: 'TAKES_SESSIONS'; from: string; processId: string; sessions: number }
  /** With the requests that it answers, unless the process stops. */
  | { type: 'SESSIONS_LEFT'; from: string; moveId: string; requestIds?: readonly string[] }
  | { type: 'SESSIONS_ARRIVED' | 'SESSIONS_REFUSED'; moveId: string }
  | SessionWanted
  | { type: 'SESSION_IS_NOT_HERE'; requestId: string; isMoving: boolean };

/** A client has asked for its session at another process. */
export interface SessionWanted {
  type: 'SESSION_WANTED';
  from: string;
  processId: string;
  requestId: string;
  sessionId: string;
  botId: string;
  /** Milliseconds since the client's connection was opened. */
  ageMs: number;
}

/** All processes hear this topic. */
export const EVERYBODY = 'gateway';

/** The topic of one process. */
export const topicOf = (id: string) => `gateway:${id}`;

/** Sends messages as one process. */
export interface MoveSender {
  /** Of the process in `topicOf`. */
  readonly id: string;
  send(peerId: string, message: MoveMessage): void;
}
