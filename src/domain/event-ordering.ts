import type { DomainEvent, EventChannel } from './events.js';

const EVERYWHERE = 0n;

/** The ids by which {@link CommitOrder} orders an event: guild and channel, or else application, team, box or user. */
export function orderingIdsOf(event: DomainEvent): bigint[] {
  switch (event.type) {
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return orderingIdsIn(event.message);
    case 'MESSAGE_DELETE':
    case 'CHANNEL_PINS_UPDATE':
    case 'MESSAGE_REACTION_ADD':
    case 'MESSAGE_REACTION_REMOVE':
    case 'MESSAGE_REACTION_REMOVE_ALL':
    case 'MESSAGE_REACTION_REMOVE_EMOJI':
    case 'TYPING_START':
      return orderingIdsIn(event);
    case 'CHANNEL_CREATE':
    case 'CHANNEL_UPDATE':
    case 'CHANNEL_DELETE':
      return [event.channel.guildId];
    case 'GUILD_UPDATE':
      return [event.guild.id];
    case 'GUILD_ROLE_CREATE':
    case 'GUILD_ROLE_UPDATE':
      return [event.role.guildId];
    case 'GUILD_MEMBER_ADD':
    case 'GUILD_MEMBER_UPDATE':
      return [event.member.guildId];
    case 'VOICE_STATE_UPDATE':
      return [event.state.guildId];
    case 'INVITE_CREATE':
    case 'INVITE_DELETE':
      return [event.invite.guildId];
    case 'APPLICATION_COMMAND_PERMISSIONS_UPDATE':
      return [event.permissions.guildId];
    case 'GUILD_AUDIT_LOG_ENTRY_CREATE':
      return [event.entry.guildId];
    case 'MESSAGE_DELETE_BULK':
    case 'GUILD_CREATED':
    case 'GUILD_EMOJIS_UPDATE':
    case 'GUILD_ROLE_DELETE':
    case 'GUILD_MEMBER_REMOVE':
    case 'PRESENCE_UPDATE':
    case 'GUILD_BAN_ADD':
    case 'GUILD_BAN_REMOVE':
    case 'MEMBERSHIP_UPDATED':
    case 'WEBHOOKS_UPDATE':
    case 'GUILD_DELETE':
    case 'GUILD_JOINED':
    case 'GUILD_LEFT':
      return [event.guildId];
    case 'INTERACTION_CREATE':
      return [event.request.application.id];
    case 'APPLICATION_UPDATED':
    case 'INTERACTION_UPDATED':
    case 'TESTERS_UPDATED':
    case 'APPLICATION_WEBHOOKS_UPDATED':
    case 'COMMANDS_UPDATED':
    case 'APPLICATION_EMOJIS_UPDATED':
    case 'COMMAND_ACCESS_UPDATED':
    case 'BOT_SESSIONS_UPDATED':
    case 'CLIENT_SECRET_RESET':
    case 'BOT_TOKEN_RESET':
      return [event.applicationId];
    case 'TEAM_UPDATED':
      return [event.teamId];
    case 'BOX_UPDATED':
    case 'BOX_DELETED':
      return [event.boxId];
    case 'USER_UPDATE':
      return [event.user.id];
    case 'PORTAL_HOME_UPDATED':
    case 'SESSION_ENDED':
    case 'PERSON_UPDATED':
      return [event.userId];
    case 'BOX_ROUTES_UPDATED':
      return [EVERYWHERE];
  }
}

/** Ephemeral messages have no guild id, so their events are ordered by channel only. */
export function orderingIdsIn({ guildId, channelId }: Pick<EventChannel, 'guildId' | 'channelId'>): bigint[] {
  return guildId === null ? [channelId] : [guildId, channelId];
}
