import type { Readable } from 'node:stream';
import type { AppContext } from '../../context.js';
import type { Actor } from '../../domain/call.js';
import { refusalIn } from '../../domain/errors.js';
import { httpFault, STATUS_OF_KIND } from '../../http/faults.js';
import type { FromCloud } from '../protocol/messages.js';
import { Actors } from './actors.js';
import { type Gate, gated, NotBegun } from './bodies.js';
import { Calls } from './calls.js';
import { json, type Outcome, type Result, Results } from './results.js';
import { type WireVoiceState, withOneMuteBit } from './voice.js';

export type BoxWork = Extract<FromCloud, { op: 'request' | 'call' }>;
export type CloudRequest = Extract<FromCloud, { op: 'request' }>;

export interface BoxRequest {
  /** Identifies the request in logs. */
  id: string;
  /** Idempotency key. */
  workKey: string;
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  query: Readonly<Record<string, string | string[]>>;
  headers: Record<string, string>;
  body: Readable | Uint8Array;
  guildId: bigint;
  webhook?: { id: bigint; channelId: bigint };
}

/** Turns errors into responses. */
export type Perform = (
  request: BoxRequest,
  actor: Actor,
) => Promise<{ status: number; headers: Readonly<Record<string, string>>; body: string | null }>;

/** See docs/relay.md, R-21. */
const HEADERS = ['content-type', 'retry-after'];

/** */
export class Work {
  readonly #results: Results;
  readonly #actors: Actors;
  readonly #calls: Calls;
  readonly #perform: Perform;

  constructor(
    private readonly app: AppContext,
    { idSpace, perform }: { idSpace: number; perform: Perform },
  ) {
    this.#perform = perform;
    this.#results = new Results(app.connectionClock);
    this.#actors = new Actors(app, idSpace);
    this.#calls = new Calls(app, this.#actors);
  }

  /** Never rejects. Work with the same key runs once. */
  async do(work: BoxWork, body: Readable | null, gate: Gate): Promise<Outcome> {
    if (isRepeatable(work)) return this.#begin(work, body, gate);
    return this.#results.once(work.key, () => this.#begin(work, body, gate));
  }

  async #begin(work: BoxWork, body: Readable | null, gate: Gate): Promise<Outcome> {
    let stopped: NotBegun | null = null;
    const watched: Gate = {
      pass() {
        try {
          gate.pass();
        } catch (error) {
          if (error instanceof NotBegun) stopped = error;
          throw error;
        }
      },
    };
    body?.once('error', () => {
      stopped ??= new NotBegun('broken');
    });
    try {
      watched.pass();
      const result =
        work.op === 'call' ? await this.#calls.answer(work.name, work.input) : await this.#request(work, body, watched);
      return stopped === null ? { begun: true, result } : notBegun(stopped);
    } catch (error) {
      if (stopped !== null) return notBegun(stopped);
      return { begun: true, result: this.#faultOf(error, work) };
    }
  }

  async #request(work: CloudRequest, body: Readable | null, gate: Gate): Promise<Result> {
    const actor = await this.#actors.of(work);
    const { method, path, query, headers, guild_id: guildId, webhook } = work;
    const request: BoxRequest = {
      id: work.key,
      workKey: work.key,
      method,
      path,
      query,
      headers,
      body: gated(body, gate),
      guildId,
      ...(webhook ? { webhook: { id: webhook.id, channelId: webhook.channel_id } } : {}),
    };
    const answer = await this.#perform(request, actor);
    return {
      status: answer.status,
      headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => HEADERS.includes(name))),
      body: Buffer.from(asBoxTells(work, answer.status, answer.body) ?? ''),
    };
  }

  #faultOf(error: unknown, work: BoxWork): Result {
    const refusal = refusalIn(error);
    if (refusal) return json(STATUS_OF_KIND[refusal.kind], { message: refusal.message, code: 0 });
    this.app.log.error({ err: error, op: work.op }, 'Request of the cloud failed');
    return json(500, httpFault(500));
  }
}

/** Calls that write are included, because keeping their results would displace others. */
function isRepeatable(work: BoxWork): boolean {
  return work.op === 'call' || work.method === 'GET';
}

function notBegun({ why }: NotBegun): Outcome {
  return { begun: false, result: why === 'late' ? json(504, httpFault(504)) : null };
}

const VOICE_STATE = /^(?:\/api\/v9)?\/guilds\/[^/]+\/voice-states\/[^/]+$/;

/** */
function asBoxTells({ method, path }: CloudRequest, status: number, body: string | null): string | null {
  if (body === null || status !== 200 || method !== 'GET' || !VOICE_STATE.test(path)) return body;
  const state: WireVoiceState = JSON.parse(body);
  return JSON.stringify(withOneMuteBit(state));
}
