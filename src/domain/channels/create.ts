import { ChannelType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { nameText, parseInput } from '../input.js';
import { limits } from '../limits.js';
import type { ChannelRecord } from './record.js';

const CREATABLE_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
] as const;

const CreateChannelInput = z.object({
  name: nameText(limits.channelName.min, limits.channelName.max),
  type: z.literal(CREATABLE_TYPES).default(ChannelType.GuildText),
});

export interface CreateChannelInput {
  /** Kept as it is written, without surrounding whitespace. */
  name: string;
  /** The reference platform's channel type: 0 text (the default), 2 voice, 4 category or 5 announcement. */
  type?: number | undefined;
}

/**
 * Makes a channel, last in its guild's order. Needs ManageChannels.
 * @throws INVALID_INPUT, LIMIT_EXCEEDED and what `accessGuild` throws
 */
export async function createChannel(
  call: CallContext,
  guildId: bigint,
  input: CreateChannelInput,
): Promise<ChannelRecord & { guildId: bigint }> {
  await accessGuild(call, guildId, 'createChannel');
  const { name, type } = parseInput(CreateChannelInput, input);
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
