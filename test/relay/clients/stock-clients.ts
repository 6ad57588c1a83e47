import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Client as DiscordJs, Events, GatewayIntentBits } from 'discord.js';
import { Client as Eris } from 'eris';
import { Client as Oceanic } from 'oceanic.js';
import { inOrder, type Known } from './stage.js';

/**
 * Events of a client since it was ready, in order: `unavailable` and `available` with the id of a guild, `message` with
 * its content.
 */
export class Told {
  readonly entries: string[] = [];
  #wake: () => void = () => {};

  /** Drops the events so far. Libraries differ in the events before they are ready. */
  forget(): void {
    this.entries.length = 0;
  }

  note(entry: string): void {
    this.entries.push(entry);
    this.#wake();
  }

  async until(entry: string): Promise<void> {
    while (!this.entries.includes(entry)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export interface StockClient {
  told: Told;
  /** A cached guild, or null if it is unavailable. */
  cached(guildId: string): Known | null;
  send(channelId: string, content: string): Promise<{ id: string }>;
  statusOf(fault: unknown): number;
  close(): Promise<void> | void;
}

export interface ClientOptions {
  origin: string;
  token: string;
  /** Default: the only shard. */
  shard?: { id: number; of: number };
}

/** Logs in a client. Resolves when the library reports that it is ready. */
export type OpenClient = (options: ClientOptions) => Promise<StockClient>;

const RETRIES = 1;

export const openDiscordJs: OpenClient = async ({ origin, token, shard }) => {
  const client = new DiscordJs({
    intents: Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number'),
    rest: { api: `${origin}/api`, retries: RETRIES },
    ...(shard ? { shards: [shard.id], shardCount: shard.of } : {}),
  });
  const told = new Told();
  client.on(Events.GuildUnavailable, ({ id }) => told.note(`unavailable ${id}`));
  client.on(Events.GuildAvailable, ({ id }) => told.note(`available ${id}`));
  client.on(Events.MessageCreate, ({ content }) => told.note(`message ${content}`));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  await ready;
  told.forget();
  return {
    told,
    cached(guildId) {
      const guild = client.guilds.cache.get(guildId);
      if (!guild?.available) return null;
      const { name, channels, roles, members } = guild;
      return {
        name,
        channels: inOrder(channels.cache.values()),
        roles: inOrder(roles.cache.values()),
        members: inOrder(members.cache.values()),
      };
    },
    async send(channelId, content) {
      const channel = client.channels.cache.get(channelId);
      if (!channel?.isSendable()) throw new Error('the channel is not cached');
      return channel.send(content);
    },
    statusOf: (fault) => Number(Reflect.get(Object(fault), 'status')),
    close: () => client.destroy(),
  };
};

export const openOceanic: OpenClient = async ({ origin, token, shard }) => {
  const client = new Oceanic({
    auth: `Bot ${token}`,
    rest: { baseURL: `${origin}/api/v10` },
    gateway: {
      intents: ['ALL'],
      ...(shard ? { firstShardID: shard.id, lastShardID: shard.id, maxShards: shard.of } : {}),
    },
  });
  const told = new Told();
  client.on('error', () => {});
  client.on('guildUnavailable', ({ id }) => told.note(`unavailable ${id}`));
  client.on('unavailableGuildCreate', ({ id }) => told.note(`unavailable ${id}`));
  client.on('guildAvailable', ({ id }) => told.note(`available ${id}`));
  client.on('messageCreate', ({ content }) => told.note(`message ${content}`));
  const ready = new Promise<void>((resolve) => client.once('ready', resolve));
  await client.connect();
  await ready;
  told.forget();
  return {
    told,
    cached(guildId) {
      const guild = client.guilds.get(guildId);
      if (!guild || guild.unavailable) return null;
      const { name, channels, roles, members } = guild;
      return {
        name,
        channels: inOrder(channels.values()),
        roles: inOrder(roles.values()),
        members: inOrder(members.values()),
      };
    },
    send: (channelId, content) => client.rest.channels.createMessage(channelId, { content }),
    statusOf: (fault) => Number(Reflect.get(Object(fault), 'status')),
    close: () => client.disconnect(false),
  };
};

/** Eris speaks https only. This agent connects without TLS. */
export const openEris: OpenClient = async ({ origin, token, shard }) => {
  const { hostname, port } = new URL(origin);
  const agent = new Agent();
  agent.createConnection = () => connect(Number(port), hostname);
  const client = new Eris(`Bot ${token}`, {
    intents: ['all'],
    rest: { domain: hostname, agent },
    ...(shard ? { firstShardID: shard.id, lastShardID: shard.id, maxShards: shard.of } : {}),
  });
  const told = new Told();
  client.on('error', () => {});
  client.on('guildUnavailable', ({ id }) => told.note(`unavailable ${id}`));
  client.on('unavailableGuildCreate', ({ id }) => told.note(`unavailable ${id}`));
  client.on('guildAvailable', ({ id }) => told.note(`available ${id}`));
  client.on('messageCreate', ({ content }) => told.note(`message ${content}`));
  const ready = new Promise<void>((resolve) => client.once('ready', resolve));
  await client.connect();
  await ready;
  told.forget();
  return {
    told,
    cached(guildId) {
      const guild = client.guilds.get(guildId);
      if (!guild) return null;
      const { name, channels, roles, members } = guild;
      return {
        name,
        channels: inOrder(channels.values()),
        roles: inOrder(roles.values()),
        members: inOrder(members.values()),
      };
    },
    send: (channelId, content) => client.createMessage(channelId, content),
    statusOf: (fault) => Number(Reflect.get(Object(Reflect.get(Object(fault), 'res')), 'statusCode')),
    close: () => client.disconnect({ reconnect: false }),
  };
};
