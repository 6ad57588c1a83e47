import { arrayEntry, type ExportEntry, type ExportSource, pagesOf, ROWS_PER_PAGE } from './entries.js';

/** Servers on boxes are not among them, because their data is on the boxes. */
export function serversEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { guildId: bigint } | undefined) =>
    read.member.findMany({
      where: { userId, ...(last && { guildId: { gt: last.guildId } }) },
      orderBy: { guildId: 'asc' },
      take: ROWS_PER_PAGE,
      include: { guild: true, roles: { include: { role: true } } },
    }),
  );
  return arrayEntry(
    'servers.json',
    mapped(pages, ({ guild, roles, ...member }) => ({
      id: guild.id,
      name: guild.name,
      isOwner: guild.ownerId === userId,
      joinedAt: member.joinedAt,
      nickname: member.nick,
      roles: roles.map(({ role }) => ({ id: role.id, name: role.name })),
      timedOutUntil: member.communicationDisabledUntil,
      isMuted: member.mute,
      isDeafened: member.deaf,
      isTemporary: member.temporary,
      awayMessage: member.awayMessage,
      awaySince: member.awaySince,
    })),
  );
}

export function directChannelsEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { channelId: bigint } | undefined) =>
    read.channelRecipient.findMany({
      where: { userId, ...(last && { channelId: { gt: last.channelId } }) },
      orderBy: { channelId: 'asc' },
      take: ROWS_PER_PAGE,
      select: { channelId: true, channel: { select: { recipients: { select: { user: { select: OTHER } } } } } },
    }),
  );
  return arrayEntry(
    'direct-channels.json',
    mapped(pages, ({ channelId, channel }) => ({
      id: channelId,
      with: channel.recipients.map(({ user }) => user).filter(({ id }) => id !== userId),
    })),
  );
}

const OTHER = { id: true, username: true, globalName: true } as const;

export function teamsEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { teamId: bigint } | undefined) =>
    read.teamMember.findMany({
      where: { userId, ...(last && { teamId: { gt: last.teamId } }) },
      orderBy: { teamId: 'asc' },
      take: ROWS_PER_PAGE,
      include: { team: true },
    }),
  );
  return arrayEntry(
    'teams.json',
    mapped(pages, ({ team, role, joinedAt }) => ({
      id: team.id,
      name: team.name,
      isOwner: team.ownerUserId === userId,
      role,
      joinedAt,
    })),
  );
}

export function boxesEntry({ read, userId }: ExportSource): ExportEntry {
  const pages = pagesOf((last: { id: bigint } | undefined) =>
    read.box.findMany({
      where: { ownerId: userId, ...(last && { id: { gt: last.id } }) },
      orderBy: { id: 'asc' },
      take: ROWS_PER_PAGE,
      select: {
        id: true,
        name: true,
        lastSeenAt: true,
        protocolVersion: true,
        guilds: { orderBy: { id: 'asc' }, select: { id: true, name: true } },
      },
    }),
  );
  return arrayEntry(
    'boxes.json',
    mapped(pages, ({ guilds: servers, ...box }) => ({ ...box, servers })),
  );
}

export async function* mapped<Row, Shown extends object>(
  pages: AsyncIterable<Row[]>,
  show: (row: Row) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const page of pages) yield page.map(show);
}
