import { Events } from 'discord.js';
import { expect } from 'vitest';
import { cachedGuild, newestCached } from '../../../conversation/caches/cached.js';
import { type ClientBot, openClient } from '../../../conversation/caches/cast.js';
import type { KnownGuild, Onlooker } from '../../../conversation/caches/known.js';
import { storedGuild } from '../../../conversation/caches/stored.js';
import type { MadeGuild } from '../../../harness/people.js';
import { RestBot } from '../../../harness/rest.js';
import type { TestServer } from '../../../harness/server.js';
import type { TestBot } from '../../../harness/world.js';

/** A stock client that connects through the load balancer. */
export async function openLibrary(server: TestServer, origin: string, bot: TestBot): Promise<ClientBot> {
  const opened = await openClient({ ...server, origin }, 'library', new RestBot({ origin }, bot));
  opened.client.on(Events.Error, () => {});
  opened.client.on(Events.ShardError, () => {});
  return opened;
}

export function hasNewest({ client }: ClientBot, channelId: string, messageId: string): boolean {
  return newestCached(client, channelId) === messageId;
}

/** @returns how the client's caches differ from the database */
export async function cacheFaults(bot: ClientBot, server: TestServer, guildIds: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const id of guildIds) {
    const onlooker = onlookerOf(bot, id);
    const guild = { id } as MadeGuild;
    if (onlooker.hears !== null) forgetDeletedChannels(bot, id);
    const stored = await storedGuild({ server, guild }, onlooker);
    try {
      expect(comparable(cachedGuild(bot.client, id, onlooker))).toEqual(comparable(stored));
    } catch (error) {
      faults.push(`the caches of the library are not the database: ${error}`);
    }
  }
  return faults;
}

/** The library keeps channels that were deleted while it had lost their guild. */
function forgetDeletedChannels({ client }: ClientBot, guildId: string): void {
  const own = client.guilds.cache.get(guildId)?.channels.cache;
  client.channels.cache.sweep(
    (channel) => 'guildId' in channel && channel.guildId === guildId && !own?.has(channel.id),
  );
}

/** A client that lost a guild for a while has missed its messages. */
function onlookerOf({ rest, dispatches }: ClientBot, guildId: string): Onlooker {
  const shown = dispatches.all.filter(({ type, data }) => type === 'GUILD_CREATE' && data.id === guildId);
  return { id: rest.id, hears: shown.length === 1 ? null : [], hidden: [], hearsOfModeration: false, reacts: false };
}

/**
 * Presences of connections that were cut end at other times. The library counts a member twice whose GUILD_MEMBER_ADD
 * repeats what GUILD_CREATE includes (docs/gateway.md, G-23).
 */
const comparable = (known: KnownGuild): KnownGuild => ({
  ...known,
  settings: { ...known.settings, memberCount: null },
  presences: {},
});
