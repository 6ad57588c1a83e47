import { GatewayDispatchEvents as Event, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import type { PrivilegedIntents } from '../domain/applications/index.js';
import { Permission } from '../domain/permissions.js';

/** Who gets an event that happened in a guild. */
export interface EventRule {
  /** The intent that asks for it; 0 for an event that is always sent. */
  intent: number;
  /** Permission bits the bot needs in the event's channel, where the event has one. */
  inChannel?: bigint;
  /** Permission bits of which the bot needs any in the guild. */
  anyInGuild?: bigint;
}

const ALWAYS: EventRule = { intent: 0 };
const NOT_FROM_A_GUILD = ALWAYS;
const asks = (intent: Intent): EventRule => ({ intent });
const GUILDS = asks(Intent.Guilds);
const MEMBERS = asks(Intent.GuildMembers);
const EXPRESSIONS = asks(Intent.GuildExpressions);
const INTEGRATIONS = asks(Intent.GuildIntegrations);
const INVITES: EventRule = { intent: Intent.GuildInvites, inChannel: Permission.ManageChannels };
const MESSAGES: EventRule = { intent: Intent.GuildMessages, inChannel: Permission.ViewChannel };
const REACTIONS: EventRule = { intent: Intent.GuildMessageReactions, inChannel: Permission.ViewChannel };
const POLLS: EventRule = { intent: Intent.GuildMessagePolls, inChannel: Permission.ViewChannel };
const BANS: EventRule = {
  intent: Intent.GuildModeration,
  anyInGuild: Permission.BanMembers | Permission.ViewAuditLog,
};
const SCHEDULED = asks(Intent.GuildScheduledEvents);
const AUTO_MODERATION_RULES: EventRule = {
  intent: Intent.AutoModerationConfiguration,
  anyInGuild: Permission.ManageGuild,
};

/** The reference platform's list of intents, and the permissions its events name. */
const RULES: Record<Event, EventRule> = {
  [Event.ApplicationCommandPermissionsUpdate]: ALWAYS,
  [Event.AutoModerationActionExecution]: {
    intent: Intent.AutoModerationExecution,
    anyInGuild: Permission.ManageGuild,
  },
  [Event.AutoModerationRuleCreate]: AUTO_MODERATION_RULES,
  [Event.AutoModerationRuleDelete]: AUTO_MODERATION_RULES,
  [Event.AutoModerationRuleUpdate]: AUTO_MODERATION_RULES,
  [Event.ChannelCreate]: GUILDS,
  [Event.ChannelDelete]: GUILDS,
  [Event.ChannelInfo]: NOT_FROM_A_GUILD,
  [Event.ChannelPinsUpdate]: { intent: Intent.Guilds, inChannel: Permission.ViewChannel },
  [Event.ChannelUpdate]: GUILDS,
  [Event.EntitlementCreate]: NOT_FROM_A_GUILD,
  [Event.EntitlementDelete]: NOT_FROM_A_GUILD,
  [Event.EntitlementUpdate]: NOT_FROM_A_GUILD,
  [Event.GuildAuditLogEntryCreate]: { intent: Intent.GuildModeration, anyInGuild: Permission.ViewAuditLog },
  [Event.GuildBanAdd]: BANS,
  [Event.GuildBanRemove]: BANS,
  [Event.GuildCreate]: GUILDS,
  [Event.GuildDelete]: GUILDS,
  [Event.GuildEmojisUpdate]: EXPRESSIONS,
  [Event.GuildIntegrationsUpdate]: INTEGRATIONS,
  [Event.GuildMemberAdd]: MEMBERS,
  [Event.GuildMemberRemove]: MEMBERS,
  [Event.GuildMembersChunk]: NOT_FROM_A_GUILD,
  [Event.GuildMemberUpdate]: MEMBERS,
  [Event.GuildRoleCreate]: GUILDS,
  [Event.GuildRoleDelete]: GUILDS,
  [Event.GuildRoleUpdate]: GUILDS,
  [Event.GuildScheduledEventCreate]: SCHEDULED,
  [Event.GuildScheduledEventDelete]: SCHEDULED,
  [Event.GuildScheduledEventUpdate]: SCHEDULED,
  [Event.GuildScheduledEventUserAdd]: SCHEDULED,
  [Event.GuildScheduledEventUserRemove]: SCHEDULED,
  [Event.GuildSoundboardSoundCreate]: EXPRESSIONS,
  [Event.GuildSoundboardSoundDelete]: EXPRESSIONS,
  [Event.GuildSoundboardSoundsUpdate]: EXPRESSIONS,
  [Event.GuildSoundboardSoundUpdate]: EXPRESSIONS,
  [Event.SoundboardSounds]: NOT_FROM_A_GUILD,
  [Event.GuildStickersUpdate]: EXPRESSIONS,
  [Event.GuildUpdate]: GUILDS,
  [Event.IntegrationCreate]: INTEGRATIONS,
  [Event.IntegrationDelete]: INTEGRATIONS,
  [Event.IntegrationUpdate]: INTEGRATIONS,
  [Event.InteractionCreate]: NOT_FROM_A_GUILD,
  [Event.InviteCreate]: INVITES,
  [Event.InviteDelete]: INVITES,
  [Event.MessageCreate]: MESSAGES,
  [Event.MessageDelete]: MESSAGES,
  [Event.MessageDeleteBulk]: MESSAGES,
  [Event.MessagePollVoteAdd]: POLLS,
  [Event.MessagePollVoteRemove]: POLLS,
  [Event.MessageReactionAdd]: REACTIONS,
  [Event.MessageReactionRemove]: REACTIONS,
  [Event.MessageReactionRemoveAll]: REACTIONS,
  [Event.MessageReactionRemoveEmoji]: REACTIONS,
  [Event.MessageUpdate]: MESSAGES,
  [Event.PresenceUpdate]: asks(Intent.GuildPresences),
  [Event.RateLimited]: NOT_FROM_A_GUILD,
  [Event.Ready]: NOT_FROM_A_GUILD,
  [Event.Resumed]: NOT_FROM_A_GUILD,
  [Event.StageInstanceCreate]: GUILDS,
  [Event.StageInstanceDelete]: GUILDS,
  [Event.StageInstanceUpdate]: GUILDS,
  [Event.SubscriptionCreate]: NOT_FROM_A_GUILD,
  [Event.SubscriptionDelete]: NOT_FROM_A_GUILD,
  [Event.SubscriptionUpdate]: NOT_FROM_A_GUILD,
  [Event.ThreadCreate]: GUILDS,
  [Event.ThreadDelete]: GUILDS,
  [Event.ThreadListSync]: GUILDS,
  [Event.ThreadMembersUpdate]: GUILDS,
  [Event.ThreadMemberUpdate]: GUILDS,
  [Event.ThreadUpdate]: GUILDS,
  [Event.TypingStart]: { intent: Intent.GuildMessageTyping, inChannel: Permission.ViewChannel },
  [Event.UserUpdate]: NOT_FROM_A_GUILD,
  [Event.VoiceChannelEffectSend]: asks(Intent.GuildVoiceStates),
  [Event.VoiceChannelStartTimeUpdate]: GUILDS,
  [Event.VoiceChannelStatusUpdate]: GUILDS,
  [Event.VoiceServerUpdate]: NOT_FROM_A_GUILD,
  [Event.VoiceStateUpdate]: asks(Intent.GuildVoiceStates),
  [Event.WebhooksUpdate]: { intent: Intent.GuildWebhooks, inChannel: Permission.ManageWebhooks },
};

const RULES_BY_NAME: ReadonlyMap<string, EventRule> = new Map(Object.entries(RULES));

/** The rule for an event of a guild, or undefined for what is no gateway event: such never leaves the platform. */
export function ruleOf(type: string): EventRule | undefined {
  return RULES_BY_NAME.get(type);
}

const KNOWN_INTENTS = Object.values(Intent).reduce<number>(
  (all, bit) => (typeof bit === 'number' ? all | bit : all),
  0,
);

/** Whether a number is made of intents that exist, and of nothing else. */
export function areIntents(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= KNOWN_INTENTS && (value & ~KNOWN_INTENTS) === 0;
}

/** Whether `intents` ask for a privileged one that is switched off. */
export function asksTooMuch(intents: number, on: PrivilegedIntents): boolean {
  const off =
    (on.guildMembers ? 0 : Intent.GuildMembers) |
    (on.presences ? 0 : Intent.GuildPresences) |
    (on.messageContent ? 0 : Intent.MessageContent);
  return (intents & off) !== 0;
}
