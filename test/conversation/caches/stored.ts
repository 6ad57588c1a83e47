import { ChannelType } from 'discord-api-types/v10';
import type { Channel } from '../../../src/infra/database/index.js';
import type { Cast } from './cast.js';
import { byId, type KnownGuild, type Onlooker } from './known.js';

/** The guild in the database, restricted to the parts that the bot could see. */
export async function storedGuild(cast: Pick<Cast, 'guild' | 'server'>, onlooker: Onlooker): Promise<KnownGuild> {
  const guildId = BigInt(cast.guild.id);
  const { reader } = cast.server.app.db;
  const where = { guildId };
  const guild = await reader.guild.findUniqueOrThrow({ where: { id: guildId } });
  const channels = await reader.channel.findMany({ where, include: { overwrites: true } });
  const members = await reader.member.findMany({ where, include: { user: true, roles: true } });
  const roles = await reader.role.findMany({ where });
  const emojis = await reader.emoji.findMany({ where });
  const bans = await reader.ban.findMany({ where });
  const invites = await reader.invite.findMany({ where });
  const voiceStates = await reader.voiceState.findMany({ where });
  const memberOf = new Map(members.map((member) => [member.userId, member]));
  const { hearsOfModeration } = onlooker;
  return {
    settings: {
      name: guild.name,
      description: guild.description,
      icon: guild.iconHash,
      ownerId: String(guild.ownerId),
      afkChannelId: guild.afkChannelId && String(guild.afkChannelId),
      afkTimeout: guild.afkTimeout,
      systemChannelId: guild.systemChannelId && String(guild.systemChannelId),
      systemChannelFlags: guild.systemChannelFlags,
      verificationLevel: guild.verificationLevel,
      defaultMessageNotifications: guild.defaultMessageNotifications,
      explicitContentFilter: guild.explicitContentFilter,
      preferredLocale: guild.preferredLocale,
      memberCount: members.length,
    },
    channels: byId(
      channels,
      ({ id }) => String(id),
      (channel) => ({
        type: channel.type,
        name: channel.name,
        position: channel.position,
        parentId: channel.parentId && String(channel.parentId),
        overwrites: byId(
          channel.overwrites,
          ({ targetId }) => String(targetId),
          ({ targetType, allow, deny }) => ({ type: targetType, allow, deny }),
        ),
        ...settingsOf(channel, onlooker),
      }),
    ),
    roles: byId(
      roles,
      ({ id }) => String(id),
      ({ name, color, hoist, mentionable, managed, position, permissions, applicationId }) => ({
        ...{ name, color, hoist, mentionable, managed, position, permissions },
        botId: applicationId && String(applicationId),
      }),
    ),
    members: byId(
      members,
      ({ userId }) => String(userId),
      ({ user, ...member }) => ({
        username: user.username,
        globalName: user.globalName,
        avatar: user.avatarHash,
        bot: user.bot,
        nick: member.nick,
        joinedAt: member.joinedAt.getTime(),
        timedOutUntil: member.communicationDisabledUntil?.getTime() ?? null,
        roles: member.roles.map(({ roleId }) => String(roleId)).sort(),
      }),
    ),
    emojis: byId(
      emojis,
      ({ id }) => String(id),
      ({ name, animated, roleIds }) => ({ name, animated, roles: (roleIds as string[]).toSorted() }),
    ),
    voice: byId(
      voiceStates,
      ({ userId }) => String(userId),
      ({ userId, channelId, sessionId, selfMute, selfDeaf, suppress }) => ({
        ...{ channelId: String(channelId), sessionId, selfMute, selfDeaf, suppress },
        mute: memberOf.get(userId)?.mute,
        deaf: memberOf.get(userId)?.deaf,
      }),
    ),
    presences: await presencesOf(cast, [...memberOf.keys()], onlooker),
    bans: hearsOfModeration ? bans.map(({ userId }) => String(userId)).sort() : [],
    invites: hearsOfModeration ? invites.map(({ code }) => code).sort() : [],
    messages: await messagesOf(cast, channels, onlooker),
  };
}

function settingsOf(channel: Channel, { hears }: Onlooker): object {
  const { topic, nsfw, rateLimitPerUser, bitrate, userLimit, lastPinAt } = channel;
  switch (channel.type) {
    case ChannelType.GuildText:
    case ChannelType.GuildAnnouncement:
      return {
        ...{ topic, nsfw },
        ...(channel.type === ChannelType.GuildText ? { rateLimitPerUser } : {}),
        ...(hears?.includes(String(channel.id)) === false ? {} : { lastPinAt: lastPinAt?.getTime() ?? null }),
      };
    case ChannelType.GuildVoice:
      return { nsfw, rateLimitPerUser, bitrate, userLimit };
    default:
      return {};
  }
}

/** The latest presence of each user, over all their connections. */
async function presencesOf({ server }: Pick<Cast, 'server'>, userIds: bigint[], { id: ownId }: Onlooker) {
  const rows = await server.app.db.reader.presence.findMany({
    where: { userId: { in: userIds } },
    orderBy: { statementId: 'asc' },
  });
  const latest = new Map(rows.map((row) => [String(row.userId), row]));
  const seen = [...latest].filter(([userId, { status }]) => userId !== ownId && status !== 'invisible');
  return byId(
    seen,
    ([userId]) => userId,
    ([, { status, activities }]) => ({
      status,
      activities: (activities as { name: string; type: number }[]).map(({ name, type }) => ({ name, type })),
    }),
  );
}

async function messagesOf({ server }: Pick<Cast, 'server'>, channels: Channel[], { hears, reacts }: Onlooker) {
  const ids = channels.map(({ id }) => id).filter((id) => hears?.includes(String(id)) ?? true);
  const messages = await server.app.db.reader.message.findMany({
    where: { channelId: { in: ids }, visibleToId: null },
    include: { reactions: true },
  });
  return byId(
    messages,
    ({ id }) => String(id),
    (message) => ({
      channelId: String(message.channelId),
      authorId: String(message.authorId),
      type: message.type,
      content: message.content,
      titles: (message.embeds as { title?: string }[]).map(({ title }) => title ?? null),
      pinned: message.pinned,
      editedAt: message.editedAt?.getTime() ?? null,
      repliesTo: message.referenceId && String(message.referenceId),
      reactions: reactionsOf(message.reactions, reacts),
    }),
  );
}

function reactionsOf(rows: { emoji: string; userId: bigint }[], reacts: boolean) {
  const users = new Map<string, string[]>();
  for (const { emoji, userId } of rows) {
    const key = /:(\d+)$/.exec(emoji)?.[1] ?? emoji;
    users.set(key, [...(users.get(key) ?? []), String(userId)]);
  }
  return byId(
    users,
    ([key]) => key,
    ([, ids]) => ({ users: ids.sort(), ...(reacts ? {} : { count: ids.length }) }),
  );
}

export async function newestStored({ server }: Cast, channelId: string): Promise<string | undefined> {
  const where = { channelId: BigInt(channelId), visibleToId: null };
  const newest = await server.app.db.reader.message.findFirst({ where, orderBy: { id: 'desc' }, select: { id: true } });
  return newest ? String(newest.id) : undefined;
}
