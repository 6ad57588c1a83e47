import { ChannelType } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { type FieldFault, invalidInput, joinPath } from '../errors.js';
import { limits } from '../limits.js';
import { type ChannelRecord, WITH_OVERWRITES } from './record.js';

interface Child {
  guildId: bigint;
  type: number;
}

/**
 * @param path prefix of the fault's path
 * @throws INVALID_INPUT at `parentId` if it is not a category of the guild or is full, or if the child is a category
 */
export async function findParent(
  db: Transaction,
  { guildId, type }: Child,
  parentId: bigint,
  path = '',
): Promise<ChannelRecord> {
  const refuse = (fault: Omit<FieldFault, 'path'>) => invalidInput({ path: joinPath(path, 'parentId'), ...fault });
  if (type === ChannelType.GuildCategory) throw refuse(NESTED);
  const parent = await db.channel.findFirst({ where: { id: parentId, guildId }, include: WITH_OVERWRITES });
  if (!parent) throw refuse(MISSING);
  if (parent.type !== ChannelType.GuildCategory) throw refuse(NO_CATEGORY);
  const children = await db.channel.count({ where: { guildId, parentId } });
  if (children >= limits.channelsPerCategory) throw refuse(FULL);
  return parent;
}

const NESTED = { code: 'CHANNEL_PARENT_INVALID', message: 'Categories cannot have subcategories' };
const MISSING = { code: 'CHANNEL_PARENT_INVALID', message: 'Category does not exist' };
const NO_CATEGORY = { code: 'CHANNEL_PARENT_INVALID_TYPE', message: 'Not a category' };
const FULL = {
  code: 'CHANNEL_PARENT_MAX_CHANNELS',
  message: `Maximum number of channels in category reached (${limits.channelsPerCategory})`,
};
