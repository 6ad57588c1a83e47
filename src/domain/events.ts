import type { Emoji, Invite, Role, User } from '../infra/database/index.js';
import type { PrivilegedIntent } from './applications/privileged-intents.js';
import type { GuildLogEntry } from './audit-log/guild-log.js';
import type { GuildChannelDetails, GuildChannelRecord } from './channels/record.js';
import type { CommandPermissions } from './command-permissions/record.js';
import type { GuildRecord } from './guilds/record.js';
import type { InteractionProgress } from './interactions/record.js';
import type { InteractionRequest } from './interactions/request.js';
import type { MemberFacts, MemberRecord } from './members/record.js';
import type { MessageRecord } from './messages/record.js';
import type { ShownPresence } from './presences/record.js';
import type { VoiceStateRecord } from './voice/record.js';

/** Who hears of what happens, where that is not everybody who sees a guild's channel. */
interface Recipients {
  /** Everybody in the direct channel, whoever acted among them; of an ephemeral message its person and its bot. */
  recipientIds?: readonly bigint[];
}

/** A channel in which something happened. */
export interface ChannelPlace extends Recipients {
  /** Null for a direct channel, and for an ephemeral message, which is told as if in one. */
  guildId: bigint | null;
  channelId: bigint;
}

/** What happened. Carries everything its rendering needs, so that rendering is a pure function. */
export type DomainEvent =
  | ({ type: 'MESSAGE_CREATE'; message: MessageRecord; member: MemberFacts | null } & Recipients)
  | ({ type: 'MESSAGE_UPDATE'; message: MessageRecord; member: MemberFacts | null } & Recipients)
  | ({ type: 'MESSAGE_DELETE'; messageId: bigint } & ChannelPlace)
  /** Several messages of a guild's channel at once. */
  | { type: 'MESSAGE_DELETE_BULK'; guildId: bigint; channelId: bigint; messageIds: readonly bigint[] }
  /** A message was pinned or unpinned; `lastPinAt` is when one was pinned last. */
  | ({ type: 'CHANNEL_PINS_UPDATE'; lastPinAt: Date | null } & ChannelPlace)
  | ({
      type: 'MESSAGE_REACTION_ADD';
      messageId: bigint;
      messageAuthorId: bigint;
      emoji: string;
      user: User;
      member: MemberFacts | null;
    } & ChannelPlace)
  | ({ type: 'MESSAGE_REACTION_REMOVE'; messageId: bigint; emoji: string; userId: bigint } & ChannelPlace)
  | ({ type: 'MESSAGE_REACTION_REMOVE_ALL'; messageId: bigint } & ChannelPlace)
  | ({ type: 'MESSAGE_REACTION_REMOVE_EMOJI'; messageId: bigint; emoji: string } & ChannelPlace)
  | ({
      type: 'TYPING_START';
      user: User;
      member: MemberFacts | null;
      /** Milliseconds since the Unix epoch. */
      startedAt: number;
    } & ChannelPlace)
  | { type: 'CHANNEL_CREATE'; channel: GuildChannelRecord }
  | ({ type: 'CHANNEL_UPDATE' } & GuildChannelDetails)
  /** As it was. */
  | ({ type: 'CHANNEL_DELETE' } & GuildChannelDetails)
  /** A box was renamed, has connected, or is away. */
  | { type: 'BOX_UPDATED'; boxId: bigint }
  /** It is gone, and nothing of it holds any more. */
  | { type: 'BOX_DELETED'; boxId: bigint }
  /** It is no longer as it was which guilds are on which boxes. */
  | { type: 'BOX_ROUTES_UPDATED' }
  /** A guild was made, with its first channels and its owner. */
  | { type: 'GUILD_CREATED'; guildId: bigint }
  | { type: 'GUILD_UPDATE'; guild: GuildRecord }
  /** A guild's emojis as they are now, all of them. */
  | { type: 'GUILD_EMOJIS_UPDATE'; guildId: bigint; emojis: Emoji[] }
  | { type: 'GUILD_ROLE_CREATE'; role: Role }
  | { type: 'GUILD_ROLE_UPDATE'; role: Role }
  | { type: 'GUILD_ROLE_DELETE'; guildId: bigint; roleId: bigint }
  | { type: 'GUILD_MEMBER_ADD'; member: MemberRecord }
  | { type: 'GUILD_MEMBER_UPDATE'; member: MemberRecord }
  | { type: 'GUILD_MEMBER_REMOVE'; guildId: bigint; user: User }
  /** A member of the guild is seen in another way. */
  | { type: 'PRESENCE_UPDATE'; guildId: bigint; presence: ShownPresence }
  /** Somebody joined, changed or left a guild's voice. */
  | { type: 'VOICE_STATE_UPDATE'; state: VoiceStateRecord }
  | { type: 'GUILD_BAN_ADD'; guildId: bigint; user: User }
  | { type: 'GUILD_BAN_REMOVE'; guildId: bigint; user: User }
  /** Somebody is away from a guild, or back, or a box made a bot a member: what is remembered of the membership is read anew. */
  | { type: 'MEMBERSHIP_UPDATED'; guildId: bigint; userId: bigint }
  | { type: 'INVITE_CREATE'; invite: Invite & { inviter: User } }
  /** An invite was taken back, or used as often as it could be. */
  | { type: 'INVITE_DELETE'; invite: Invite }
  /** A webhook of a guild's channel was made, changed or deleted. */
  | { type: 'WEBHOOKS_UPDATE'; applicationId: bigint; guildId: bigint; channelId: bigint }
  /** A guild's list for a command, or for all commands of its application, was replaced. */
  | { type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE'; permissions: CommandPermissions }
  | { type: 'GUILD_AUDIT_LOG_ENTRY_CREATE'; entry: GuildLogEntry }
  /**
   * A guild was deleted, or where it is `unavailable` cannot be reached any more: no session holds it, until GUILD_JOINED tells its bots that it
   * is back.
   */
  | { type: 'GUILD_DELETE'; guildId: bigint; unavailable: boolean }
  /** A bot became a member, or its guild can be reached again: its sessions are shown the whole guild (GUILD_CREATE). */
  | { type: 'GUILD_JOINED'; guildId: bigint; userId: bigint }
  /** A bot is no longer a member: its sessions lose the guild (GUILD_DELETE). */
  | { type: 'GUILD_LEFT'; guildId: bigint; userId: bigint }
  /** A bot's own user changed: its sessions are shown it anew. */
  | { type: 'USER_UPDATE'; user: User }
  /** An application changed, or its bot; whoever keeps a copy reads it anew. */
  | {
      type: 'APPLICATION_UPDATED';
      applicationId: bigint;
      /** Where its privileged intents changed: which are on now. */
      intents?: PrivilegedIntent[];
    }
  /** Anything of a team changed: itself, its members, its invitations, or which applications it owns. */
  | { type: 'TEAM_UPDATED'; teamId: bigint }
  /**
   * A person's portal home changed, in what no topic that it listens to tells: their open invitations, the name or icon of what invites them, or
   * what is theirs.
   */
  | { type: 'PORTAL_HOME_UPDATED'; userId: bigint }
  /** Somebody asked something of an application: one of its bot's sessions gets it. */
  | { type: 'INTERACTION_CREATE'; request: InteractionRequest; interaction: { id: bigint; token: string } }
  /** An interaction came into a state, or something of it was noted. */
  | { type: 'INTERACTION_UPDATED'; applicationId: bigint; interaction: InteractionProgress }
  /** A person signed out somewhere; whoever keeps that person's sessions asks for them anew. */
  | { type: 'SESSION_ENDED'; userId: bigint }
  /** A person's name or avatar is another one; whoever remembers them with their sessions reads them anew. */
  | { type: 'PERSON_UPDATED'; userId: bigint }
  /** Somebody was invited to test an application, answered, or was taken off the list. */
  | { type: 'TESTERS_UPDATED'; applicationId: bigint }
  /** A webhook of the application was made, changed or deleted. */
  | { type: 'APPLICATION_WEBHOOKS_UPDATED'; applicationId: bigint }
  /** Commands were registered, changed or deleted: those of a guild, or those that are everywhere. */
  | { type: 'COMMANDS_UPDATED'; applicationId: bigint; guildId: bigint | null }
  /** An emoji of the application was made, renamed or removed. */
  | { type: 'APPLICATION_EMOJIS_UPDATED'; applicationId: bigint }
  /** An application was installed or removed somewhere, also with other grants, or somebody said who may run its commands. */
  | { type: 'COMMAND_ACCESS_UPDATED'; applicationId: bigint }
  /** Sessions of its bot began or ended. */
  | { type: 'BOT_SESSIONS_UPDATED'; applicationId: bigint }
  | { type: 'CLIENT_SECRET_RESET'; applicationId: bigint }
  /** The bot token was replaced; sessions that used the old one end. */
  | { type: 'BOT_TOKEN_RESET'; applicationId: bigint };
