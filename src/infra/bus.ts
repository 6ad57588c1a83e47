import { randomUUID } from 'node:crypto';
import type { Logger } from './logger.js';
import type { RedisLink } from './redis.js';

/**
 * What the subscribers of a topic are told when messages of it may have been missed, because a process was without a connection to
 * the others: whatever is remembered from them is to be forgotten.
 */
export const BUS_RECONNECTED = 'BUS_RECONNECTED';

export interface Reconnected {
  type: typeof BUS_RECONNECTED;
}

/** What a bus can carry: anything JSON-safe that says in `type` what it is. */
interface Typed {
  type: string;
}

/** Whether somebody was told: `away` says that other processes cannot be reached at present, and that it was not sent. */
export type Delivery = 'heard' | 'unheard' | 'away';

export type BusHandler<Message extends Typed> = (message: Message | Reconnected) => void;

export interface BusSubscription {
  /** Whether messages of every process arrive at present. */
  readonly isComplete: boolean;
  /**
   * Settles once messages of every process arrive. Where that is not possible at present, it settles within seconds without it;
   * then `BUS_RECONNECTED` tells when they do.
   */
  ready: Promise<void>;
  close(): void;
}

/**
 * Carries messages from those who publish to those who subscribe. What one process publishes is heard in the order of its calls,
 * whatever the topics: at once in the same process, and elsewhere over one connection.
 */
export interface Bus<Message extends Typed> {
  /** Hands `message` to this process's subscribers before it returns, in the order of the calls. */
  publish(topic: string, message: Message | Reconnected): void;
  /**
   * As `publish`, for a message that somebody is expected to wait for. Rejects where it is not known whether anybody was told.
   */
  deliver(topic: string, message: Message): Promise<Delivery>;
  subscribe(topic: string, handler: BusHandler<Message>): BusSubscription;
  close(): Promise<void>;
}

export const topics = {
  /** What decides who may do what in a guild: itself, its roles, channels and memberships. */
  facts: (id: bigint | string) => `facts:${id}`,
  /** Everything else that happens in a guild. */
  guild: (id: bigint | string) => `guild:${id}`,
  user: (id: bigint | string) => `user:${id}`,
  application: (id: bigint | string) => `application:${id}`,
  team: (id: bigint | string) => `team:${id}`,
  sessions: 'sessions',
  /** One box: its name, and whether it is connected. */
  box: (id: bigint | string) => `box:${id}`,
  /** Which guilds are on which boxes. */
  boxes: 'boxes',
};

export type TopicKind = keyof typeof topics;

/** The topics under which all that happens in a guild is published. */
export function topicsOfGuild(id: bigint | string): string[] {
  return [topics.facts(id), topics.guild(id)];
}

/** Subscribes to several topics as to one. */
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

/** A bus within one process. A handler that throws is logged and does not keep the others from hearing. */
export function createLocalBus<Message extends Typed>(log: Logger): Bus<Message> {
  const handlers = new Map<string, Set<BusHandler<Message>>>();
  const publish = (topic: string, message: Message | Reconnected) => {
    for (const handler of handlers.get(topic) ?? []) {
      try {
        handler(message);
      } catch (error) {
        log.error({ err: error, topic, type: message.type }, 'a bus subscriber failed');
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
      // A wrapper of its own keeps two subscriptions with one function apart.
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

/** A bus on which somebody may hear all that this process publishes. */
export interface TappedBus<Message extends Typed> extends Bus<Message> {
  /** From here on `hear` is told of each message, whatever its topic, after its subscribers. It must not throw. */
  tap(hear: BusHandler<Message>): void;
}

/** The same bus, and a way to hear everything on it. */
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

/** Topics of one SUBSCRIBE when all are subscribed to anew. */
const TOPICS_PER_COMMAND = 500;
/** How many topics are remembered whose messages did not reach the others. */
const MAX_MISSED_TOPICS = 10_000;

/** What the subscribers of one topic in this process share. */
interface SharedSubscription {
  count: number;
  isComplete: boolean;
  ready: Promise<void>;
}

/**
 * A bus across processes: local subscribers hear at once, those of other processes through Redis. While that is away, each process
 * hears itself only; afterwards the subscribers of what they may have missed are told so, on both sides.
 */
export function createRedisBus<Message extends Typed>(redis: RedisLink, log: Logger): Bus<Message> {
  const { commands, subscriber, prefix } = redis;
  const origin = randomUUID();
  const local = createLocalBus<Message>(log);
  const subscriptions = new Map<string, SharedSubscription>();
  /** Topics under which something did not reach the others. */
  const missedByOthers = new Set<string>();
  /** Topics that are to be subscribed to once more, because that was not answered. */
  const late = new Set<string>();

  const noteMissed = (topic: string) => {
    if (missedByOthers.size < MAX_MISSED_TOPICS) missedByOthers.add(topic);
  };
  /** @returns how many processes were told */
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
  /** Subscribes to these topics, where somebody listens still, and tells that something may have been missed before. */
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

/** Messages of a topic that nobody listens to any more are heard by nobody. */
function ignore(): void {}
