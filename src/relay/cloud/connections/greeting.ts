import { createPublicKey, randomBytes, verify } from 'node:crypto';
import type { Clock, Timer } from '../../../infra/clock.js';
import { type Close, closes } from '../../protocol/closes.js';
import { GREETING_MS, signedText } from '../../protocol/greeting.js';
import { type FromBox, type ToBox, VERSIONS } from '../../protocol/messages.js';
import { isWeakKey } from './small-order-keys.js';

type Hello = Extract<FromBox, { op: 'hello' }>;
type Proof = Extract<FromBox, { op: 'proof' }>;

/** The box has proved to hold the private key of `key`. */
export interface Proved {
  /** 32 bytes in base64url. */
  key: string;
  token: string | undefined;
  /** Id space of the ids that the box has made. */
  idSpace: number | undefined;
  version: number;
  software: string;
}

export interface GreetingParts {
  clock: Clock;
  origin: string;
  send(message: ToBox): void;
  onProved(proved: Proved): void;
  onRefused(close: Close): void;
}

interface Challenged {
  hello: Hello;
  version: number;
  signed: Buffer;
}

/** The cloud's side of the greeting, up to the proof (docs/relay.md, R-10 to R-13). */
export class Greeting {
  #awaited: 'hello' | Challenged | 'nothing' = 'hello';
  #timer: Timer;

  constructor(private readonly parts: GreetingParts) {
    this.#timer = this.#refuseLater();
  }

  hear(message: FromBox): void {
    const awaited = this.#awaited;
    if (awaited === 'hello' && message.op === 'hello') this.#challenge(message);
    else if (typeof awaited === 'object' && message.op === 'proof') this.#check(awaited, message);
    else this.#refuse(closes.unusable);
  }

  end(): void {
    this.#awaited = 'nothing';
    this.#timer.cancel();
  }

  #challenge(hello: Hello): void {
    const version = VERSIONS.find((known) => hello.versions.includes(known));
    if (version === undefined) {
      this.#refuse(closes.noVersion);
      return;
    }
    const { origin, send } = this.parts;
    const nonce = randomBytes(32).toString('base64url');
    this.#awaited = { hello, version, signed: Buffer.from(signedText(nonce, hello.key.toString('base64url'), origin)) };
    this.#timer.cancel();
    this.#timer = this.#refuseLater();
    send({ op: 'challenge', version, features: [], nonce, origin });
  }

  #check({ hello, version, signed }: Challenged, { signature }: Proof): void {
    if (isWeakKey(hello.key) || !isSignedBy(hello.key, signed, signature)) {
      this.#refuse(closes.notAdmitted);
      return;
    }
    this.end();
    const { token, id_space: idSpace, software } = hello;
    this.parts.onProved({ key: hello.key.toString('base64url'), token, idSpace, version, software });
  }

  #refuseLater(): Timer {
    return this.parts.clock.after(GREETING_MS, () => this.#refuse(closes.silent));
  }

  #refuse(close: Close): void {
    this.end();
    this.parts.onRefused(close);
  }
}

function isSignedBy(key: Buffer, signed: Buffer, signature: Buffer): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    // These 32 bytes are no valid key.
    return false;
  }
}
