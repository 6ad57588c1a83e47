import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { renderUnavailableGuild } from '../wire/ready.js';
import { eventOf, type GatewayEvent } from './events.js';

/** GUILD_DELETE of a guild that cannot be shown at the moment. */
export function guildUnavailable(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, renderUnavailableGuild(guildId));
}

/** GUILD_DELETE of a guild that the bot is no longer in. */
export function guildLeft(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, { id: String(guildId) });
}
