import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from './logger.js';

/**
 * What travels: the wire event, serialised once, and the few facts its receivers filter by. JSON-safe, ids as decimal text.
 */
export interface BusMessage {
  /** A gateway event name, or one of the platform's own (`GUILD_JOINED`, `BOT_TOKEN_RESET`, …). */
  type: string;
  guildId?: string;
  channelId?: string;
  /** Whom the event is about: the member, the reacting or typing person. */
  userId?: string;
  /** Who wrote the message the event carries. */
  authorId?: string;
  /** Ids of the users the message mentions. */
  mentionedUserIds?: string[];
  /** The serialised `d` of the gateway event. */
  data: string;
  /** `data` without what only the message-content intent may see, where the event holds such. */
  redactedData?: string;
  /** `data` without what only the intent may see of the answered message; whose that one is, and whom it mentions. */
  reply?: { data: string; authorId: string; mentionedUserIds: string[] };
}

export type BusHandler = (message: BusMessage) => void;

export interface BusSubscription {
  /** Resolves once messages of every process arrive. */
  ready: Promise<void>;
  close(): void;
}

export interface Bus {
  /** Hands `message` to this process's subscribers before it returns, in the order of the calls. */
  publish(topic: string, message: BusMessage): void;
  subscribe(topic: string, handler: BusHandler): BusSubscription;
  close(): Promise<void>;
}

export const topics = {
  guild: (id: bigint | string) => `guild:${id}`,
  user: (id: bigint | string) => `user:${id}`,
  application: (id: bigint | string) => `application:${id}`,
  team: (id: bigint | string) => `team:${id}`,
  sessions: 'sessions',
};

/**
 * What every subscriber of this process is told when the connection to the others was lost and messages arrive again: some may
 * have been missed meanwhile, so whatever is remembered from them is to be forgotten.
 */
export const BUS_RECONNECTED = 'BUS_RECONNECTED';

/** A bus within one process. A handler that throws is logged and does not keep the others from hearing. */
export function createLocalBus(log: Logger): Bus {
  const handlers = new Map<string, Set<BusHandler>>();
  return {
    publish(topic, message) {
      for (const handler of handlers.get(topic) ?? []) {
        try {
          handler(message);
        } catch (error) {
          log.error({ err: error, topic, type: message.type }, 'a bus subscriber failed');
        }
      }
    },
    subscribe(topic, handler) {
      const ofTopic = handlers.get(topic) ?? new Set();
      handlers.set(topic, ofTopic);
      // A wrapper of its own keeps two subscriptions with one function apart.
      const own: BusHandler = (message) => handler(message);
      ofTopic.add(own);
      return {
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

const REDIS_PREFIX = 'causeway:';

/** A bus across processes: local subscribers hear at once, those of other processes through Redis. */
export function createRedisBus(url: string, log: Logger): Bus {
  const origin = randomUUID();
  const local = createLocalBus(log);
  const publisher = new Redis(url);
  const subscriber = new Redis(url);
  for (const connection of [publisher, subscriber]) {
    connection.on('error', (error) => log.error({ err: error }, 'the Redis bus has a connection fault'));
  }
  const subscriptions = new Map<string, { count: number; ready: Promise<void> }>();

  const tellReconnected = async () => {
    const subscribed = [...subscriptions];
    if (subscribed.length > 0) await subscriber.subscribe(...subscribed.map(([topic]) => REDIS_PREFIX + topic));
    for (const [topic, shared] of subscribed) {
      shared.ready = Promise.resolve();
      local.publish(topic, { type: BUS_RECONNECTED, data: '{}' });
    }
  };
  let wasConnected = false;
  subscriber.on('ready', () => {
    // What was published in between is lost. A connection that is lost again meanwhile is told of when it is back.
    if (wasConnected) tellReconnected().catch((error: unknown) => log.warn({ err: error }, 'Redis was lost again'));
    wasConnected = true;
  });

  subscriber.on('message', (channel: string, text: string) => {
    const { from, message } = JSON.parse(text) as { from: string; message: BusMessage };
    if (from !== origin) local.publish(channel.slice(REDIS_PREFIX.length), message);
  });

  return {
    publish(topic, message) {
      local.publish(topic, message);
      publisher
        .publish(REDIS_PREFIX + topic, JSON.stringify({ from: origin, message }))
        .catch((error: unknown) => log.error({ err: error, topic }, 'an event did not reach Redis'));
    },
    subscribe(topic, handler) {
      const inner = local.subscribe(topic, handler);
      const shared = subscriptions.get(topic) ?? {
        count: 0,
        ready: subscriber.subscribe(REDIS_PREFIX + topic).then(() => {}),
      };
      // Not everybody waits for it. Without a connection it fails after a while; the topic is subscribed to with the next one.
      shared.ready.catch(() => {});
      shared.count += 1;
      subscriptions.set(topic, shared);
      let open = true;
      return {
        ready: shared.ready,
        close() {
          if (!open) return;
          open = false;
          inner.close();
          shared.count -= 1;
          if (shared.count > 0) return;
          subscriptions.delete(topic);
          subscriber
            .unsubscribe(REDIS_PREFIX + topic)
            .catch((error: unknown) => log.warn({ err: error, topic }, 'a Redis topic was not left'));
        },
      };
    },
    async close() {
      await local.close();
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
