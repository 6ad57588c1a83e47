import { randomUUID } from 'node:crypto';
import { ReplyError } from 'ioredis';
import type { Logger } from '../observability/logger.js';
import type { RedisLink } from '../processes/redis.js';

/** Envelopes that the log of a stream keeps. A busy stream has some hundred per second. */
const LOG_LENGTH = 2_000;
/** How long the log of a stream without envelopes is kept. */
const LOG_MS = 5 * 60_000;
/** Longer absences from Redis may have outlasted a log. */
export const MAX_ABSENCE_MS = LOG_MS - 60_000;
/** Bounds of what waits for Redis. */
const MAX_WAITING = { envelopes: 10_000, characters: 32 * 1024 * 1024 };

/**
 * KEYS: log. ARGV: channel, envelope. Appends before it publishes, so that a listener finds what it was sent. Publishes
 * even if Redis refuses writes, for example because its memory is full.
 */
const PUBLISH = `
local id = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ${LOG_LENGTH}, '*', 'e', ARGV[2])
local isLogged = type(id) == 'string'
if isLogged then redis.pcall('PEXPIRE', KEYS[1], ${LOG_MS}) else id = redis.call('TIME')[1] .. '000-0' end
redis.call('PUBLISH', ARGV[1], id .. ' ' .. ARGV[2])
return isLogged and 1 or 0
`;

interface Outgoing {
  topic: string;
  text: string;
}

export interface LogEntry {
  text: string;
  /** When Redis received it, in milliseconds since the Unix epoch. */
  at: number;
}

export interface StreamLog {
  entries: LogEntry[];
  /** Whether entries after the time were removed. */
  isCut: boolean;
}

/** Sends envelopes to other processes in the order of the calls, and keeps them while Redis is unavailable. */
export class StreamSender {
  /** Not yet acknowledged by Redis, by number of the call. */
  readonly #waiting = new Map<number, Outgoing>();
  #characters = 0;
  #calls = 0;
  /** After a failure, nothing is sent until the earlier attempts have ended. */
  #isBroken = false;
  #underWay = 0;
  /** Topics of which envelopes were dropped. */
  readonly #cut = new Set<string>();
  #refuses = false;

  /** @param onCut called when Redis is back, for each topic of which envelopes were dropped */
  constructor(
    private readonly redis: RedisLink,
    private readonly log: Logger,
    private readonly onCut: (topic: string) => void,
  ) {
    redis.onAnswer(() => this.#sendAgain());
  }

  send(topic: string, text: string): void {
    this.#calls += 1;
    const call = this.#calls;
    this.#waiting.set(call, { topic, text });
    this.#characters += text.length;
    if (this.#isBroken || this.redis.commands.status !== 'ready') this.#wait();
    else this.#sendOne(call, { topic, text });
  }

  #wait(): void {
    this.#isBroken = true;
    for (const [call, { topic, text }] of this.#waiting) {
      if (this.#waiting.size <= MAX_WAITING.envelopes && this.#characters <= MAX_WAITING.characters) return;
      this.#drop(call, text);
      this.#cut.add(topic);
    }
  }

  #drop(call: number, text: string): void {
    if (this.#waiting.delete(call)) this.#characters -= text.length;
  }

  #sendOne(call: number, { topic, text }: Outgoing): void {
    const { commands } = this.redis;
    this.#underWay += 1;
    commands
      .eval(PUBLISH, 1, logKey(this.redis, topic), channelPrefix(this.redis) + topic, text)
      .then(
        (isLogged) => {
          this.#noteRefusal(isLogged !== 1);
          this.#drop(call, text);
        },
        (error: unknown) => {
          this.#noteRefusal(error instanceof ReplyError);
          this.#wait();
        },
      )
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  #noteRefusal(refuses: boolean): void {
    if (refuses && !this.#refuses)
      this.log.error('Redis refuses to store events; processes that miss some report gaps');
    this.#refuses = refuses;
  }

  /** Some may have arrived. Receivers ignore repeats. */
  #sendAgain(): void {
    if (!this.#isBroken || this.#underWay > 0 || this.redis.commands.status !== 'ready') return;
    this.#isBroken = false;
    for (const [call, outgoing] of this.#waiting) this.#sendOne(call, outgoing);
    const cut = [...this.#cut];
    this.#cut.clear();
    for (const topic of cut) this.onCut(topic);
  }
}

/** Reads what the channel of a log receives. */
export function readPublished(published: string): LogEntry {
  const end = published.indexOf(' ');
  return entryOf(published.slice(0, end), published.slice(end + 1));
}

function entryOf(id: string, text: string): LogEntry {
  return { text, at: Number(id.split('-', 1)[0]) };
}

/** @param sinceMs time in milliseconds since the Unix epoch */
export async function readLog(redis: RedisLink, topic: string, sinceMs: number): Promise<StreamLog> {
  const rows = await redis.commands.xrange(logKey(redis, topic), Math.max(0, Math.floor(sinceMs)), '+');
  const entries = rows.map(([id, fields]) => entryOf(id, fields[1] ?? ''));
  const [first] = entries;
  return { entries, isCut: first !== undefined && entries.length >= LOG_LENGTH && first.at > sinceMs };
}

export function channelPrefix({ prefix }: RedisLink): string {
  return `${prefix}stream:`;
}

function logKey({ prefix }: RedisLink, topic: string): string {
  return `${prefix}log:${topic}`;
}

/**
 * Identifies the data of Redis, which a restart may lose. Without a run ID, each call returns another one.
 * @returns null if Redis does not answer
 */
export async function findRunId({ commands }: RedisLink): Promise<string | null> {
  try {
    const text = String(await commands.call('INFO', 'server'));
    return /^run_id:(\w+)/m.exec(text)?.[1] ?? randomUUID();
  } catch (error) {
    return error instanceof ReplyError ? randomUUID() : null;
  }
}
