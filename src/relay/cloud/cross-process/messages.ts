import type { BoxFault, CallOptions, ForwardedRequest } from '../forwarding/transport.js';

export type CrossProcessWork =
  | { kind: 'request'; request: Omit<ForwardedRequest, 'body' | 'guildId'> & { guildId: string }; size: number }
  | { kind: 'call'; name: string; input: object };

/** `id` identifies the request. Bodies follow as pieces. */
export type CrossProcessMessage =
  /** @property from topic of the answer */
  | { type: 'ask'; id: string; from: string; boxId: string; asked: CrossProcessWork; errand: CallOptions }
  | { type: 'answer'; id: string; status: number; retryAfter: number | null; tookMs: number | null; size: number }
  | { type: 'fault'; id: string; fault: BoxFault; message: string }
  /** In base64. */
  | { type: 'piece'; id: string; data: string }
  /** One more piece may be sent. */
  | { type: 'taken'; id: string }
  /** The asking process checks that the other one is alive. */
  | { type: 'waiting'; id: string }
  /** The asking process no longer waits. */
  | { type: 'drop'; id: string };

export const crossProcessTopics = {
  /** Requests to the boxes of a process. */
  holder: (processId: string) => `relay:${processId}`,
  /** Answers to one process. */
  asker: (id: string) => `relay:asker:${id}`,
};
