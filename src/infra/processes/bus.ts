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
  subscribe(topic: string, handler: BusHandler<Message>): BusSubscription;
  close(): Promise<void>;
}

/** An error in a handler is logged, and the other handlers still run. */
export function createLocalBus<Message extends Typed>(log: Logger): Bus<Message> {
  const handlers = new Map<string, Set<BusHandler<Message>>>();
  const publish = (topic: string, message: Message) => {
    for (const handler of handlers.get(topic) ?? []) {
      try {
        handler(message);
      } catch (error) {
        log.error({ err: error, topic, type: message.type }, 'Bus subscriber failed');
      }
    }
  };
  return {
    publish,
    async deliver(topic, message) {
      publish(topic, message);
      return handlers.has(topic) ? 'heard' : 'unheard';
    },
    subscribe(topic, handler) {
      const ofTopic = handlers.get(topic) ?? new Set();
      handlers.set(topic, ofTopic);
      // A wrapper per subscription keeps two subscriptions with the same function apart.
      const own: BusHandler<Message> = (message) => handler(message);
      ofTopic.add(own);
      return {
        isComplete: true,
        ready: Promise.resolve(),
        close() {
          ofTopic.delete(own);
          if (ofTopic.size === 0) handlers.delete(topic);
        },
      };
    },
    close: async () => handlers.clear(),
  };
}

interface SharedChannel {
  channel: RedisChannel;
  /** Number of subscriptions. */
  count: number;
}

/** While Redis is unavailable, each process receives only its own messages. */
export function createRedisBus<Message extends Typed>(redis: RedisLink, log: Logger): Bus<Message> {
  const { commands, prefix } = redis;
  const origin = randomUUID();
  const local = createLocalBus<Message>(log);
  const shared = new Map<string, SharedChannel>();
  const channels = new RedisChannels(redis, prefix, {
    onText(topic, text) {
      const { from, message } = JSON.parse(text) as { from: string; message: Message };
      if (from !== origin) local.publish(topic, message);
    },
    onResumed() {},
  });
  /** @returns the number of processes that received the message */
  const sendOut = (topic: string, message: Message) =>
    commands.publish(prefix + topic, JSON.stringify({ from: origin, message }));
  return {
    publish(topic, message) {
      local.publish(topic, message);
      if (commands.status === 'ready') sendOut(topic, message).catch(() => {});
    },
    async deliver(topic, message) {
      if ((await local.deliver(topic, message)) === 'heard') return 'heard';
      if (commands.status !== 'ready') return 'away';
      return (await sendOut(topic, message)) > 0 ? 'heard' : 'unheard';
    },
    subscribe(topic, handler) {
      const inner = local.subscribe(topic, handler);
      const one = shared.get(topic) ?? { channel: channels.open(topic), count: 0 };
      shared.set(topic, one);
      one.count += 1;
      let isOpen = true;
      return {
        get isComplete() {
          return one.channel.isComplete;
        },
        ready: one.channel.ready,
        close() {
          if (!isOpen) return;
          isOpen = false;
          inner.close();
          one.count -= 1;
          if (one.count > 0) return;
          shared.delete(topic);
          channels.leave(topic);
        },
      };
    },
    close: () => local.close(),
  };
}
