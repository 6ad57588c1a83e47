import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import { renderUnavailableGuild } from '../wire/ready.js';
import { eventOf, type GatewayEvent } from './events.js';
import type { Session } from './session.js';

export function guildUnavailable(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, renderUnavailableGuild(guildId));
}

function guildLeft(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, { id: String(guildId) });
}

/** Sends GUILD_DELETE, even if the client knows the guild only as unavailable. Repeated calls send nothing. */
export function leaveGuild(session: Session, guildId: bigint): void {
  const subscription = session.guilds.get(guildId);
  subscription?.detach();
  const wasUnavailable = session.unavailableGuilds.delete(guildId);
  if (subscription || wasUnavailable) sendGuildDelete(session, guildLeft(guildId));
}

/** The guild stays unavailable until GUILD_CREATE is sent again or the bot leaves it. */
export function markUnavailable(session: Session, guildId: bigint): void {
  session.guilds.get(guildId)?.detach();
  session.unavailableGuilds.add(guildId);
  sendGuildDelete(session, guildUnavailable(guildId));
}

function sendGuildDelete(session: Session, event: GatewayEvent): void {
  if (session.wants(GatewayIntentBits.Guilds)) session.dispatch(event);
}
