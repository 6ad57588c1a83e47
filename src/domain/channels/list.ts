import { type CallContext, requireUser } from '../call.js';
import { accessGuild, channelsWith } from '../guilds/access.js';
import { withLastMessages } from './last-messages.js';
import { type GuildChannelDetails, WITH_OVERWRITES } from './record.js';

/**
 * Ascending by position. A bot gets all channels, as on Discord, because libraries compute visibility. A person gets
 * visible channels.
 * @throws the errors of `accessGuild`
 */
export async function listChannels(call: CallContext, guildId: bigint): Promise<GuildChannelDetails[]> {
  const { user } = requireUser(call);
  const access = await accessGuild(call, guildId, 'viewGuild');
  const rows = await call.read.channel.findMany({
    where: { guildId },
    include: WITH_OVERWRITES,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  const channels = rows.map((row) => ({ ...row, guildId }));
  if (user.bot) return withLastMessages(call.read, channels);
  const visible = channelsWith(access, user.id, 'viewChannel');
  return withLastMessages(
    call.read,
    channels.filter(({ id }) => visible.has(id)),
  );
}
