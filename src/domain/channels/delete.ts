import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeFromLists } from '../command-permissions/remove.js';
import { accessGuildChannel } from '../guilds/access.js';
import { WITH_ROLES_AND_EMOJIS } from '../guilds/record.js';
import { endVoice } from '../voice/leave.js';
import { publishUnusable } from '../webhooks/write.js';
import { auditedChannel } from './audited.js';
import { findGuildChannel } from './find.js';
import { type ChannelDetails, closeDirectChannel } from './get.js';
import { withLastMessage, withLastMessages } from './last-messages.js';
import { type GuildChannelDetails, type GuildChannelRecord, WITH_OVERWRITES } from './record.js';

/**
 * Keeps the channels of a deleted category. A job removes the messages. Needs ManageChannels in the channel.
 * @returns the deleted channel
 * @throws the errors of `accessGuildChannel`
 */
export async function deleteChannel(call: CallContext, channelId: bigint): Promise<GuildChannelDetails> {
  const place = await accessGuildChannel(call, channelId, 'deleteChannel');
  return call.write(
    async (write) => {
      const channel = await findGuildChannel(write.db, place);
      const details = await withLastMessage(write.db, channel);
      await releaseChildren(write, channel);
      await forgetInGuild(write, channel);
      await detach(call, write, channelId);
      const { guildId } = channel;
      await write.audit({ action: 'CHANNEL_DELETE', guildId, targetId: channelId, changes: auditedChannel(channel) });
      write.record({ type: 'CHANNEL_DELETE', ...details });
      await publishUnusable(write, { channelId });
      return details;
    },
    { streams: [topics.guild(place.guildId)] },
  );
}

/** @throws the errors of {@link deleteChannel} and `closeDirectChannel` */
export async function deleteOrCloseChannel(call: CallContext, channelId: bigint): Promise<ChannelDetails> {
  if ((await call.guilds.guildOfChannel(channelId)) === null) return closeDirectChannel(call, channelId);
  return { ...(await deleteChannel(call, channelId)), recipients: null };
}

async function releaseChildren({ db, record }: Write, { id: parentId, guildId }: GuildChannelRecord): Promise<void> {
  const where = { guildId, parentId };
  const children = await db.channel.findMany({ where, include: WITH_OVERWRITES, orderBy: { position: 'asc' } });
  if (children.length === 0) return;
  await db.channel.updateMany({ where, data: { parentId: null } });
  const released = children.map((child) => ({ ...child, guildId, parentId: null }));
  for (const details of await withLastMessages(db, released)) {
    record({ type: 'CHANNEL_UPDATE', ...details, keepsAccess: true });
  }
}

async function forgetInGuild({ db, record }: Write, { id: channelId, guildId }: GuildChannelRecord): Promise<void> {
  await removeFromLists({ db, record }, guildId, { targetType: Target.Channel, targetId: channelId });
  await db.greeting.deleteMany({ where: { guildId, channelId } });
  const guild = await db.guild.findFirst({
    where: { id: guildId, OR: [{ afkChannelId: channelId }, { systemChannelId: channelId }] },
    select: { afkChannelId: true, systemChannelId: true },
  });
  if (!guild) return;
  const updated = await db.guild.update({
    where: { id: guildId },
    data: {
      ...(guild.afkChannelId === channelId ? { afkChannelId: null } : {}),
      ...(guild.systemChannelId === channelId ? { systemChannelId: null } : {}),
    },
    include: WITH_ROLES_AND_EMOJIS,
  });
  record({ type: 'GUILD_UPDATE', guild: updated, keepsAccess: true });
}

async function detach(call: CallContext, write: Write, channelId: bigint): Promise<void> {
  const { db, addJob } = write;
  await db.channelOverwrite.deleteMany({ where: { channelId } });
  await db.invite.deleteMany({ where: { channelId } });
  await db.channel.update({ where: { id: channelId }, data: { guildId: null, parentId: null } });
  await endVoice(write, { channelId });
  const id = String(channelId);
  await addJob({
    kind: 'remove-channel',
    payload: { channelId: id },
    dueAt: call.clock.now(),
    key: `remove-channel ${id}`,
  });
}
