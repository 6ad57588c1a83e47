import { Redis, type RedisOptions } from 'ioredis';
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

/**
 * Connects to Redis, and settles when it is known whether that is there: within seconds, and never with a fault. Its going away and
 * its coming back are logged once each.
 */
export async function connectRedis(url: string, clock: Clock, log: Logger): Promise<RedisLink> {
  const commands = new Redis(url, OPTIONS);
  const subscriber = new Redis(url, OPTIONS);
  const connections = [commands, subscriber];
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
  await presence.known;
  return {
    commands,
    subscriber,
    answers: () => commands.status === 'ready' && !isDoubted,
    inTime: (answer) => within(clock, REQUEST_TIMEOUT_MS, answer),
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

/** Logs when Redis goes away and when it is back; `known` settles when it is either there or away for the first time. */
function watchPresence(
  connections: Redis[],
  isAway: () => boolean,
  clock: Clock,
  log: Logger,
): { known: Promise<void>; end(): void } {
  let awaySince: number | null = null;
  let isOver = false;
  let fault: Error | undefined;
  let know: () => void = () => {};
  const known = new Promise<void>((resolve) => {
    know = resolve;
  });
  const onClose = () => {
    if (awaySince === null && !isOver) {
      awaySince = clock.now();
      log.warn(
        // Nothing but the text: beside it the fault may hold the command, and that the password.
        { reason: fault?.message ?? 'the connection was closed' },
        'Redis is away: events reach this process only, and limits are counted by each process alone, until it is back',
      );
    }
    know();
  };
  const onReady = () => {
    if (isAway()) return;
    if (awaySince !== null) log.info({ awayMs: clock.now() - awaySince }, 'Redis is back');
    awaySince = null;
    fault = undefined;
    know();
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
