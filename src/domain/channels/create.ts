import { ChannelType } from 'discord-api-types/v10';
import type { z } from 'zod';
import { isMissingReference } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild, requirePermissions } from '../guilds/access.js';
import { limits } from '../limits.js';
import { auditedChannel } from './audited.js';
import { insertOverwrites, newlySaid, onePerTarget, requireTargets, sayableInNew } from './overwrites.js';
import { findParent } from './parents.js';
import type { ChannelRecord, GuildChannelRecord } from './record.js';
import { givenSettings, type NewChannel } from './settings.js';

type Input = z.output<typeof NewChannel>;

/**
 * Defaults: text channel, last position, overwrites of the category. Needs ManageChannels, and every permission that
 * given overwrites allow or deny.
 * @throws TOO_MANY_CHANNELS, UNKNOWN_OVERWRITE, MISSING_PERMISSIONS, INVALID_INPUT at `parentId` and the errors of
 * `accessGuild`
 */
export async function createChannel(call: CallContext, guildId: bigint, input: Input): Promise<GuildChannelRecord> {
  const { permissions } = await accessGuild(call, guildId, 'createChannel');
  requirePermissions(sayableInNew(permissions), newlySaid([], input.overwrites ?? []));
  try {
    return await call.write((write) => insertChannel(call, write, guildId, input), {
      streams: [topics.guild(guildId)],
    });
  } catch (error) {
    throw isMissingReference(error) ? new DomainError('UNKNOWN_GUILD') : error;
  }
}

async function insertChannel(
  call: CallContext,
  { db, record, audit }: Write,
  guildId: bigint,
  input: Input,
): Promise<GuildChannelRecord> {
  const type = input.type ?? ChannelType.GuildText;
  const last = await nextPosition(db, guildId);
  const parent = input.parentId == null ? null : await findParent(db, { guildId, type }, input.parentId);
  const overwrites = await overwritesOf(db, guildId, input, parent);
  const row = await db.channel.create({
    data: {
      id: call.nextId(),
      guildId,
      name: input.name,
      type,
      position: input.position ?? last,
      parentId: parent?.id ?? null,
      ...givenSettings(type, input),
    },
  });
  const channel = { ...row, guildId, overwrites: await insertOverwrites(db, { id: row.id, guildId }, overwrites) };
  await audit({ action: 'CHANNEL_CREATE', guildId, targetId: row.id, changes: auditedChannel(channel) });
  record({ type: 'CHANNEL_CREATE', channel });
  return channel;
}

async function overwritesOf(db: Transaction, guildId: bigint, input: Input, parent: ChannelRecord | null) {
  if (!input.overwrites) return parent?.overwrites ?? [];
  const overwrites = onePerTarget(input.overwrites);
  await requireTargets(db, guildId, overwrites);
  return overwrites;
}

async function nextPosition(db: Transaction, guildId: bigint): Promise<number> {
  const { _count, _max } = await db.channel.aggregate({ where: { guildId }, _count: true, _max: { position: true } });
  if (_count >= limits.channelsPerGuild) {
    throw new DomainError(
      'TOO_MANY_CHANNELS',
      `Maximum number of server channels reached (${limits.channelsPerGuild})`,
    );
  }
  return Math.min((_max.position ?? -1) + 1, limits.channelPosition);
}
