import { GatewayOpcodes } from 'discord-api-types/v10';
import { pause } from '../infra/clock.js';
import type { Admission, Applicant } from './admission.js';
import { Closing, closeFor } from './closing.js';
import type { Encoding } from './compression.js';
import { controls } from './control.js';
import type { Payload } from './events.js';
import type { Gateway } from './gateway.js';
import { identify } from './identify.js';
import { type ClientPayload, check, decode, Heartbeat, Identify, Resume } from './payloads.js';
import { hidePresence } from './presence.js';
import {
  type ClientOpcode,
  type Close,
  clientCloseKeepsSession,
  closes,
  type GatewayVersion,
  isClientOpcode,
  MAX_PAYLOAD_BYTES,
  REFUSAL_DELAY_MS,
  SAME_MACHINE_DELAY_MS,
  SEND_LIMIT,
} from './protocol.js';
import { answer } from './requests.js';
import { resume } from './resume.js';
import type { Session } from './session.js';
import { type Outlet, Transmitter } from './transmitter.js';

/** The socket broke (RFC 6455, section 7.1.5). */
const ABNORMAL = 1006;

export class Connection implements Applicant {
  readonly version: GatewayVersion;
  readonly openedAt = performance.now();
  readonly #transmitter: Transmitter;
  #greeted = false;
  #closed = false;
  #session: Session | null = null;
  #admitting: Promise<void> | null = null;
  #refusals = 0;
  /** Arrival times of recent payloads, oldest first. */
  #arrivals: number[] = [];

  constructor(
    readonly gateway: Gateway,
    private readonly outlet: Outlet,
    { version, encoding }: { version: GatewayVersion; encoding: Encoding },
  ) {
    this.version = version;
    this.#transmitter = new Transmitter(outlet, encoding, this);
    gateway.connections.add(this);
  }

  get hasSession(): boolean {
    return this.#session !== null;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get hasCapacity(): boolean {
    return this.#transmitter.hasCapacity;
  }

  /** Sends HELLO, after the adapter's delay or at the first payload. */
  greet(): void {
    if (this.#greeted || this.#closed) return;
    this.#greeted = true;
    this.send(controls.hello);
  }

  send(payload: Payload): void {
    if (!this.#closed) this.#transmitter.send(payload);
  }

  compressPayloads(): void {
    this.#transmitter.compressPayloads();
  }

  receive(message: Buffer): void {
    if (this.#closed) return;
    this.greet();
    try {
      this.#countPayload();
      if (message.length > MAX_PAYLOAD_BYTES) throw new Closing(closes.undecodable);
      this.#handle(decode(message));
    } catch (error) {
      this.#fail(error);
    }
  }

  drained(): void {
    this.#session?.pump();
  }

  /** `close.client` decides whether the session waits for a RESUME. */
  close(close: Close): void {
    if (this.#closed) return;
    this.gateway.app.metrics.gatewayCloses.inc({ code: close.code });
    this.#leave(close.client === 'resume', close.code);
    this.outlet.close(close.code, close.reason);
  }

  /** Called if the client closed the socket with `code`, or if the socket broke (1006). */
  closed(code: number): void {
    this.gateway.connections.remove(this);
    this.#transmitter.end();
    if (this.#closed) return;
    if (this.#session) this.gateway.app.metrics.gatewayClientCloses.inc({ how: code === ABNORMAL ? 'lost' : 'closed' });
    this.#leave(clientCloseKeepsSession(code), code);
  }

  cutOff(): void {
    this.outlet.destroy();
  }

  #leave(keepSession: boolean, code: number): void {
    this.#closed = true;
    this.gateway.connections.heartbeats.forget(this);
    const session = this.#session;
    this.#session = null;
    this.#logClose(code, session);
    if (!session?.detach(this)) return;
    hidePresence(this.gateway, session);
    if (!keepSession) session.end();
  }

  #logClose(code: number, session: Session | null): void {
    const { log } = this.gateway.app;
    if (!log.isLevelEnabled('debug')) return;
    const named = session && { sessionId: session.id, applicationId: String(session.botId) };
    log.debug({ code, ...named }, 'Gateway connection closed');
  }

  #fail(error: unknown): void {
    this.close(closeFor(error, this.gateway.app.log, 'Gateway connection failed; closing it'));
  }

  #countPayload(): void {
    const now = this.gateway.app.connectionClock.now();
    const recent = this.#arrivals.filter((at) => now - at < SEND_LIMIT.windowMs);
    if (recent.length === SEND_LIMIT.payloads) throw new Closing(closes.rateLimited);
    // `concat` reserves no space for more, unlike `push`.
    this.#arrivals = recent.concat(now);
  }

  #handle({ op, d }: ClientPayload): void {
    if (!isClientOpcode(op)) throw new Closing(closes.unknownOpcode);
    switch (op) {
      case GatewayOpcodes.Heartbeat:
        this.#heartbeat(check(Heartbeat, d));
        break;
      case GatewayOpcodes.Identify:
        this.#admit(() => identify(this, check(Identify, d)));
        break;
      case GatewayOpcodes.Resume:
        this.#admit(() => resume(this, check(Resume, d)));
        break;
      default:
        this.#request(op, d);
        break;
    }
  }

  #heartbeat(sequence: number | null | undefined): void {
    this.gateway.connections.heartbeats.note(this);
    // See docs/gateway.md, G-10.
    setTimeout(() => this.send(controls.heartbeatAck), SAME_MACHINE_DELAY_MS);
    if (typeof sequence === 'number') this.#session?.acknowledge(sequence);
  }

  #request(op: ClientOpcode, d: unknown): void {
    if (this.#session) {
      answer(this.gateway, this.#session, op, d);
      return;
    }
    if (!this.#admitting) throw new Closing(closes.notIdentified);
    void this.#admitting.then(() => {
      if (this.#closed) return;
      try {
        this.#request(op, d);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #admit(work: () => Promise<Admission>): void {
    if (this.#session || this.#admitting) throw new Closing(closes.alreadyIdentified);
    if (this.gateway.moves.isLeaving) {
      this.send(controls.reconnect);
      return;
    }
    this.#admitting = this.#settle(work);
  }

  async #settle(work: () => Promise<Admission>): Promise<void> {
    try {
      const admission = await work();
      if ('refused' in admission) await this.#refuse(admission.retryAfterMs);
      else this.#adopt(admission);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#admitting = null;
    }
  }

  #note(outcome: 'identified' | 'resumed' | 'invalid_session', session?: Session): void {
    const { log, metrics } = this.gateway.app;
    metrics.gatewayAdmissions.inc({ outcome });
    if (!log.isLevelEnabled('debug')) return;
    const named = session && { sessionId: session.id, applicationId: String(session.botId) };
    log.debug({ outcome, ...named }, 'Gateway session admitted or refused');
  }

  #adopt({ session, begin }: Exclude<Admission, { refused: true }>): void {
    if (this.#closed) {
      if (begin) session.end();
      else if (session.detach(this)) hidePresence(this.gateway, session);
      return;
    }
    this.#session = session;
    this.#note(begin ? 'identified' : 'resumed', session);
    begin?.();
  }

  /** Sends op 9: the first time at once, later when a retry can succeed (docs/gateway.md, G-17). */
  async #refuse(retryAfterMs: number): Promise<void> {
    if (this.gateway.moves.isLeaving) {
      // The session may be on its way to this process, which can no longer take it in.
      this.send(controls.reconnect);
      return;
    }
    this.#refusals += 1;
    this.#note('invalid_session');
    const wait = this.#refusals === 1 ? 0 : Math.min(retryAfterMs, REFUSAL_DELAY_MS);
    if (wait > 0) await pause(this.gateway.app.connectionClock, wait);
    this.send(controls.invalidSession);
  }
}
