import type { Gateway } from './gateway.js';
import type { GatewayVersion } from './protocol.js';
import type { Session, SessionLink } from './session.js';

/** A connection that has no session yet. */
export interface Applicant extends SessionLink {
  readonly gateway: Gateway;
  readonly version: GatewayVersion;
  readonly isClosed: boolean;
  compressPayloads(): void;
}

/** The session, or the refusal that op 9 reports. After IDENTIFY, `begin` sends READY; RESUME has no `begin`. */
export type Admission = { session: Session; begin?: () => void } | { refused: true; retryAfterMs: number };
