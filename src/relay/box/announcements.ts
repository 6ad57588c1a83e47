import type { Reader } from '../../infra/database/index.js';
import { idSpaceOf } from '../../infra/ids.js';
import type { AnnouncedGuild } from './event-log.js';

/** Guilds of one query. */
const PAGE = 100;

/** All of a box's guilds as they are announced (docs/relay.md, R-32), in ascending order of their ids. */
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

/** One of a box's guilds as it is announced; null where it is gone. Of its bots, those are told of that are the cloud's. */
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
