import { randomUUID } from 'node:crypto';
import type { Logger } from '../observability/logger.js';
import type { RedisLink } from './redis.js';
import { type RedisChannel, RedisChannels } from './redis-channels.js';

/** Must be JSON-safe. */
export interface Typed {
  type: string;
}

/** `away`: other processes are unreachable, and the message was not sent. */
export type Delivery = 'heard' | 'unheard' | 'away';

export type BusHandler<Message extends Typed> = (message: Message) => void;

export interface BusSubscription {
  /** Whether messages of all processes arrive now. */
  readonly isComplete: boolean;
  /** Settles once messages of all processes arrive, or after some seconds. */
  ready: Promise<void>;
  close(): void;
}

/** Messages between processes, which are lost while Redis is unavailable. */
export interface Bus<Message extends Typed> {
  /** Calls local subscribers before it returns. */
  publish(topic: string, message: Message): void;
  /** Like `publish`, for a message that needs a subscriber. Rejects if it is unknown whether one received it. */
  deliver(topic: string, message: Message): Promise<Delivery>;
  /**
   * Sends a message to other processes only.
   * @returns how many received it; 0 if they are unreachable
   */
  ask(topic: string, message: Message): Promise<number>;
  subscribe(topic: string, handler: BusHandler<Message>): BusSubscription;
}

interface Topic<Message extends Typed> {
  /** Undefined without Redis. */
  channel: RedisChannel | undefined;
  handlers: Set<BusHandler<Message>>;
}

/**
 * Without Redis, and while it is unavailable, each process receives only its own messages. An error in a handler is
 * logged, and the other handlers still run.
 */
export function createBus<Message extends Typed>(redis: RedisLink | null, log: Logger): Bus<Message> {
  const origin = randomUUID();
  const topics = new Map<string, Topic<Message>>();
  const callHandlers = (topic: string, message: Message) => {
    for (const handler of topics.get(topic)?.handlers ?? []) {
      try {
        handler(message);
      } catch (error) {
        log.error({ err: error, topic, type: message.type }, 'Bus subscriber failed');
      }
    }
  };
  const events = {
    onText(topic: string, text: string) {
      const { from, message } = JSON.parse(text) as { from: string; message: Message };
      if (from !== origin) callHandlers(topic, message);
    },
    onResumed() {},
  };
  const channels = redis && new RedisChannels(redis, redis.prefix, events);
  /** @returns the number of processes that received the message */
  const sendOut = ({ commands, prefix }: RedisLink, topic: string, message: Message) =>
    commands.publish(prefix + topic, JSON.stringify({ from: origin, message }));
  return {
    publish(topic, message) {
      callHandlers(topic, message);
      if (redis?.commands.status === 'ready') sendOut(redis, topic, message).catch(() => {});
    },
    async deliver(topic, message) {
      callHandlers(topic, message);
      if (topics.has(topic)) return 'heard';
      if (redis && redis.commands.status !== 'ready') return 'away';
      return redis && (await sendOut(redis, topic, message)) > 0 ? 'heard' : 'unheard';
    },
    async ask(topic, message) {
      if (redis?.commands.status !== 'ready') return 0;
      const own = topics.has(topic) ? 1 : 0;
      return Math.max(0, (await sendOut(redis, topic, message)) - own);
    },
    subscribe(topic, handler) {
      const one = topics.get(topic) ?? { channel: channels?.open(topic), handlers: new Set() };
      topics.set(topic, one);
      // A wrapper per subscription keeps two subscriptions with the same function apart.
      const own: BusHandler<Message> = (message) => handler(message);
      one.handlers.add(own);
      return {
        get isComplete() {
          return one.channel?.isComplete ?? true;
        },
        ready: one.channel?.ready ?? Promise.resolve(),
        close() {
          if (!one.handlers.delete(own) || one.handlers.size > 0) return;
          topics.delete(topic);
          channels?.leave(topic);
        },
      };
    },
  };
}
