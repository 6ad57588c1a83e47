import { ChannelType } from 'discord-api-types/v10';
import type { Cast } from './cast.js';

/** The targets of operations, each list by age. `targets` are the subjects of overwrites. */
export interface Picture {
  channels: { id: string; type: number; targets: string[] }[];
  texts: string[];
  voices: string[];
  categories: string[];
  /** Without `@everyone`. */
  roles: { id: string; managed: boolean }[];
  /** Ids of members except the owner and bots. */
  members: string[];
  /** Ids of users in voice, the owner included. */
  inVoice: string[];
  banned: string[];
  emojis: { id: string; name: string }[];
  invites: string[];
  messages: { id: string; channelId: string; authorId: string; pinned: boolean; emojis: string[] }[];
}

const NEWEST = 40;

export async function takePicture({ server, guild, owner, people }: Cast): Promise<Picture> {
  const { reader } = server.app.db;
  const guildId = BigInt(guild.id);
  const ids = new Set(people.map(({ id }) => id));
  const inGuild = { where: { guildId }, orderBy: { id: 'asc' } } as const;
  const ofUsers = { where: { guildId }, orderBy: { userId: 'asc' }, select: { userId: true } } as const;
  const [channels, roles, members, voiceStates, bans, emojis, invites, messages] = await Promise.all([
    reader.channel.findMany({ ...inGuild, include: { overwrites: { orderBy: { targetId: 'asc' } } } }),
    reader.role.findMany({ ...inGuild, where: { guildId, id: { not: guildId } } }),
    reader.member.findMany(ofUsers),
    reader.voiceState.findMany(ofUsers),
    reader.ban.findMany(ofUsers),
    reader.emoji.findMany(inGuild),
    reader.invite.findMany({ where: { guildId }, orderBy: { createdAt: 'asc' } }),
    reader.message.findMany({
      where: { channel: { guildId } },
      orderBy: { id: 'desc' },
      take: NEWEST,
      include: { reactions: { orderBy: { createdAt: 'asc' } } },
    }),
  ]);
  const idsOf = (...types: number[]) => channels.filter(({ type }) => types.includes(type)).map(({ id }) => String(id));
  const peopleOf = (rows: { userId: bigint }[]) =>
    rows.map(({ userId }) => String(userId)).filter((userId) => ids.has(userId));
  return {
    channels: channels.map(({ id, type, overwrites }) => ({
      id: String(id),
      type,
      targets: overwrites.map(({ targetId }) => String(targetId)),
    })),
    texts: idsOf(ChannelType.GuildText, ChannelType.GuildAnnouncement),
    voices: idsOf(ChannelType.GuildVoice),
    categories: idsOf(ChannelType.GuildCategory),
    roles: roles.map(({ id, managed }) => ({ id: String(id), managed })),
    members: peopleOf(members),
    inVoice: [
      ...peopleOf(voiceStates),
      ...voiceStates.map(({ userId }) => String(userId)).filter((id) => id === owner.id),
    ],
    banned: peopleOf(bans),
    emojis: emojis.map(({ id, name }) => ({ id: String(id), name })),
    invites: invites.map(({ code }) => code),
    messages: messages.map(({ id, channelId, authorId, pinned, reactions }) => ({
      id: String(id),
      channelId: String(channelId),
      authorId: String(authorId),
      pinned,
      emojis: [...new Set(reactions.map(({ emoji }) => emoji))],
    })),
  };
}
