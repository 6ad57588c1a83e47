import { ChannelType } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { type FieldFault, invalidInput, joinPath } from '../errors.js';
import { limits } from '../limits.js';
import { type ChannelRecord, WITH_OVERWRITES } from './record.js';

/** A channel that is to be in a category. */
interface Child {
  guildId: bigint;
  type: number;
}

/**
 * The category that a channel is to be in, with room for it.
 * @param path where the caller's input names the category's holder, for the fault
 * @throws INVALID_INPUT at `parentId` for what is no category of the guild's, for one that is full, and for a category within another
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
