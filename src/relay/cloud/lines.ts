import type { SentBot } from '../protocol/messages.js';

/** A request on its way to a box (docs/relay.md, R-20). */
export interface ForwardedRequest {
  method: string;
  /** Percent-encoded, without a prefix but that of version 9. */
  path: string;
  query: Readonly<Record<string, string | string[]>>;
  /** Those that travel only. */
  headers: Record<string, string>;
  body: ForwardedBody;
  bot: SentBot;
  webhook?: { id: string; channel_id: string };
  guildId: bigint;
}

/** A body that was received whole, and may be read more than once. */
export interface ForwardedBody {
  /** Bytes. */
  size: number;
  read(): AsyncIterable<Buffer>;
}

/** What a box answered, checked as far as its form goes; to a request also as far as its body goes. */
export interface BoxAnswer {
  status: number;
  /** In seconds, where it said so. */
  retryAfter: number | null;
  /** How long the box says that it worked on it, in milliseconds; null where it does not say. */
  tookMs: number | null;
  /** Empty for none. */
  body: Buffer;
}

/**
 * Why there is no answer of a box. `crowded` was not sent, `tooLong` neither, since it is longer than a message may be; `overfull` was, and is
 * answered with more than there is room for.
 */
export type BoxFault = 'offline' | 'timeout' | 'undecodable' | 'crowded' | 'tooLong' | 'overfull';

/** There is no answer of a box. */
export class BoxError extends Error {
  override readonly name = 'BoxError';

  constructor(
    readonly fault: BoxFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** How a piece of work is sent. */
export interface Errand {
  /** How long the answer is waited for, in milliseconds. */
  budgetMs: number;
  /** Names the work, so that it is done once. */
  key: string;
  /** The same for each repetition of a write; those that meet are one piece of work, under one key. */
  fingerprint?: string;
  /** Whether all processes know the write by this key. */
  isKeyShared?: boolean;
}

/** The way to a box that serves, in this process or by way of another. */
export interface BoxLine {
  readonly boxId: bigint;
  /** @throws BoxError */
  request(request: ForwardedRequest, errand: Errand): Promise<BoxAnswer>;
  /** @throws BoxError */
  call(name: string, input: object, errand: Errand): Promise<BoxAnswer>;
}

/** The ways to boxes. */
export interface BoxLines {
  /** The way to a box; null for one that is not connected to any process. */
  to(boxId: bigint): Promise<BoxLine | null>;
}
