import type { SentBot } from '../../protocol/messages.js';

/** See docs/relay.md, R-20. */
export interface ForwardedRequest {
  method: string;
  /** Percent-encoded, without a prefix except `/api/v9`. */
  path: string;
  query: Readonly<Record<string, string | string[]>>;
  headers: Record<string, string>;
  body: ForwardedBody;
  bot: SentBot;
  webhook?: { id: string; channel_id: string };
  guildId: bigint;
}

/** A body that can be read more than once. */
export interface ForwardedBody {
  /** In bytes. */
  size: number;
  read(): AsyncIterable<Buffer>;
}

/** Has a valid format. For a request, its body was checked too. */
export interface BoxAnswer {
  status: number;
  /** In seconds, or null. */
  retryAfter: number | null;
  /** As the box reports it, or null. */
  tookMs: number | null;
  body: Buffer;
}

/** `crowded` and `tooLong` were not sent. `overfull` was sent, but its response exceeds the quota. */
export type BoxFault = 'offline' | 'timeout' | 'undecodable' | 'crowded' | 'tooLong' | 'overfull';

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

export interface CallOptions {
  budgetMs: number;
  /** Idempotency key. */
  key: string;
  /** Equal for each repetition of a write. */
  fingerprint?: string;
  /** Whether all processes use this key for the write. */
  isKeyShared?: boolean;
}

/** A client of one box, connected to any process. */
export interface BoxTransport {
  readonly boxId: bigint;
  /** @throws BoxError */
  request(request: ForwardedRequest, callOptions: CallOptions): Promise<BoxAnswer>;
  /** @throws BoxError */
  call(name: string, input: object, callOptions: CallOptions): Promise<BoxAnswer>;
}

/** May disturb a request of a bot and its answer. */
export type BoxInterceptor = (
  boxId: bigint,
  request: ForwardedRequest,
  callOptions: CallOptions,
  send: () => Promise<BoxAnswer>,
) => Promise<BoxAnswer>;

export interface BoxTransports {
  /** Null if the box is connected to no process. */
  to(boxId: bigint): Promise<BoxTransport | null>;
}
