import { Redis, type RedisOptions } from 'ioredis';
import { StartError } from '../../config.js';
import type { Clock, Timer } from '../clock.js';
import { within } from '../concurrency/timeouts.js';
import type { Logger } from '../observability/logger.js';

/** Ping interval. After {@link UNANSWERED} unanswered pings, a connection is reopened. */
const ASK_EVERY_MS = 1_000;
const UNANSWERED = 3;
/** Time limits of any command, and of one that a request waits for. */
const COMMAND_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS = { step: 100, max: 2_000 };

/** Commands fail while Redis is disconnected: a queued one would be stale when it runs. */
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(attempt * RECONNECT_DELAY_MS.step, RECONNECT_DELAY_MS.max),
};

/** Both connections reconnect indefinitely. */
export interface RedisLink {
  /** Prefix of keys and channels, such as `causeway:`. */
  prefix: string;
  /** For limits and for publishing events. */
  commands: Redis;
  subscriber: Redis;
  /** Whether Redis is connected and has answered since the last timeout. */
  answers(): boolean;
  /** @throws after {@link REQUEST_TIMEOUT_MS}, and the error of the command */
  inTime<T>(answer: Promise<T>): Promise<T>;
  /** Makes `answers` return false until Redis answers a ping. */
  doubt(): void;
  /** Whether a connection is missing. */
  isAway(): boolean;
  /** Calls `listener` after every answered ping and every reconnection. */
  onAnswer(listener: () => void): void;
  close(): void;
}

const DEFAULT_PREFIX = 'causeway:';

const TIMED_OUT = /^no answer within|timed out/;

/**
 * Settles within seconds, even if Redis is unavailable. Logs when it becomes unavailable and when it is back.
 * @param onFault called for each unanswered command of a request
 * @throws {StartError} if Redis refuses the password or the database of `url`
 */
export async function connectRedis(
  url: string,
  clock: Clock,
  log: Logger,
  prefix = DEFAULT_PREFIX,
  onFault: (reason: 'timeout' | 'failed') => void = ignore,
): Promise<RedisLink> {
  const commands = new Connection(url, OPTIONS);
  const subscriber = new Connection(url, OPTIONS);
  const connections = [commands, subscriber];
  commands.onOddity = (text) => log.warn(text);
  const isAway = () => connections.some(({ status }) => status !== 'ready');
  const presence = watchPresence(connections, isAway, clock, log);
  let isDoubted = false;
  let asking: Timer;
  const listeners: (() => void)[] = [];
  const noteAnswer = () => {
    isDoubted = false;
    for (const listener of listeners) listener();
  };
  const askCommands = asker(commands, noteAnswer);
  const askSubscriber = asker(subscriber, ignore);
  const askAll = () => {
    askCommands();
    askSubscriber();
    asking = clock.after(ASK_EVERY_MS, askAll);
  };
  commands.on('ready', noteAnswer);
  asking = clock.after(ASK_EVERY_MS, askAll);
  for (const connection of connections) connection.connect().catch(ignore);
  const refusal = await presence.known;
  if (refusal !== null) {
    presence.end();
    asking.cancel();
    for (const connection of connections) connection.disconnect();
    throw new StartError(`the Redis server of REDIS_URL (${placeOf(commands)}) refused this process: ${refusal}`);
  }
  return {
    prefix,
    commands,
    subscriber,
    answers: () => commands.status === 'ready' && !isDoubted,
    async inTime(answer) {
      try {
        return await within(clock, REQUEST_TIMEOUT_MS, answer);
      } catch (error) {
        // The limiter library rejects with a result object when a limit is exceeded.
        if (error instanceof Error) onFault(TIMED_OUT.test(error.message) ? 'timeout' : 'failed');
        throw error;
      }
    },
    doubt() {
      isDoubted = true;
    },
    isAway,
    onAnswer: (listener) => void listeners.push(listener),
    close() {
      presence.end();
      asking.cancel();
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Why Redis does not answer, or null. */
export async function redisFault(url: string): Promise<Error | null> {
  const connection = new Connection(url, { ...OPTIONS, enableReadyCheck: false, retryStrategy: null });
  // A failed connection rejects with another error than its reason.
  let reason: Error | null = null;
  connection.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await connection.connect();
    await connection.ping();
    return null;
  } catch (error) {
    return reason ?? (error as Error);
  } finally {
    connection.disconnect();
  }
}

/** Counts unanswered pings instead of time: a blocked process reads the pending answers before it pings again. */
function asker(connection: Redis, onAnswer: () => void): () => void {
  let unanswered = 0;
  connection.on('ready', () => {
    unanswered = 0;
  });
  return () => {
    if (connection.status !== 'ready') return;
    if (unanswered >= UNANSWERED) {
      connection.disconnect(true);
      return;
    }
    unanswered += 1;
    connection.ping().then(() => {
      unanswered = 0;
      onAnswer();
    }, ignore);
  };
}

/** Connection events report the failure, and callers do without the answer. */
function ignore(): void {}

/** A retry does not fix a wrong password or database. */
const REFUSES = /\b(WRONGPASS|NOAUTH)\b|^ERR (DB index|invalid (DB index|password)|SELECT is not allowed)/;

/** Leaves out the password. */
function placeOf({ options: { host, port, username, db } }: Redis): string {
  return [`${host}:${port}`, ...(username ? [`user ${username}`] : []), `database ${db ?? 0}`].join(', ');
}

/** `known` settles after the first attempt to connect, with the error text if Redis refuses, else with null. */
function watchPresence(
  connections: Redis[],
  isAway: () => boolean,
  clock: Clock,
  log: Logger,
): { known: Promise<string | null>; end(): void } {
  let awaySince: number | null = null;
  let isOver = false;
  let isKnown = false;
  let fault: Error | undefined;
  let know: (refusal: string | null) => void = () => {};
  const known = new Promise<string | null>((resolve) => {
    know = (refusal) => {
      isKnown = true;
      resolve(refusal);
    };
  });
  /** The caller of `known` reports a refusal, so it is not logged here. */
  const refusal = () => (!isKnown && fault && REFUSES.test(fault.message) ? fault.message : null);
  const onClose = () => {
    if (refusal() !== null) return know(refusal());
    if (awaySince === null && !isOver) {
      awaySince = clock.now();
      log.warn(
        // Only the message: the error may also hold the AUTH command with the password.
        { reason: fault?.message ?? 'the connection was closed' },
        'Redis is not available; until it is, events reach only this process, and each process counts its own rate limits',
      );
    }
    know(null);
  };
  const onReady = () => {
    if (isAway()) return;
    if (refusal() !== null) return know(refusal());
    if (awaySince !== null) log.info({ awayMs: clock.now() - awaySince }, 'Redis is available again');
    awaySince = null;
    fault = undefined;
    know(null);
  };
  for (const connection of connections) {
    connection.on('error', (error: Error) => {
      fault = error;
    });
    connection.on('close', onClose);
    connection.on('ready', onReady);
  }
  const end = () => {
    isOver = true;
  };
  return { known, end };
}

/** Reports oddities that the library would write to the console. */
class Connection extends Redis {
  onOddity: (text: string) => void = ignore;

  /**
   * The library only warns if Redis needs no password, or does not support user names. The first becomes a log entry,
   * the second an error.
   */
  override auth(...args: unknown[]): never {
    return this.#settled(super.auth, args, (error) => {
      if (/no password is set|without any password configured/.test(error.message)) {
        this.onOddity('REDIS_URL contains a password, but this Redis does not require one');
        return null;
      }
      return error.message.includes('wrong number of arguments') ? new Error(`NOAUTH ${NO_USERS}`) : error;
    });
  }

  /** The library sends INFO before it uses a connection. A user without the right to INFO is accepted. */
  override info(...args: unknown[]): never {
    return this.#settled(super.info, args, (error) => (error.message.includes('NOPERM') ? null : error));
  }

  /** `read` converts an error; null ignores it. */
  #settled(command: unknown, args: unknown[], read: (error: Error) => Error | null): never {
    const callback = args.at(-1);
    if (typeof command !== 'function' || typeof callback !== 'function')
      throw new TypeError('the Redis library must pass a callback');
    const answer: Promise<unknown> = Reflect.apply(command, this, args.slice(0, -1));
    const told = answer.then(
      (value) => callback(null, value),
      (error: Error) => callback(read(error), ''),
    );
    return told as never;
  }
}

const NO_USERS = 'this Redis does not support users: put only the password in REDIS_URL';
