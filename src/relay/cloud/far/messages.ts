import type { BoxFault, Errand, ForwardedRequest } from '../lines.js';

/** What a process asks of the box of another. */
export type FarWork =
  | { kind: 'request'; request: Omit<ForwardedRequest, 'body' | 'guildId'> & { guildId: string }; size: number }
  | { kind: 'call'; name: string; input: object };

/** What processes tell each other of requests to boxes. `id` names the request; bodies follow their head as pieces. */
export type LineMessage =
  /** @property from where the answer goes */
  | { type: 'ask'; id: string; from: string; boxId: string; asked: FarWork; errand: Errand }
  | { type: 'answer'; id: string; status: number; retryAfter: number | null; tookMs: number | null; size: number }
  | { type: 'fault'; id: string; fault: BoxFault; message: string }
  /** Of the body of the request or of the answer, in base64. */
  | { type: 'piece'; id: string; data: string }
  /** A piece has arrived: one more may be sent. */
  | { type: 'taken'; id: string }
  /** Whoever asked waits, and looks whether the other process is there. */
  | { type: 'waiting'; id: string }
  /** Whoever asked has stopped to. */
  | { type: 'drop'; id: string };

export const lineTopics = {
  /** Those who ask for a box of a live process. */
  holder: (processId: string) => `relay:${processId}`,
  /** What is answered to one who asks. */
  asker: (id: string) => `relay:asker:${id}`,
};
