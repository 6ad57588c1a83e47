import type { RedisLink } from './redis.js';

const TOPICS_PER_COMMAND = 500;

/** The subscription of a process to a topic in Redis. */
export interface RedisChannel {
  /** Whether messages of all processes arrive now. */
  isComplete: boolean;
  /** Settles after the first attempt to subscribe. */
  ready: Promise<void>;
}

interface ChannelEvents {
  onText(topic: string, text: string): void;
  /** The topic was subscribed again, or late. Messages from before may be missing. */
  onResumed(topic: string): void;
}

/** Subscribes to topics, again after each connection loss. */
export class RedisChannels {
  readonly #channels = new Map<string, RedisChannel>();
  /** Topics whose SUBSCRIBE failed and is retried. */
  readonly #late = new Set<string>();

  constructor(
    private readonly redis: RedisLink,
    /** Of the names of channels. */
    private readonly prefix: string,
    private readonly events: ChannelEvents,
  ) {
    const { subscriber } = redis;
    subscriber.on('ready', () => {
      this.#late.clear();
      void this.#resume([...this.#channels.keys()]);
    });
    subscriber.on('close', () => {
      for (const channel of this.#channels.values()) channel.isComplete = false;
    });
    redis.onAnswer(() => {
      const late = [...this.#late];
      this.#late.clear();
      void this.#resume(late);
    });
    subscriber.on('message', (name: string, text: string) => {
      // Several buses share the connection.
      if (!name.startsWith(prefix)) return;
      const topic = name.slice(prefix.length);
      if (this.#channels.has(topic)) events.onText(topic, text);
    });
  }

  open(topic: string): RedisChannel {
    const channel: RedisChannel = { isComplete: false, ready: Promise.resolve() };
    this.#channels.set(topic, channel);
    if (this.redis.subscriber.status === 'ready') {
      channel.ready = this.#subscribe([[topic, channel]]).catch(() => void this.#late.add(topic));
    }
    return channel;
  }

  leave(topic: string): void {
    this.#channels.delete(topic);
    const { subscriber } = this.redis;
    // A failed UNSUBSCRIBE is harmless: its messages have no handler.
    if (subscriber.status === 'ready') subscriber.unsubscribe(this.prefix + topic).catch(() => {});
  }

  async #subscribe(asked: [string, RedisChannel][]): Promise<void> {
    const { subscriber } = this.redis;
    await subscriber.subscribe(...asked.map(([topic]) => this.prefix + topic));
    for (const [, channel] of asked) channel.isComplete = true;
  }

  async #resume(topics: string[]): Promise<void> {
    const rest = [...topics];
    while (rest.length > 0) {
      const asked = rest.splice(0, TOPICS_PER_COMMAND).flatMap((topic) => {
        const channel = this.#channels.get(topic);
        return channel ? [[topic, channel] as [string, RedisChannel]] : [];
      });
      try {
        if (asked.length > 0) await this.#subscribe(asked);
        for (const [topic] of asked) this.events.onResumed(topic);
      } catch {
        for (const [topic] of asked) this.#late.add(topic);
      }
    }
  }
}
