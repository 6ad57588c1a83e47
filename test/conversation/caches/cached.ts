import {
  type Client,
  type Guild,
  type GuildBasedChannel,
  type Message,
  NewsChannel,
  type NonThreadGuildBasedChannel,
  TextChannel,
  VoiceChannel,
} from 'discord.js';
import { byId, type KnownGuild, type Onlooker } from './known.js';

const idOf = ({ id }: { id: string }) => id;

export function cachedGuild(client: Client<true>, guildId: string, onlooker: Onlooker): KnownGuild {
  const guild = guildOf(client, guildId);
  const { hearsOfModeration } = onlooker;
  return {
    settings: {
      name: guild.name,
      description: guild.description,
      icon: guild.icon,
      ownerId: guild.ownerId,
      afkChannelId: guild.afkChannelId,
      afkTimeout: guild.afkTimeout,
      systemChannelId: guild.systemChannelId,
      systemChannelFlags: guild.systemChannelFlags.bitfield,
      verificationLevel: guild.verificationLevel,
      defaultMessageNotifications: guild.defaultMessageNotifications,
      explicitContentFilter: guild.explicitContentFilter,
      preferredLocale: guild.preferredLocale,
      memberCount: guild.memberCount,
    },
    channels: byId(channelsOf(guild), idOf, (channel) => ({
      type: channel.type,
      name: channel.name,
      position: channel.rawPosition,
      parentId: channel.parentId,
      overwrites: byId(channel.permissionOverwrites.cache.values(), idOf, ({ type, allow, deny }) => ({
        type,
        allow: allow.bitfield,
        deny: deny.bitfield,
      })),
      ...settingsOf(channel, onlooker),
    })),
    roles: byId(guild.roles.cache.values(), idOf, (role) => ({
      name: role.name,
      color: role.colors.primaryColor,
      hoist: role.hoist,
      mentionable: role.mentionable,
      managed: role.managed,
      position: role.rawPosition,
      permissions: role.permissions.bitfield,
      botId: role.tags?.botId ?? null,
    })),
    members: byId(guild.members.cache.values(), idOf, (member) => ({
      username: member.user.username,
      globalName: member.user.globalName,
      avatar: member.user.avatar,
      bot: member.user.bot,
      nick: member.nickname,
      joinedAt: member.joinedTimestamp,
      timedOutUntil: member.communicationDisabledUntilTimestamp,
      roles: [...member.roles.cache.keys()].filter((id) => id !== guildId).sort(),
    })),
    emojis: byId(guild.emojis.cache.values(), idOf, ({ name, animated, roles }) => ({
      ...{ name, animated },
      roles: [...roles.cache.keys()].sort(),
    })),
    voice: byId(
      guild.voiceStates.cache.filter(({ channelId }) => channelId !== null).values(),
      idOf,
      ({ channelId, sessionId, selfMute, selfDeaf, suppress, serverMute, serverDeaf }) => ({
        ...{ channelId, sessionId, selfMute, selfDeaf, suppress },
        mute: serverMute,
        deaf: serverDeaf,
      }),
    ),
    presences: byId(
      guild.presences.cache.filter(({ userId, status }) => userId !== onlooker.id && status !== 'offline').values(),
      ({ userId }) => userId,
      ({ status, activities }) => ({ status, activities: activities.map(({ name, type }) => ({ name, type })) }),
    ),
    bans: hearsOfModeration ? [...guild.bans.cache.keys()].sort() : [],
    invites: hearsOfModeration ? [...guild.invites.cache.keys()].sort() : [],
    messages: messagesOf(guild, onlooker),
  };
}

function guildOf(client: Client<true>, guildId: string): Guild {
  const guild = client.guilds.cache.get(guildId);
  if (!guild) throw new Error('the client does not have the guild');
  return guild;
}

/** Checks that both channel lists of a client are equal. */
function channelsOf(guild: Guild): NonThreadGuildBasedChannel[] {
  const all = guild.client.channels.cache.filter((channel) => 'guildId' in channel && channel.guildId === guild.id);
  const own = [...guild.channels.cache.values()];
  if (all.size !== own.length) throw new Error('the client has other channels than its guild');
  return own.filter((channel): channel is NonThreadGuildBasedChannel => !channel.isThread());
}

function settingsOf(channel: GuildBasedChannel, { hears }: Onlooker): object {
  if (channel instanceof TextChannel || channel instanceof NewsChannel) {
    const { topic, nsfw } = channel;
    return {
      ...{ topic, nsfw },
      ...(channel instanceof TextChannel ? { rateLimitPerUser: channel.rateLimitPerUser } : {}),
      ...(hears?.includes(channel.id) === false ? {} : { lastPinAt: channel.lastPinTimestamp ?? null }),
    };
  }
  if (channel instanceof VoiceChannel) {
    const { nsfw, rateLimitPerUser, bitrate, userLimit } = channel;
    return { nsfw, rateLimitPerUser, bitrate, userLimit };
  }
  return {};
}

function messagesOf(guild: Guild, { hears, hidden, reacts }: Onlooker) {
  const channels = channelsOf(guild).filter(({ id }) => hears?.includes(id) !== false || hidden.includes(id));
  const messages: Message[] = channels.flatMap((channel) =>
    channel.isTextBased() ? [...channel.messages.cache.values()] : [],
  );
  return byId(messages, idOf, (message) => ({
    channelId: message.channelId,
    authorId: message.author.id,
    type: message.type,
    content: message.content,
    titles: message.embeds.map(({ title }) => title),
    pinned: message.pinned,
    editedAt: message.editedTimestamp,
    repliesTo: message.reference?.messageId ?? null,
    reactions: reactionsOf(message, reacts),
  }));
}

function reactionsOf({ reactions }: Message, reacts: boolean) {
  const made = reactions.cache.filter(({ users }) => users.cache.size > 0);
  return byId(
    made,
    ([key]) => key,
    ([, { users, count }]) => ({ users: [...users.cache.keys()].sort(), ...(reacts ? {} : { count }) }),
  );
}

export function newestCached(client: Client<true>, channelId: string): string | null {
  const channel = client.channels.cache.get(channelId);
  return channel?.isTextBased() ? (channel.lastMessageId ?? null) : null;
}
