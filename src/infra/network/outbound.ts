import { type ClientRequest, type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { Clock, Timer } from '../clock.js';
import { FairSemaphore, type Release } from '../concurrency/semaphore.js';
import { isAllowedAddress, type LookUp, lookUpInDns, lookUpLocally } from './addresses.js';
import { isInTooManyPieces } from './body-pieces.js';

export interface OutboundRequest {
  url: string;
  /** For fair queueing per host. */
  applicationId: bigint;
  headers: Record<string, string>;
  body: string;
  /** From the DNS lookup to the last byte of the response. */
  deadlineMs: number;
  /** By the raw content type. Default: {@link DEFAULT_BODY_LIMIT}. */
  bodyLimit?: (contentType: string | null) => BodyLimit;
}

export interface BodyLimit {
  /** Bytes. */
  most: number;
  /** Returns false if there is no room for these bytes now. */
  take?(bytes: number): boolean;
}

const MIB = 1024 * 1024;

export const DEFAULT_BODY_LIMIT: BodyLimit = { most: MIB };

/** Each stage includes the ones before it. `secured` is TLS; plain HTTP skips it. */
export const OUTBOUND_STAGES = ['nothing', 'address', 'connected', 'secured', 'answering'] as const;

export type OutboundStage = (typeof OUTBOUND_STAGES)[number];

export type OutboundFailure =
  /** The URL is refused before any lookup. */
  | 'url-not-allowed'
  /** The host has an address that is not public. */
  | 'address-not-allowed'
  | 'name-not-found'
  | 'unreachable'
  | 'connection-refused'
  | 'connection-reset'
  | 'tls'
  | 'timeout'
  | 'too-large'
  /** The response is not HTTP, or not in the requested form. */
  | 'invalid-answer'
  /** Too many requests of the application wait for the host, or too many run in total. */
  | 'busy';

export type OutboundAnswer =
  /**
   * A complete response with any status. `contentType` is the raw header. `body` is the first MiB of `bytes` as UTF-8.
   */
  | {
      outcome: 'answered';
      status: number;
      contentType: string | null;
      bytes: Buffer;
      body: string;
      durationMs: number;
    }
  /**
   * `status` is set if the headers arrived. `detail` is a sentence for the endpoint's operator, and reveals nothing
   * that they did not state.
   */
  | {
      outcome: 'failed';
      reason: OutboundFailure;
      detail: string;
      status: number | null;
      reached: OutboundStage;
      durationMs: number;
    };

/** Requests to URLs that users chose. */
export interface Outbound {
  /**
   * Follows no redirects, and uses no cookies or proxies of the environment. Never rejects for failures of the other
   * side.
   */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Makes running requests fail. */
  close(): void;
}

export interface OutboundOptions {
  clock: Clock;
  /** Also allows plain HTTP, any port, this machine and private networks. */
  allowPrivate: boolean;
  lookUp?: LookUp;
  /** Trusted certificates, instead of the system's. */
  ca?: string;
}

/** Bytes. */
const MAX_HEADERS = 16 * 1024;

/** Bytes allowed in addition to the body: headers, interim responses and chunk framing. */
const MAX_OVERHEAD = 64 * 1024;

const MAX_INTERIM_ANSWERS = 8;

/**
 * Concurrent requests to one host, of which one application gets half at most; queued requests per application and
 * host; and concurrent requests in total.
 */
const UNDER_WAY_PER_HOST = 128;
const WAITING_PER_APPLICATION = 256;
const UNDER_WAY = 2_048;

/** Idle connections: maximum per host, and lifetime. Above `KEPT` in total, a new request closes all of them. */
const KEPT_PER_HOST = 32;
const KEPT_FOR_MS = 15_000;
const KEPT = 1_024;

export function createOutbound(options: OutboundOptions): Outbound {
  return new HttpOutbound(options);
}

class AddressNotAllowed extends Error {}

class LookUpFailed extends Error {}

type Agents = ReturnType<typeof createAgents>;

function createAgents(lookup: LookupFunction, { allowPrivate, ca }: OutboundOptions, keepAlive: boolean) {
  const options = {
    keepAlive,
    lookup,
    timeout: KEPT_FOR_MS,
    maxFreeSockets: KEPT_PER_HOST,
    allowPrivateIPAddress: allowPrivate,
    ...(ca === undefined ? {} : { ca }),
  };
  return { 'http:': new RequestFilteringHttpAgent(options), 'https:': new RequestFilteringHttpsAgent(options) };
}

/** Fails if any address of the name is forbidden. */
function guardedLookup(lookUp: LookUp, allowPrivate: boolean): LookupFunction {
  return (name, { all }, done) => {
    checkedAddresses(name, lookUp, allowPrivate).then(
      (found) => {
        const [first] = found;
        if (all || !first) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
}

/** @throws AddressNotAllowed, LookUpFailed */
async function checkedAddresses(name: string, lookUp: LookUp, allowPrivate: boolean) {
  const found = await lookUp(name).catch((cause: unknown) => {
    throw new LookUpFailed('the host name was not found', { cause });
  });
  if (found.length === 0) throw new LookUpFailed('the host name has no address');
  if (!found.every((address) => isAllowedAddress(address, allowPrivate))) throw new AddressNotAllowed();
  return found.map((address) => ({ address, family: isIP(address) }));
}

class HttpOutbound implements Outbound {
  readonly #kept: Agents;
  readonly #fresh: Agents;
  readonly #hosts = new Map<string, FairSemaphore<bigint>>();
  readonly #postings = new Set<Posting>();
  #openSockets = 0;

  constructor(private readonly options: OutboundOptions) {
    const { allowPrivate, lookUp = allowPrivate ? lookUpLocally : lookUpInDns() } = options;
    const lookup = guardedLookup(lookUp, allowPrivate);
    this.#kept = createAgents(lookup, options, true);
    this.#fresh = createAgents(lookup, options, false);
  }

  async post(request: OutboundRequest): Promise<OutboundAnswer> {
    const target = readTarget(request.url, this.options.allowPrivate);
    if ('reason' in target) return { outcome: 'failed', ...target, status: null, reached: 'nothing', durationMs: 0 };
    const slot = this.#postings.size < UNDER_WAY ? this.#slotsOf(target).take(request.applicationId) : null;
    if (!slot) return { outcome: 'failed', ...BUSY, status: null, reached: 'nothing', durationMs: 0 };
    if (this.#openSockets > KEPT) this.#dropKept();
    const agents = { kept: this.#kept, fresh: this.#fresh };
    const posting = new Posting(target, request, agents, this.options.clock, this.#countSocket);
    this.#postings.add(posting);
    try {
      return await posting.run(slot);
    } finally {
      this.#postings.delete(posting);
      if (this.#slotsOf(target).isIdle) this.#hosts.delete(target.host);
    }
  }

  close(): void {
    for (const posting of this.#postings) posting.stop();
    for (const agents of [this.#kept, this.#fresh]) for (const agent of Object.values(agents)) agent.destroy();
  }

  #slotsOf({ host }: URL): FairSemaphore<bigint> {
    const semaphore = this.#hosts.get(host) ?? new FairSemaphore(UNDER_WAY_PER_HOST, WAITING_PER_APPLICATION);
    this.#hosts.set(host, semaphore);
    return semaphore;
  }

  readonly #countSocket = (socket: Socket) => {
    this.#openSockets += 1;
    socket.once('close', () => {
      this.#openSockets -= 1;
    });
  };

  #dropKept(): void {
    for (const { freeSockets } of Object.values(this.#kept)) {
      for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
    }
  }
}

type Failure = { reason: OutboundFailure; detail: string };

const BUSY: Failure = {
  reason: 'busy',
  detail: 'Too many requests of the application to this host are waiting for a response.',
};

const notAllowed = (detail: string): Failure => ({ reason: 'url-not-allowed', detail });

const ADDRESS_REFUSAL: Failure = {
  reason: 'address-not-allowed',
  detail: 'The host has an address that is not public.',
};

function readTarget(text: string, allowPrivate: boolean): URL | Failure {
  if (!URL.canParse(text)) return notAllowed('The URL must be complete, such as https://example.com/path.');
  const url = new URL(text);
  if (!isAllowedProtocol(url, allowPrivate)) {
    return notAllowed(`The URL must begin with https://${allowPrivate ? ' or http://' : ''}.`);
  }
  if (url.username !== '' || url.password !== '') return notAllowed('The URL must not contain a user or password.');
  if (text.includes('#')) return notAllowed('The URL must not have a fragment.');
  if (!allowPrivate && !['', '8443'].includes(url.port)) return notAllowed('The port must be 443 or 8443.');
  return isAllowedHost(url, allowPrivate) ? url : ADDRESS_REFUSAL;
}

function isAllowedProtocol({ protocol }: URL, allowPrivate: boolean): boolean {
  return protocol === 'https:' || (allowPrivate && protocol === 'http:');
}

/** Checks IP addresses and `localhost`. Other names are checked when they are resolved. */
function isAllowedHost({ hostname }: URL, allowPrivate: boolean): boolean {
  const address = addressIn(hostname);
  if (address !== null) return isAllowedAddress(address, allowPrivate);
  return allowPrivate || !/(^|\.)localhost\.?$/.test(hostname);
}

/** Without brackets; null for a name. */
function addressIn(hostname: string): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? null : address;
}

/** Retries once on a new connection if the other side had closed an idle one. */
class Posting {
  readonly #begunAt = performance.now();
  readonly #answer: Promise<OutboundAnswer>;
  #resolve: (answer: OutboundAnswer) => void = () => {};
  #timer: Timer | undefined;
  #release: Release = () => {};
  #request: ClientRequest | undefined;
  #stage: OutboundStage;
  #status: number | null = null;
  #interimAnswers = 0;
  #bodyLimit = DEFAULT_BODY_LIMIT;
  #bytesBefore = 0;
  #isRepeated = false;
  #isOver = false;

  constructor(
    private readonly target: URL,
    private readonly outbound: OutboundRequest,
    private readonly agents: { kept: Agents; fresh: Agents },
    private readonly clock: Clock,
    private readonly countSocket: (socket: Socket) => void,
  ) {
    this.#stage = this.#firstStage;
    this.#answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  run(slot: Promise<Release>): Promise<OutboundAnswer> {
    // A response that arrived before the deadline counts, even if the process was too busy to read it.
    const late = () => void setImmediate(() => this.#fail(this.#lateness()));
    this.#timer = this.clock.after(this.outbound.deadlineMs, late);
    slot.then((release) => {
      this.#release = release;
      if (this.#isOver) release();
      else this.#send(this.agents.kept);
    });
    return this.#answer;
  }

  stop(): void {
    this.#fail({ reason: 'connection-reset', detail: 'The service is shutting down.' });
  }

  get #firstStage(): OutboundStage {
    return addressIn(this.target.hostname) === null ? 'nothing' : 'address';
  }

  get #isSecure(): boolean {
    return this.target.protocol === 'https:';
  }

  #send(agents: Agents): void {
    const { headers, body } = this.outbound;
    const options = {
      method: 'POST',
      headers: { ...headers, 'Accept-Encoding': 'identity', 'Content-Length': Buffer.byteLength(body) },
      maxHeaderSize: MAX_HEADERS,
      insecureHTTPParser: false,
    };
    const request = this.#isSecure
      ? requestOverHttps(this.target, { ...options, agent: agents['https:'] })
      : requestOverHttp(this.target, { ...options, agent: agents['http:'] });
    this.#request = request;
    request.on('socket', (socket) => this.#follow(request, socket));
    request.on('response', (response) => this.#receive(response));
    request.on('error', (error) => this.#break(request, error));
    request.on('information', () => this.#countInterimAnswer());
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      this.#fail(invalidAnswer('The host does not speak HTTP.'));
    });
    request.on('close', () => this.#break(request, new Error('closed')));
    request.end(body);
  }

  #follow(request: ClientRequest, socket: Socket): void {
    this.#bytesBefore = socket.bytesRead;
    this.#limitBytes(request, socket);
    if (request.reusedSocket) {
      this.#stage = this.#isSecure ? 'secured' : 'connected';
      return;
    }
    this.countSocket(socket);
    socket.on('lookup', (error: Error | null) => {
      if (!error) this.#stage = 'address';
    });
    socket.once('connect', () => {
      this.#stage = 'connected';
    });
    socket.once('secureConnect', () => {
      this.#stage = 'secured';
    });
  }

  /** Small chunks multiply the size of a body, and the HTTP parser does not limit the size of interim responses. */
  #limitBytes(request: ClientRequest, socket: Socket): void {
    const check = () => {
      const { most } = this.#bodyLimit;
      if (socket.bytesRead - this.#bytesBefore > most + MAX_OVERHEAD) this.#fail(tooLarge(most));
    };
    socket.on('data', check);
    request.once('close', () => socket.off('data', check));
  }

  #countInterimAnswer(): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers > MAX_INTERIM_ANSWERS) this.#fail(TOO_MANY_INTERIM_ANSWERS);
  }

  #receive(response: IncomingMessage): void {
    this.#stage = 'answering';
    this.#status = response.statusCode ?? 0;
    this.#bodyLimit = this.outbound.bodyLimit?.(contentTypeOf(response)) ?? DEFAULT_BODY_LIMIT;
    const fault = faultOfHeaders(response, this.#bodyLimit);
    if (fault) this.#fail(fault);
    else this.#read(response);
  }

  #read(response: IncomingMessage): void {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      if (this.#isOver) return;
      size += chunk.length;
      chunks.push(chunk);
      const { most, take } = this.#bodyLimit;
      if (size > most) this.#fail(tooLarge(most));
      else if (isInTooManyPieces(chunks.length, size)) this.#fail(TOO_MANY_PIECES);
      else if (take?.(chunk.length) === false) this.#fail(NO_ROOM);
    });
    response.on('error', (error) => this.#fail(this.#failureOf(error)));
    response.on('end', () => this.#finish(response, Buffer.concat(chunks)));
  }

  #finish(response: IncomingMessage, bytes: Buffer): void {
    const status = response.statusCode ?? 0;
    const contentType = contentTypeOf(response);
    const body = bytes.toString('utf8', 0, DEFAULT_BODY_LIMIT.most);
    this.#end({ outcome: 'answered', status, contentType, bytes, body, durationMs: this.#durationMs });
  }

  #break(request: ClientRequest, error: Error): void {
    if (request !== this.#request || this.#isOver) return;
    if (!this.#isRepeated && this.#wasClosedBefore(request)) this.#repeat();
    else this.#fail(this.#failureOf(error));
  }

  #failureOf(error: Error): Failure {
    return failureOf(error, this.#stage, this.#isSecure);
  }

  /** Whether the other side closed a kept connection without sending a byte, as servers do when idle. */
  #wasClosedBefore({ reusedSocket, socket }: ClientRequest): boolean {
    return reusedSocket && this.#status === null && socket?.bytesRead === this.#bytesBefore;
  }

  #repeat(): void {
    this.#isRepeated = true;
    this.#stage = this.#firstStage;
    this.#send(this.agents.fresh);
  }

  #lateness(): Failure {
    const waitedFor = this.#request ? WAITED_FOR[this.#stage] : 'Earlier requests to the host did not finish';
    return { reason: 'timeout', detail: `${waitedFor} within ${this.outbound.deadlineMs} ms.` };
  }

  #fail(failure: Failure): void {
    const { reason, detail } = failure;
    const told = { status: this.#status, reached: this.#stage, durationMs: this.#durationMs };
    this.#end({ outcome: 'failed', reason, detail, ...told });
    this.#request?.destroy();
  }

  #end(answer: OutboundAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#release();
    this.#resolve(answer);
  }

  get #durationMs(): number {
    return Math.round(performance.now() - this.#begunAt);
  }
}

const WAITED_FOR: Record<OutboundStage, string> = {
  nothing: 'The host name could not be resolved',
  address: 'The host did not accept a connection',
  connected: 'The host did not respond',
  secured: 'The host did not respond',
  answering: 'The response was not complete',
};

function contentTypeOf({ headers }: IncomingMessage): string | null {
  return headers['content-type'] ?? null;
}

function faultOfHeaders({ headers }: IncomingMessage, { most }: BodyLimit): Failure | null {
  if (Number(headers['content-length'] ?? 0) > most) return tooLarge(most);
  return isIdentity(headers['content-encoding'])
    ? null
    : invalidAnswer('The response body is compressed, although the request did not allow compression.');
}

function isIdentity(encoding: string | undefined): boolean {
  return encoding === undefined || /^\s*(identity)?\s*$/i.test(encoding);
}

function tooLarge(most: number): Failure {
  return { reason: 'too-large', detail: `The response body is larger than ${Math.floor(most / MIB)} MiB.` };
}

const NO_ROOM: Failure = {
  reason: 'too-large',
  detail: 'Too many large responses are being read at the moment; send files through the callback route.',
};

const TOO_MANY_PIECES: Failure = {
  reason: 'too-large',
  detail: 'The response body arrives in too many small chunks.',
};

const invalidAnswer = (detail: string): Failure => ({ reason: 'invalid-answer', detail });

const TOO_MANY_INTERIM_ANSWERS = invalidAnswer(
  `The host sends more than ${MAX_INTERIM_ANSWERS} interim responses (1xx).`,
);

function failureOf(error: Error, stage: OutboundStage, isSecure: boolean): Failure {
  if (error instanceof AddressNotAllowed) return ADDRESS_REFUSAL;
  if (error instanceof LookUpFailed) return { reason: 'name-not-found', detail: 'The host name was not found.' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'HPE_HEADER_OVERFLOW') return { reason: 'too-large', detail: 'The headers are larger than 16 KiB.' };
  if (code.startsWith('HPE_')) return invalidAnswer('The response is not valid HTTP.');
  if (code === 'ECONNREFUSED') return { reason: 'connection-refused', detail: 'The host refused the connection.' };
  if (stage === 'nothing' || stage === 'address') return UNREACHABLE;
  if (isSecure && stage === 'connected' && isOfTls(code)) return { reason: 'tls', detail: detailOfTls(code) };
  return { reason: 'connection-reset', detail: CLOSED_AT[stage] };
}

const UNREACHABLE: Failure = { reason: 'unreachable', detail: 'Could not connect to the host.' };

const CLOSED_AT = {
  connected: 'The host closed the connection before it responded.',
  secured: 'The host closed the connection before it responded.',
  answering: 'The host closed the connection before its response was complete.',
};

function isOfTls(code: string): boolean {
  return code !== '' && !['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED'].includes(code);
}

const TLS_DETAILS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain contains a self-signed certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate is not signed by a known authority; an intermediate certificate may be missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is not signed by a known authority.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The host does not speak TLS on this port.',
  EPROTO: 'The host does not speak TLS on this port.',
};

function detailOfTls(code: string): string {
  return TLS_DETAILS[code] ?? `The TLS handshake failed (${code}).`;
}
