import type { BoxFault, CallOptions, ForwardedRequest } from '../forwarding/transport.js';

export type CrossProcessWork =
  | { kind: 'request'; request: Omit<ForwardedRequest, 'body' | 'guildId'> & { guildId: string }; size: number }
  | { kind: 'call'; name: string; input: object };

/** `id` identifies the request. Bodies follow in pieces. */
export type CrossProcessMessage =
  /** @property from topic of the response */
  | { type: 'ask'; id: string; from: string; boxId: string; asked: CrossProcessWork; errand: CallOptions }
  | { type: 'answer'; id: string; status: number; retryAfter: number | null; tookMs: number | null; size: number }
  | { type: 'fault'; id: string; fault: BoxFault; message: string }
  /** In base64. */
  | { type: 'piece'; id: string; data: string }
  /** The sender may send one more piece. */
  | { type: 'taken'; id: string }
  /** Checks that the other process is alive. */
  | { type: 'waiting'; id: string }
  /** The caller no longer waits. */
  | { type: 'drop'; id: string };

export const crossProcessTopics = {
  /** Requests to a process's boxes. */
  holder: (processId: string) => `relay:${processId}`,
  /** Responses to a process. */
  asker: (id: string) => `relay:asker:${id}`,
};
