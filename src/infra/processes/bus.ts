import { randomUUID } from 'node:crypto';
import type { Logger } from '../observability/logger.js';
import type { RedisLink } from './redis.js';

/** Subscribers may have missed messages, and must drop what they cached from the topic. */
export const BUS_RECONNECTED = 'BUS_RECONNECTED';

export interface Reconnected {
  type: typeof BUS_RECONNECTED;
}

/** Must be JSON-safe. */
interface Typed {
  type: string;
}

/** `away`: other processes are unreachable, and the message was not sent. */
export type Delivery = 'heard' | 'unheard' | 'away';

export type BusHandler<Message extends Typed> = (message: Message | Reconnected) => void;

export interface BusSubscription {
  /** Whether messages of all processes arrive now. */
  readonly isComplete: boolean;
  /**
   * Settles once messages of all processes arrive, or after some seconds. In that case, `BUS_RECONNECTED` follows once
   * they arrive.
   */
  ready: Promise<void>;
  close(): void;
}

/** Messages of one process arrive in the order of its calls, across all topics. */
export interface Bus<Message extends Typed> {
  /** Calls local subscribers before it returns. */
  publish(topic: string, message: Message | Reconnected): void;
  /** Like `publish`, for a message that needs a subscriber. Rejects if it is unknown whether one received it. */
  deliver(topic: string, message: Message): Promise<Delivery>;
  subscribe(topic: string, handler: BusHandler<Message>): BusSubscription;
  close(): Promise<void>;
}

export const topics = {
  /**
   * Data that decides permissions in a guild: the guild, its roles, channels and memberships. Separate from `guild`,
   * whose messages each cost a subscriber about 30 µs.
   */
  facts: (id: bigint | string) => `facts:${id}`,
  /** All other guild events. */
  guild: (id: bigint | string) => `guild:${id}`,
  user: (id: bigint | string) => `user:${id}`,
  application: (id: bigint | string) => `application:${id}`,
  team: (id: bigint | string) => `team:${id}`,
  sessions: 'sessions',
  /** Name and connection state. */
  box: (id: bigint | string) => `box:${id}`,
  /** Which guilds are on which boxes. */
  boxes: 'boxes',
};

export type TopicKind = keyof typeof topics;

export function topicsOfGuild(id: bigint | string): string[] {
  return [topics.facts(id), topics.guild(id)];
}

export function subscribeToAll<Message extends Typed>(
  bus: Bus<Message>,
  names: readonly string[],
  handler: BusHandler<Message>,
): BusSubscription {
  const subscriptions = names.map((topic) => bus.subscribe(topic, handler));
  return {
    get isComplete() {
      return subscriptions.every(({ isComplete }) => isComplete);
    },
    ready: Promise.all(subscriptions.map(({ ready }) => ready)).then(() => {}),
    close() {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

const RECONNECTED: Reconnected = { type: BUS_RECONNECTED };

/** An error in a handler is logged, and the other handlers still run. */
export function createLocalBus<Message extends Typed>(log: Logger): Bus<Message> {
  const handlers = new Map<string, Set<BusHandler<Message>>>();
  const publish = (topic: string, message: Message | Reconnected) => {
    for (const handler of handlers.get(topic) ?? []) {
      try {
        handler(message);
      } catch (error) {
        log.error({ err: error, topic, type: message.type }, 'Event bus subscriber failed');
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

export interface TappedBus<Message extends Typed> extends Bus<Message> {
  /** Calls `hear` for each further message of this process, after its subscribers. `hear` must not throw. */
  tap(hear: BusHandler<Message>): void;
}

export function tapped<Message extends Typed>(bus: Bus<Message>): TappedBus<Message> {
  const taps: BusHandler<Message>[] = [];
  return {
    ...bus,
    publish(topic, message) {
      bus.publish(topic, message);
      for (const hear of taps) hear(message);
    },
    tap: (hear) => void taps.push(hear),
  };
}

const TOPICS_PER_COMMAND = 500;
const MAX_MISSED_TOPICS = 10_000;

interface SharedSubscription {
  count: number;
  isComplete: boolean;
  ready: Promise<void>;
}

/**
 * While Redis is unavailable, each process receives only its own messages. Afterwards, subscribers in all processes
 * that may have missed messages receive `BUS_RECONNECTED`.
 */
export function createRedisBus<Message extends Typed>(redis: RedisLink, log: Logger): Bus<Message> {
  const { commands, subscriber, prefix } = redis;
  const origin = randomUUID();
  const local = createLocalBus<Message>(log);
  const subscriptions = new Map<string, SharedSubscription>();
  const missedByOthers = new Set<string>();
  /** Topics whose SUBSCRIBE failed and is retried. */
  const late = new Set<string>();

  const noteMissed = (topic: string) => {
    if (missedByOthers.size < MAX_MISSED_TOPICS) missedByOthers.add(topic);
  };
  /** @returns the number of processes that received the message */
  const sendOut = (topic: string, message: Message | Reconnected) =>
    commands.publish(prefix + topic, JSON.stringify({ from: origin, message }));
  const send = (topic: string, message: Message | Reconnected) => {
    if (commands.status !== 'ready') noteMissed(topic);
    else sendOut(topic, message).catch(() => noteMissed(topic));
  };
  const complete = async (asked: [string, SharedSubscription][]) => {
    await subscriber.subscribe(...asked.map(([topic]) => prefix + topic));
    for (const [, shared] of asked) shared.isComplete = true;
  };
  /** Skips topics without subscribers. Subscribers of the others may have missed messages. */
  const completeAll = async (asking: string[]) => {
    const rest = [...asking];
    while (rest.length > 0) {
      const asked = rest.splice(0, TOPICS_PER_COMMAND).flatMap((topic) => {
        const shared = subscriptions.get(topic);
        return shared ? [[topic, shared] as [string, SharedSubscription]] : [];
      });
      try {
        if (asked.length > 0) await complete(asked);
        for (const [topic] of asked) local.publish(topic, RECONNECTED);
      } catch {
        for (const [topic] of asked) late.add(topic);
      }
    }
  };
  subscriber.on('ready', () => {
    late.clear();
    void completeAll([...subscriptions.keys()]);
  });
  subscriber.on('close', () => {
    for (const shared of subscriptions.values()) shared.isComplete = false;
  });
  redis.onAnswer(() => {
    for (const topic of takeAll(missedByOthers)) send(topic, RECONNECTED);
    void completeAll(takeAll(late));
  });
  subscriber.on('message', (channel: string, text: string) => {
    // Several buses share the connection.
    if (!subscriptions.has(channel.slice(prefix.length))) return;
    const { from, message } = JSON.parse(text) as { from: string; message: Message | Reconnected };
    if (from !== origin) local.publish(channel.slice(prefix.length), message);
  });

  const open = (topic: string): SharedSubscription => {
    const shared: SharedSubscription = { count: 0, isComplete: false, ready: Promise.resolve() };
    subscriptions.set(topic, shared);
    if (subscriber.status === 'ready') shared.ready = complete([[topic, shared]]).catch(() => void late.add(topic));
    return shared;
  };
  const leave = (topic: string) => {
    subscriptions.delete(topic);
    if (subscriber.status === 'ready') subscriber.unsubscribe(prefix + topic).catch(ignore);
  };

  return {
    publish(topic, message) {
      local.publish(topic, message);
      send(topic, message);
    },
    async deliver(topic, message) {
      if ((await local.deliver(topic, message)) === 'heard') return 'heard';
      if (commands.status !== 'ready') return 'away';
      return (await sendOut(topic, message)) > 0 ? 'heard' : 'unheard';
    },
    subscribe(topic, handler) {
      const inner = local.subscribe(topic, handler);
      const shared = subscriptions.get(topic) ?? open(topic);
      shared.count += 1;
      let isOpen = true;
      return {
        get isComplete() {
          return shared.isComplete;
        },
        ready: shared.ready,
        close() {
          if (!isOpen) return;
          isOpen = false;
          inner.close();
          shared.count -= 1;
          if (shared.count === 0) leave(topic);
        },
      };
    },
    close: () => local.close(),
  };
}

function takeAll(topicsOfSet: Set<string>): string[] {
  const all = [...topicsOfSet];
  topicsOfSet.clear();
  return all;
}

/** A failed UNSUBSCRIBE is harmless: its messages have no handler. */
function ignore(): void {}
