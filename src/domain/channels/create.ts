import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import type { ChannelRecord } from './record.js';

const CREATABLE_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
] as const;

/** A channel in a caller's input. Its name is kept as it is written, without surrounding whitespace. */
export const NewChannel = z.object({
  name: nameText(limits.channelName.min, limits.channelName.max),
  type: z.literal(CREATABLE_TYPES).nullish(),
});

/**
 * Makes a channel, a text channel unless stated, last in its guild's order. Needs ManageChannels.
 * @throws LIMIT_EXCEEDED and what `accessGuild` throws
 */
export async function createChannel(
  call: CallContext,
  guildId: bigint,
  input: z.output<typeof NewChannel>,
): Promise<ChannelRecord & { guildId: bigint }> {
  await accessGuild(call, guildId, 'createChannel');
  const name = input.name;
  const type = input.type ?? ChannelType.GuildText;
  return call.write(
    async ({ db, record, audit }) => {
      const row = await db.channel.create({
        data: { id: call.nextId(), guildId, name, type, position: await nextPosition(db, guildId) },
      });
      const channel = { ...row, guildId, overwrites: [] };
      await audit({ action: 'CHANNEL_CREATE', guildId, targetId: row.id, changes: { name, type } });
      record({ type: 'CHANNEL_CREATE', channel });
      return channel;
    },
    { serializable: true },
  );
}

/** @throws LIMIT_EXCEEDED when the guild has as many channels as it may have */
async function nextPosition(db: Transaction, guildId: bigint): Promise<number> {
  const { _count, _max } = await db.channel.aggregate({ where: { guildId }, _count: true, _max: { position: true } });
  if (_count >= limits.channelsPerGuild) {
    throw new DomainError('LIMIT_EXCEEDED', `Maximum number of server channels reached (${limits.channelsPerGuild})`);
  }
  return (_max.position ?? -1) + 1;
}
