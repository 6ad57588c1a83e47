import type { UploadedFile } from '../messages/received-files.js';
import type { Callback, Step } from './record.js';
import type { InteractionRequest } from './request.js';

interface Attempt {
  /** What is noted of it. */
  step: Step;
  /** How long it took, in milliseconds. */
  httpMs: number;
}

/** What became of the attempt to deliver an interaction over HTTP. Only 2xx counts as delivered (service description, section 6). */
export type EndpointOutcome = Attempt &
  /** The files go with its message; they are for whoever carries it out to keep, or to discard. */
  (
    | { kind: 'answered'; callback: Callback; files: readonly UploadedFile[] }
    /** 2xx without a body: the answer comes through the callback route. */
    | { kind: 'accepted' }
    /** 2xx with a body that is no answer. */
    | { kind: 'unusable'; reason: string }
    /** Anything but 2xx, or no answer within the time. */
    | { kind: 'failed'; reason: string }
  );

/** The way to the interactions endpoints of applications. */
export interface Endpoints {
  /** Posts an interaction to its application's endpoint, signed. Never throws for what the endpoint does. */
  deliver(request: InteractionRequest, key: { id: bigint; token: string }): Promise<EndpointOutcome>;
}
