import { type PrivilegedIntents, privilegedIntentsOf } from '../domain/applications/index.js';
import type { DomainEvent } from '../domain/events.js';
import { maxAgeOf } from '../domain/invites/index.js';
import type { MemberFacts } from '../domain/members/index.js';
import type { MessageRecord } from '../domain/messages/index.js';
import { type BusMessage, topics } from '../infra/bus.js';
import type { Invite } from '../infra/database/index.js';
import { renderAuditLogEntry } from './audit-log.js';
import { renderChannel } from './channels.js';
import { renderEmoji } from './emojis.js';
import { renderGuild } from './guilds.js';
import { renderMember, renderMemberFacts } from './members.js';
import { redactMessage, redactReferenced, renderMessage, type WireOptions } from './messages.js';
import { renderUnavailableGuild } from './ready.js';
import { renderRole } from './roles.js';
import { wireTime } from './time.js';
import { renderOwnUser, renderUser } from './users.js';

/** What APPLICATION_UPDATED tells those who keep something of the application. */
export interface ApplicationChange {
  /** Where they changed. */
  privilegedIntents?: PrivilegedIntents;
}

export interface Publication {
  topic: string;
  message: BusMessage;
}

/**
 * Renders what happened, once: under which topic it is published, and the gateway's `d` for it, already serialised.
 */
export function renderEvent(event: DomainEvent, options: WireOptions): Publication {
  switch (event.type) {
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return messageEvent(event.type, event.message, event.member, options);
    case 'MESSAGE_DELETE':
      return inChannel(event, {
        id: String(event.messageId),
        channel_id: String(event.channelId),
        ...guildId(event.guildId),
      });
    case 'MESSAGE_REACTION_ADD':
      return inChannel(
        event,
        {
          user_id: String(event.user.id),
          ...reactionPlace(event),
          emoji: renderEmoji(event.emoji),
          message_author_id: String(event.messageAuthorId),
          burst: false,
          type: 0,
          ...(event.member ? { member: { ...renderMemberFacts(event.member), user: renderUser(event.user) } } : {}),
        },
        event.user.id,
      );
    case 'MESSAGE_REACTION_REMOVE':
      return inChannel(
        event,
        {
          user_id: String(event.userId),
          ...reactionPlace(event),
          emoji: renderEmoji(event.emoji),
          burst: false,
          type: 0,
        },
        event.userId,
      );
    case 'MESSAGE_REACTION_REMOVE_ALL':
      return inChannel(event, reactionPlace(event));
    case 'MESSAGE_REACTION_REMOVE_EMOJI':
      return inChannel(event, { ...reactionPlace(event), emoji: renderEmoji(event.emoji) });
    case 'TYPING_START':
      return inChannel(
        event,
        {
          channel_id: String(event.channelId),
          ...guildId(event.guildId),
          user_id: String(event.user.id),
          timestamp: Math.floor(event.startedAt / 1000),
          ...(event.member ? { member: { ...renderMemberFacts(event.member), user: renderUser(event.user) } } : {}),
        },
        event.user.id,
      );
    case 'CHANNEL_CREATE':
      return {
        topic: topics.guild(event.channel.guildId),
        message: {
          type: event.type,
          guildId: String(event.channel.guildId),
          channelId: String(event.channel.id),
          data: JSON.stringify(renderChannel(event.channel)),
        },
      };
    case 'GUILD_UPDATE':
      return inGuild(event.type, event.guild.id, renderGuild(event.guild));
    case 'GUILD_ROLE_CREATE':
    case 'GUILD_ROLE_UPDATE':
      return inGuild(event.type, event.role.guildId, {
        guild_id: String(event.role.guildId),
        role: renderRole(event.role),
      });
    case 'GUILD_ROLE_DELETE':
      return inGuild(event.type, event.guildId, { guild_id: String(event.guildId), role_id: String(event.roleId) });
    case 'GUILD_MEMBER_ADD':
    case 'GUILD_MEMBER_UPDATE':
      return inGuild(
        event.type,
        event.member.guildId,
        { ...renderMember(event.member), guild_id: String(event.member.guildId) },
        event.member.userId,
      );
    case 'GUILD_MEMBER_REMOVE':
      return inGuild(
        event.type,
        event.guildId,
        { guild_id: String(event.guildId), user: renderUser(event.user) },
        event.user.id,
      );
    case 'INVITE_CREATE':
      return ofInvite(event.type, event.invite, {
        created_at: wireTime(event.invite.createdAt),
        inviter: renderUser(event.invite.inviter),
        expires_at: event.invite.expiresAt && wireTime(event.invite.expiresAt),
        max_age: maxAgeOf(event.invite),
        max_uses: event.invite.maxUses,
        temporary: false,
        uses: event.invite.uses,
      });
    case 'INVITE_DELETE':
      return ofInvite(event.type, event.invite);
    case 'GUILD_DELETE':
      return inGuild(event.type, event.guildId, renderUnavailableGuild(event.guildId));
    case 'GUILD_AUDIT_LOG_ENTRY_CREATE':
      return inGuild(event.type, event.entry.guildId, {
        ...renderAuditLogEntry(event.entry),
        ...guildId(event.entry.guildId),
      });
    case 'GUILD_JOINED':
    case 'GUILD_LEFT':
      return {
        topic: topics.user(event.userId),
        message: { type: event.type, guildId: String(event.guildId), data: '{}' },
      };
    case 'USER_UPDATE':
      return {
        topic: topics.user(event.user.id),
        message: {
          type: event.type,
          userId: String(event.user.id),
          data: JSON.stringify(renderOwnUser(event.user, null)),
        },
      };
    case 'SESSION_ENDED':
      return { topic: topics.sessions, message: { type: event.type, userId: String(event.userId), data: '{}' } };
    case 'APPLICATION_UPDATED': {
      const change: ApplicationChange = event.intents ? { privilegedIntents: privilegedIntentsOf(event.intents) } : {};
      return {
        topic: topics.application(event.applicationId),
        message: { type: event.type, data: JSON.stringify(change) },
      };
    }
    case 'BOT_TOKEN_RESET':
      return { topic: topics.application(event.applicationId), message: { type: event.type, data: '{}' } };
    case 'TEAM_UPDATED':
      return { topic: topics.team(event.teamId), message: { type: event.type, data: '{}' } };
    case 'PORTAL_HOME_UPDATED':
      return { topic: topics.user(event.userId), message: { type: event.type, data: '{}' } };
  }
}

function messageEvent(
  type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
  message: MessageRecord,
  member: MemberFacts | null,
  options: WireOptions,
): Publication {
  // Reactions say which of them are the reader's own, and every reader gets the same event: caches keep what they have.
  const data = {
    ...renderMessage({ ...message, reactions: [] }, options),
    ...guildId(message.guildId),
    ...(member ? { member: renderMemberFacts(member) } : {}),
  };
  return {
    topic: channelTopic(message.guildId, message.channelId),
    message: {
      type,
      ...(message.guildId === null ? {} : { guildId: String(message.guildId) }),
      channelId: String(message.channelId),
      ...addresseesOf(message),
      data: JSON.stringify(data),
      redactedData: JSON.stringify(redactMessage(data)),
      ...(message.referenced
        ? { reply: { data: JSON.stringify(redactReferenced(data)), ...addresseesOf(message.referenced) } }
        : {}),
    },
  };
}

/** Who may read a message whatever their intents: its author, and those it mentions. */
function addresseesOf({ authorId, mentionedUsers }: MessageRecord): { authorId: string; mentionedUserIds: string[] } {
  return { authorId: String(authorId), mentionedUserIds: mentionedUsers.map((user) => String(user.id)) };
}

function inChannel(
  event: { type: string; guildId: bigint | null; channelId: bigint },
  data: object,
  userId?: bigint,
): Publication {
  return {
    topic: channelTopic(event.guildId, event.channelId),
    message: {
      type: event.type,
      ...(event.guildId === null ? {} : { guildId: String(event.guildId) }),
      channelId: String(event.channelId),
      ...(userId === undefined ? {} : { userId: String(userId) }),
      data: JSON.stringify(data),
    },
  };
}

function inGuild(type: string, id: bigint, data: object, userId?: bigint): Publication {
  return {
    topic: topics.guild(id),
    message: {
      type,
      guildId: String(id),
      ...(userId === undefined ? {} : { userId: String(userId) }),
      data: JSON.stringify(data),
    },
  };
}

/** An event of an invite: where it leads to, and what else there is to say of it. */
function ofInvite(type: string, { guildId: id, channelId, code }: Invite, more: object = {}): Publication {
  const place = { channel_id: String(channelId), guild_id: String(id) };
  return inChannel({ type, guildId: id, channelId }, { ...place, code, ...more });
}

/** Events of a guild's channels travel with the guild; those of a direct message under the channel itself. */
function channelTopic(guildIdOfChannel: bigint | null, channelId: bigint): string {
  return guildIdOfChannel === null ? `channel:${channelId}` : topics.guild(guildIdOfChannel);
}

function guildId(id: bigint | null): { guild_id?: string } {
  return id === null ? {} : { guild_id: String(id) };
}

function reactionPlace(event: { channelId: bigint; messageId: bigint; guildId: bigint | null }) {
  return { channel_id: String(event.channelId), message_id: String(event.messageId), ...guildId(event.guildId) };
}
