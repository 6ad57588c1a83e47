import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import { renderUnavailableGuild } from '../wire/ready.js';
import { eventOf, type GatewayEvent } from './events.js';
import type { Session } from './session.js';

/** GUILD_DELETE of a guild that cannot be shown at the moment. */
export function guildUnavailable(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, renderUnavailableGuild(guildId));
}

/** GUILD_DELETE of a guild that the bot is no longer in. */
function guildLeft(guildId: bigint): GatewayEvent {
  return eventOf(GatewayDispatchEvents.GuildDelete, { id: String(guildId) });
}

/** The session loses the guild for good, of which its client is told once: also where it holds it no longer and was shown it as unavailable. */
export function leaveGuild(session: Session, guildId: bigint): void {
  const seat = session.guilds.get(guildId);
  seat?.detach();
  const wasUnavailable = session.unavailableGuilds.delete(guildId);
  if (seat || wasUnavailable) tell(session, guildLeft(guildId));
}

/** The session loses sight of the guild, until it is shown the whole of it or the guild ends for it. */
export function loseSightOf(session: Session, guildId: bigint): void {
  session.guilds.get(guildId)?.detach();
  session.unavailableGuilds.add(guildId);
  tell(session, guildUnavailable(guildId));
}

function tell(session: Session, event: GatewayEvent): void {
  if (session.wants(GatewayIntentBits.Guilds)) session.dispatch(event);
}
