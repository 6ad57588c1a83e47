import { randomUUID } from 'node:crypto';
import type { Heard } from '../../domain/bus-message.js';
import type { Reader } from '../../infra/database/index.js';
import { isWithinBounds, type JsonBounds } from '../../infra/network/bounded-json.js';
import type { Logger } from '../../infra/observability/logger.js';
import { STREAM_GAP } from '../../infra/streams/stream.js';
import {
  DISPATCHED,
  type DispatchedName,
  MAX_DISPATCH_BYTES,
  MAX_TEXT_BYTES,
  MESSAGE_BOUNDS,
} from '../protocol/messages.js';
import { announcementOf, announcements } from './announcements.js';
import { EventLog, type LoggedEvent } from './event-log.js';
import { VoiceReporter, type WireVoiceState } from './voice.js';

const NAMES: ReadonlySet<string> = new Set(DISPATCHED);

/** Upper bounds of what a message adds to the event that it contains. */
const AROUND = { bytes: 1_000, values: 100, depth: 2 };

const BOUNDS: JsonBounds = {
  depth: MESSAGE_BOUNDS.depth - AROUND.depth,
  values: MESSAGE_BOUNDS.values - AROUND.values,
};

/**
 * Events with fewer UTF-16 units are within the limits of bytes and values. A unit has at most three bytes, and a value
 * at least two units.
 */
const ANY_UNITS = BOUNDS.values;

export interface EventFeedParts {
  reader: Reader;
  idSpace: number;
  log: Logger;
  onAppended(): void;
  /** The log is full, events are lost, or the database could not be read. */
  onOverflow(): void;
}

export class EventFeed {
  readonly log = new EventLog();
  readonly #voice = new VoiceReporter();
  /** The current database read. Later events are appended after it. */
  #turn: Promise<void> | null = null;

  constructor(private readonly parts: EventFeedParts) {}

  /** Begins a session with all guilds (docs/relay.md, R-31). */
  begin(): string {
    const session = randomUUID();
    this.log.begin(session);
    this.#after(async () => {
      for await (const guild of announcements(this.parts.reader, this.parts.idSpace)) {
        if (this.log.session !== session) return;
        this.#append({ op: 'announce', guild });
      }
      if (this.log.session === session) this.#append({ op: 'ready' });
    }, session);
    return session;
  }

  hear(message: Heard): void {
    if (message.type === STREAM_GAP && this.log.session !== null) this.#overflow();
    if (message.type === STREAM_GAP || message.guildId === undefined) return;
    const { guildId } = message;
    const told = this.#tellingOf(message.type, message.data);
    if (message.type === 'GUILD_DELETE') this.#voice.forget(guildId);
    const { session } = this.log;
    if (session === null) return;
    if (message.type === 'GUILD_CREATED') this.#after(() => this.#announce(BigInt(guildId)), session);
    else if (message.type === 'GUILD_DELETE') this.#inTurn([{ op: 'withdraw', guild_id: guildId }], session);
    else this.#inTurn(told, session);
  }

  /** Tracks voice states even without a session. */
  #tellingOf(name: string, data: string): LoggedEvent[] {
    if (!isDispatched(name)) return [];
    if (name !== 'VOICE_STATE_UPDATE') return [{ op: 'dispatch', t: name, data }];
    const state: WireVoiceState = JSON.parse(data);
    return this.#voice.tell(state).map((one) => ({ op: 'dispatch', t: name, data: JSON.stringify(one) }));
  }

  async #announce(guildId: bigint): Promise<void> {
    const guild = await announcementOf(this.parts.reader, this.parts.idSpace, guildId);
    if (guild) this.#append({ op: 'announce', guild });
  }

  /** If `work` fails, the next session sends everything again. */
  #after(work: () => Promise<void>, session: string): void {
    const guarded = async () => {
      if (this.log.session !== session) return;
      await work().catch((error: unknown) => {
        this.parts.log.error({ err: error }, 'Could not read the servers of this box for the cloud');
        if (this.log.session === session) this.#overflow();
      });
    };
    const turn: Promise<void> = (this.#turn ?? Promise.resolve()).then(guarded).then(() => {
      if (this.#turn === turn) this.#turn = null;
    });
    this.#turn = turn;
  }

  #inTurn(told: LoggedEvent[], session: string): void {
    const append = () => {
      if (this.log.session === session) for (const one of told) this.#append(one);
    };
    if (this.#turn) this.#after(async () => append(), session);
    else append();
  }

  /** Skips entries beyond the limits of a message. */
  #append(told: LoggedEvent): void {
    if (this.log.session === null) return;
    if (isTooLong(told)) {
      const event = told.op === 'dispatch' ? told.t : told.op;
      this.parts.log.warn({ event }, 'Event is too large for the cloud; skipping it');
      return;
    }
    if (this.log.append(told)) this.parts.onAppended();
    else this.#overflow();
  }

  #overflow(): void {
    this.log.end();
    this.parts.onOverflow();
  }
}

function isTooLong(told: LoggedEvent): boolean {
  const isEvent = told.op === 'dispatch';
  if (isEvent && told.data.length < ANY_UNITS) return false;
  const text = isEvent ? told.data : JSON.stringify(told);
  const most = (isEvent ? MAX_DISPATCH_BYTES : MAX_TEXT_BYTES) - AROUND.bytes;
  return Buffer.byteLength(text) > most || !isWithinBounds(text, BOUNDS);
}

function isDispatched(name: string): name is DispatchedName {
  return NAMES.has(name);
}
