import type { WorldDescription } from '../sandbox/protocol.js';
import { type Control, segment } from './control.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Requests about one world, and what the test has seen of its channels. A message that came before a wait began is not
 * missed, and none is returned twice.
 */
export class WorldClient {
  /** Ids of the newest seen messages, by channel. */
  readonly #seen = new Map<string, bigint>();
  readonly #channelIds = new Map<string, string>();

  constructor(
    private readonly control: Control,
    readonly description: WorldDescription,
  ) {
    for (const { name: guild, channels } of description.guilds.toReversed()) {
      for (const { id, name } of channels.toReversed()) {
        for (const key of [name, `#${name}`, `${guild}/${name}`]) this.#channelIds.set(key, id);
      }
    }
  }

  /** Whether `causeway sandbox -- …` runs this program. */
  get isSurrounding(): boolean {
    return this.control.address.url === process.env.CAUSEWAY_SANDBOX_URL;
  }

  request<Result>(method: Method, path: string, body?: object, query?: Query): Promise<Result> {
    return this.control.request(method, `/worlds/${segment(this.description.id)}${path}`, body, query);
  }

  /** The id of the newest seen message. @param channel its name or id */
  seenIn(channel: string): string {
    return String(this.#seen.get(this.#idOf(channel)) ?? 0n);
  }

  noteSeen(message: { id: string; channel_id: string }, channel: string = message.channel_id): void {
    this.#channelIds.set(channel, message.channel_id);
    const id = BigInt(message.id);
    if (id > (this.#seen.get(message.channel_id) ?? 0n)) this.#seen.set(message.channel_id, id);
  }

  forgetSeen(): void {
    this.#seen.clear();
  }

  #idOf(channel: string): string {
    return this.#channelIds.get(channel) ?? channel;
  }
}
