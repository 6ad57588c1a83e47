import type { Reader } from '../../infra/database/index.js';
import { idSpaceOf } from '../../infra/ids/ids.js';
import type { AnnouncedGuild } from './event-log.js';

const PAGE = 100;

/** In ascending order of ids (docs/relay.md, R-32). */
export async function* announcements(reader: Reader, idSpace: number): AsyncIterable<AnnouncedGuild> {
  for (let after = 0n; ; ) {
    const where = { id: { gt: after }, deletedAt: null };
    const page = await reader.guild.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: PAGE });
    for (const { id } of page) {
      const guild = await announcementOf(reader, idSpace, id);
      if (guild) yield guild;
      after = id;
    }
    if (page.length < PAGE) return;
  }
}

/** Contains only bots of the cloud. Null if the guild was deleted. */
export async function announcementOf(reader: Reader, idSpace: number, id: bigint): Promise<AnnouncedGuild | null> {
  const [guild, channels, bots] = await Promise.all([
    reader.guild.findUnique({ where: { id, deletedAt: null } }),
    reader.channel.findMany({ where: { guildId: id }, select: { id: true } }),
    reader.member.findMany({ where: { guildId: id, user: { bot: true } }, select: { userId: true } }),
  ]);
  return (
    guild && {
      id: String(id),
      name: guild.name,
      icon: guild.iconHash,
      owner_id: String(guild.ownerId),
      channels: channels.map((channel) => String(channel.id)),
      bots: bots.flatMap(({ userId }) => (idSpaceOf(userId) === idSpace ? [] : [String(userId)])),
    }
  );
}
