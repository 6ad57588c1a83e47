import type { UploadedFile } from '../../messages/files/received-files.js';
import type { Callback, Step } from '../record.js';
import type { InteractionRequest } from '../requests/request.js';

interface Attempt {
  step: Step;
  httpMs: number;
}

/** Only status 2xx counts as delivered (service description, section 6). */
export type EndpointOutcome = Attempt &
  /** The caller must keep or discard the files of an answer. */
  (
    | { kind: 'answered'; callback: Callback; files: readonly UploadedFile[] }
    /** 202, or 2xx without a body: the answer comes through the callback route. */
    | { kind: 'accepted' }
    /** 2xx with an invalid body. */
    | { kind: 'unusable'; reason: string }
    /** Any other status, or no response in time. */
    | { kind: 'failed'; reason: string }
  );

export interface Endpoints {
  /** Failures of the endpoint are returned, not thrown. */
  deliver(request: InteractionRequest, key: { id: bigint; token: string }): Promise<EndpointOutcome>;
}
