import { Redis, type RedisOptions } from 'ioredis';
import { StartError } from '../config.js';
import type { Clock, Timer } from './clock.js';
import { within } from './deadlines.js';
import type { Logger } from './logger.js';

/** Redis is asked whether it is there every so often; a connection on which nothing of this is answered is made anew. */
const ASK_EVERY_MS = 1_000;
const UNANSWERED = 3;
/** How long any command is waited for, and how long one that holds up a request. */
const COMMAND_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 3_000;
const RECONNECT_DELAY_MS = { step: 100, max: 2_000 };

/** What waits for a connection is refused, not kept: it would be stale, or too much, by the time there is one. */
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

/**
 * The connections to the Redis of `REDIS_URL`, which may go and come at any time. Both are made anew for as long as it takes.
 */
export interface RedisLink {
  /** What every key and channel begins with, such as `causeway:`. */
  prefix: string;
  /** For limits, and for events to other processes. */
  commands: Redis;
  /** For events of other processes. */
  subscriber: Redis;
  /** Whether a command is worth waiting for: there is a connection, and the last command on it was answered in time. */
  answers(): boolean;
  /** The answer to a command that a request waits for. @throws when it does not come soon */
  inTime<T>(answer: Promise<T>): Promise<T>;
  /** A command was not answered: none is worth waiting for until Redis has shown that it is there. */
  doubt(): void;
  /** Whether a connection is missing. */
  isAway(): boolean;
  /** Calls `listener` each time when Redis has shown that commands reach it. */
  onAnswer(listener: () => void): void;
  close(): void;
}

const DEFAULT_PREFIX = 'causeway:';

/** What is said of an answer that does not come, here and by the library. */
const TIMED_OUT = /^no answer within|timed out/;

/**
 * Connects to Redis, and settles when it is known whether that is there: within seconds. Its going away and its coming back are logged
 * once each.
 * @param prefix what every key and channel begins with
 * @param onFault is told of each command for a request that was not answered
 * @throws {StartError} when it is there and refuses the password or the database of `url`
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
    throw new StartError(`the Redis of REDIS_URL (${placeOf(commands)}) refuses this process: ${refusal}`);
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
        // The library for limits rejects with what is no fault.
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

/**
 * Asks on a connection whether Redis is there, and has it made anew when that was asked several times in vain. It counts questions and
 * not time: a process that was too busy to read the answers does so before it asks again.
 */
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

/** What is wrong with a connection is told by its events; whoever asked on it does without the answer. */
function ignore(): void {}

/** How Redis says that a password or a database is wrong, which waiting does not change. */
const REFUSES = /\b(WRONGPASS|NOAUTH)\b|^ERR (DB index|invalid (DB index|password)|SELECT is not allowed)/;

/** Without the password. */
function placeOf({ options: { host, port, username, db } }: Redis): string {
  return [`${host}:${port}`, ...(username ? [`user ${username}`] : []), `database ${db ?? 0}`].join(', ');
}

/** Logs when Redis goes away and when it is back; `known` settles when it is either there, with how it refuses, or away for the first time. */
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
  /** How Redis refuses the first connections, which is told by whoever waits for them. */
  const refusal = () => (!isKnown && fault && REFUSES.test(fault.message) ? fault.message : null);
  const onClose = () => {
    if (refusal() !== null) return know(refusal());
    if (awaySince === null && !isOver) {
      awaySince = clock.now();
      log.warn(
        // Nothing but the text: beside it the fault may hold the command, and that the password.
        { reason: fault?.message ?? 'the connection was closed' },
        'Redis is away: events reach this process only, and limits are counted by each process alone, until it is back',
      );
    }
    know(null);
  };
  const onReady = () => {
    if (isAway()) return;
    if (refusal() !== null) return know(refusal());
    if (awaySince !== null) log.info({ awayMs: clock.now() - awaySince }, 'Redis is back');
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

/** A connection that tells of oddities, which the library would write to the console. */
class Connection extends Redis {
  onOddity: (text: string) => void = ignore;

  /** The library goes on without a password where none is asked for, and where one is asked for that it could not state. */
  override auth(...args: unknown[]): never {
    return this.#settled(super.auth, args, (error) => {
      if (/no password is set|without any password configured/.test(error.message)) {
        this.onOddity('REDIS_URL states a password, which this Redis does not ask for');
        return null;
      }
      return error.message.includes('wrong number of arguments') ? new Error(`NOAUTH ${NO_USERS}`) : error;
    });
  }

  /** Asked for by the library before a connection is used; who may not ask that is served all the same. */
  override info(...args: unknown[]): never {
    return this.#settled(super.info, args, (error) => (error.message.includes('NOPERM') ? null : error));
  }

  /** The same command, whose failure is told as `read` has it; null is none. */
  #settled(command: unknown, args: unknown[], read: (error: Error) => Error | null): never {
    const callback = args.at(-1);
    if (typeof command !== 'function' || typeof callback !== 'function')
      throw new TypeError('the library passes a callback');
    const answer: Promise<unknown> = Reflect.apply(command, this, args.slice(0, -1));
    const told = answer.then(
      (value) => callback(null, value),
      (error: Error) => callback(read(error), ''),
    );
    return told as never;
  }
}

const NO_USERS = 'this Redis knows no users: state the password alone in REDIS_URL';
