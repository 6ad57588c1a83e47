import type { Clock, Timer } from '../../infra/clock.js';
import { because, type Close, closes } from '../protocol/closes.js';
import { GREETING_MS, signedText } from '../protocol/greeting.js';
import { FEATURES, type FromCloud, type ToCloud, VERSIONS } from '../protocol/messages.js';
import type { BoxIdentity } from './identity.js';
import { isSameOrigin } from './origins.js';

export type Welcome = Extract<FromCloud, { op: 'welcome' }>;

export interface GreetingParts {
  identity: BoxIdentity;
  /** Enrols the key; null if the cloud knows the key. */
  token: string | null;
  instance: string;
  clock: Clock;
  send(message: ToCloud): void;
  end(close: Close): void;
}

/** See docs/relay.md, R-10 to R-15. */
export class Greeting {
  #awaited: 'challenge' | 'welcome' = 'challenge';
  #patience: Timer | null = null;

  constructor(private readonly parts: GreetingParts) {}

  begin(): void {
    const { identity, token, instance } = this.parts;
    const { enrolment } = identity;
    this.parts.send({
      op: 'hello',
      versions: [...VERSIONS],
      features: [...FEATURES],
      software: 'causeway',
      key: identity.key,
      ...(token === null ? {} : { token }),
      ...(enrolment ? { id_space: enrolment.idSpace } : {}),
      instance,
    });
    this.#wait();
  }

  /** @returns the welcome; null before it, or if `message` ends the connection */
  heed(message: FromCloud): Welcome | null {
    if (message.op === this.#awaited && message.op === 'challenge') this.#prove(message);
    else if (message.op === this.#awaited && message.op === 'welcome') return this.#accept(message);
    else this.#end(because(closes.unusable, `${message.op} within the greeting`));
    return null;
  }

  cancel(): void {
    this.#patience?.cancel();
  }

  #prove({ version, nonce, origin }: Extract<FromCloud, { op: 'challenge' }>): void {
    const { identity, send } = this.parts;
    const fault = faultOf(version, origin, identity);
    if (fault) {
      this.#end(fault);
      return;
    }
    const signed = signedText(nonce.toString('base64url'), identity.key, origin);
    send({ op: 'proof', signature: identity.sign(signed) });
    this.#awaited = 'welcome';
    this.#wait();
  }

  #accept(welcome: Welcome): Welcome | null {
    this.cancel();
    if (isAsEnrolled(welcome, this.parts.identity)) return welcome;
    this.#end(because(closes.notOwnId, 'the cloud mistakes this box for another one'));
    return null;
  }

  #wait(): void {
    this.cancel();
    this.#patience = this.parts.clock.after(GREETING_MS, () => this.#end(closes.silent));
  }

  #end(close: Close): void {
    this.cancel();
    this.parts.end(close);
  }
}

/** A box can change into another one only with that box's token and the same id space. */
function isAsEnrolled({ box_id, id_space }: Welcome, { enrolment, isChangingKeys }: BoxIdentity): boolean {
  if (!enrolment) return true;
  return enrolment.idSpace === id_space && (isChangingKeys || enrolment.boxId === box_id);
}

/** Null if the challenge is valid. */
function faultOf(version: number, origin: string, { cloudUrl }: BoxIdentity): Close | null {
  if (!VERSIONS.includes(version)) return closes.noVersion;
  return isSameOrigin(origin, cloudUrl) ? null : because(closes.otherOrigin, `the origin of the cloud is ${origin}`);
}
