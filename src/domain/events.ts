import type { Emoji, Invite, Role, User } from '../infra/database/index.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { GuildLogEntry } from './audit-log/guild-log.js';
import type { GuildChannelDetails, GuildChannelRecord } from './channels/record.js';
import type { CommandPermissions } from './command-permissions/record.js';
import type { GuildRecord } from './guilds/record.js';
import type { InteractionProgress } from './interactions/record.js';
import type { InteractionRequest } from './interactions/requests/request.js';
import type { MemberRecord, MemberSummary } from './members/record.js';
import type { MessageRecord } from './messages/record.js';
import type { ShownPresence } from './presences/record.js';
import type { VoiceStateRecord } from './voice/record.js';

interface Recipients {
  /**
   * The users in a direct channel, or the user and bot of an ephemeral message. If absent, all who can view the
   * channel.
   */
  recipientIds?: readonly bigint[];
}

export interface EventChannel extends Recipients {
  /** Null for direct channels and ephemeral messages. */
  guildId: bigint | null;
  channelId: bigint;
}

interface Embedding {
  /** The guild's clock when the member and the referenced message were read; 0 if unknown. */
  asOf?: number;
}

interface Access {
  /** Whether the change decides no access, such as a change of a color or topic. */
  keepsAccess?: boolean;
}

/** Contains everything that rendering needs, so that rendering is a pure function. */
export type DomainEvent =
  | ({ type: 'MESSAGE_CREATE'; message: MessageRecord; member: MemberSummary | null } & Recipients & Embedding)
  | ({ type: 'MESSAGE_UPDATE'; message: MessageRecord; member: MemberSummary | null } & Recipients & Embedding)
  | ({ type: 'MESSAGE_DELETE'; messageId: bigint } & EventChannel)
  | { type: 'MESSAGE_DELETE_BULK'; guildId: bigint; channelId: bigint; messageIds: readonly bigint[] }
  | ({ type: 'CHANNEL_PINS_UPDATE'; lastPinAt: Date | null } & EventChannel)
  | ({
      type: 'MESSAGE_REACTION_ADD';
      messageId: bigint;
      messageAuthorId: bigint;
      emoji: string;
      user: User;
      member: MemberSummary | null;
    } & EventChannel &
      Embedding)
  | ({ type: 'MESSAGE_REACTION_REMOVE'; messageId: bigint; emoji: string; userId: bigint } & EventChannel)
  | ({ type: 'MESSAGE_REACTION_REMOVE_ALL'; messageId: bigint } & EventChannel)
  | ({ type: 'MESSAGE_REACTION_REMOVE_EMOJI'; messageId: bigint; emoji: string } & EventChannel)
  | ({
      type: 'TYPING_START';
      user: User;
      member: MemberSummary | null;
      /** Milliseconds since the Unix epoch. */
      startedAt: number;
    } & EventChannel &
      Embedding)
  | { type: 'CHANNEL_CREATE'; channel: GuildChannelRecord }
  | ({ type: 'CHANNEL_UPDATE' } & GuildChannelDetails & Access)
  /** The channel before its deletion. */
  | ({ type: 'CHANNEL_DELETE' } & GuildChannelDetails)
  | { type: 'BOX_UPDATED'; boxId: bigint }
  | { type: 'BOX_DELETED'; boxId: bigint }
  | { type: 'BOX_ROUTES_UPDATED' }
  | { type: 'GUILD_CREATED'; guildId: bigint }
  | ({ type: 'GUILD_UPDATE'; guild: GuildRecord } & Access)
  | { type: 'GUILD_EMOJIS_UPDATE'; guildId: bigint; emojis: Emoji[] }
  | { type: 'GUILD_ROLE_CREATE'; role: Role }
  | ({ type: 'GUILD_ROLE_UPDATE'; role: Role } & Access)
  | { type: 'GUILD_ROLE_DELETE'; guildId: bigint; roleId: bigint }
  | { type: 'GUILD_MEMBER_ADD'; member: MemberRecord }
  | { type: 'GUILD_MEMBER_UPDATE'; member: MemberRecord }
  | { type: 'GUILD_MEMBER_REMOVE'; guildId: bigint; user: User }
  | {
      type: 'PRESENCE_UPDATE';
      guildId: bigint;
      presence: ShownPresence;
      /** Of the user's stream, when the presence was read. */
      clock: number;
    }
  | { type: 'VOICE_STATE_UPDATE'; state: VoiceStateRecord }
  | { type: 'GUILD_BAN_ADD'; guildId: bigint; user: User }
  | { type: 'GUILD_BAN_REMOVE'; guildId: bigint; user: User }
  /** A member's away note changed, or a box added a bot as a member. */
  | { type: 'MEMBERSHIP_UPDATED'; guildId: bigint; userId: bigint }
  | { type: 'INVITE_CREATE'; invite: Invite & { inviter: User } }
  | { type: 'INVITE_DELETE'; invite: Invite }
  | { type: 'WEBHOOKS_UPDATE'; applicationId: bigint; guildId: bigint; channelId: bigint }
  /** The list for one command, or for all commands of the application, was replaced. */
  | { type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE'; permissions: CommandPermissions }
  | { type: 'GUILD_AUDIT_LOG_ENTRY_CREATE'; entry: GuildLogEntry }
  /** A guild was deleted or became unreachable. Sessions drop it. GUILD_JOINED restores an unreachable guild. */
  | { type: 'GUILD_DELETE'; guildId: bigint; unavailable: boolean }
  /** A bot became a member, or its guild is reachable again. Sent as GUILD_CREATE. */
  | { type: 'GUILD_JOINED'; guildId: bigint; userId: bigint }
  /** A bot is no longer a member. Sent as GUILD_DELETE. */
  | { type: 'GUILD_LEFT'; guildId: bigint; userId: bigint }
  /** Sent to the bot's own sessions. */
  | { type: 'USER_UPDATE'; user: User }
  /** The application or its bot changed. */
  | {
      type: 'APPLICATION_UPDATED';
      applicationId: bigint;
      intents?: PrivilegedIntent[];
    }
  | { type: 'TEAM_UPDATED'; teamId: bigint }
  /** The portal home changed in a way that no other topic covers, such as an invitation. */
  | { type: 'PORTAL_HOME_UPDATED'; userId: bigint }
  | {
      type: 'INTERACTION_CREATE';
      request: InteractionRequest;
      interaction: { id: bigint; token: string };
      /** The listener that alone may take it. */
      listenerId?: string;
    }
  | { type: 'INTERACTION_UPDATED'; applicationId: bigint; interaction: InteractionProgress }
  /** A portal session of this person ended. */
  | { type: 'SESSION_ENDED'; userId: bigint }
  /** The person or application with this id was suspended, or the person was deleted. */
  | { type: 'SUSPENDED'; userId: bigint }
  | { type: 'RESTORED'; userId: bigint }
  /** An operator changed a limit. */
  | { type: 'LIMITS_UPDATED' }
  /** A person's name or avatar changed. */
  | { type: 'PERSON_UPDATED'; userId: bigint }
  | { type: 'TESTERS_UPDATED'; applicationId: bigint }
  | { type: 'APPLICATION_WEBHOOKS_UPDATED'; applicationId: bigint }
  | { type: 'COMMANDS_UPDATED'; applicationId: bigint; guildId: bigint | null }
  | { type: 'APPLICATION_EMOJIS_UPDATED'; applicationId: bigint }
  /** An installation, its grants or command permissions changed. */
  | { type: 'COMMAND_ACCESS_UPDATED'; applicationId: bigint }
  | { type: 'BOT_SESSIONS_UPDATED'; applicationId: bigint }
  | { type: 'CLIENT_SECRET_RESET'; applicationId: bigint }
  /** An operator suspended or restored the application. */
  | { type: 'APPLICATION_SUSPENSION_UPDATED'; applicationId: bigint }
  | { type: 'BOT_TOKEN_RESET'; applicationId: bigint };
