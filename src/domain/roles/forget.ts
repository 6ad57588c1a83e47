import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import type { Role } from '../../infra/database/index.js';
import type { Write } from '../call.js';
import { withLastMessages } from '../channels/last-messages.js';
import { WITH_OVERWRITES } from '../channels/record.js';
import { removeFromLists } from '../command-permissions/remove.js';
import { removeFromEmojis } from '../emojis/roles.js';

/** Removes the role's channel overwrites, emoji restrictions and command permissions. */
export async function forgetRole(write: Write, role: Pick<Role, 'id' | 'guildId'>): Promise<void> {
  await removeOverwrites(write, role);
  await removeFromEmojis(write, role);
  await removeFromLists(write, role.guildId, { targetType: Target.Role, targetId: role.id });
}

async function removeOverwrites(
  { db, record }: Write,
  { id: targetId, guildId }: Pick<Role, 'id' | 'guildId'>,
): Promise<void> {
  const overwrites = await db.channelOverwrite.findMany({
    where: { targetId, channel: { guildId } },
    select: { channelId: true },
  });
  if (overwrites.length === 0) return;
  const channelIds = overwrites.map(({ channelId }) => channelId);
  await db.channelOverwrite.deleteMany({ where: { targetId, channelId: { in: channelIds } } });
  const channels = await db.channel.findMany({
    where: { id: { in: channelIds } },
    include: WITH_OVERWRITES,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  const details = await withLastMessages(
    db,
    channels.map((channel) => ({ ...channel, guildId })),
  );
  for (const channel of details) record({ type: 'CHANNEL_UPDATE', ...channel });
}
