import type { Gateway } from './gateway.js';
import type { GatewayVersion } from './protocol.js';
import type { Session, SessionLink } from './session.js';

/** A connection without a session, to those who decide about one. */
export interface Applicant extends SessionLink {
  readonly gateway: Gateway;
  /** What its address asks for. */
  readonly version: GatewayVersion;
  /** Whether the client has left meanwhile. */
  readonly isClosed: boolean;
  /** From here on larger payloads are compressed one by one, unless the transport compresses already. */
  compressPayloads(): void;
}

/** What came of an IDENTIFY (a session that has yet to begin) or a RESUME (one that goes on), or op 9. */
export type Admission = { session: Session; begin?: () => void } | { refused: true; retryAfterMs: number };
