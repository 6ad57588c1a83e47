import { isMissingReference } from '../../infra/database/faults.js';
import type { Emoji, Transaction, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, type FieldFault, invalidInput, missingPermissions } from '../errors.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { accessGuild } from '../guilds/access.js';
import type { IconSource } from '../icons.js';
import { limits } from '../limits.js';
import type { EmojiChange } from './input.js';
import { mayManageEmoji } from './operations.js';
import { dropPictures, makeWithPicture } from './pictures.js';
import { type EmojiRecord, emojisOf, rolesOf } from './record.js';

export interface GuildEmojiKey {
  guildId: bigint;
  emojiId: bigint;
}

/**
 * Oldest first. `creator` is set if the caller may create or manage emojis.
 * @throws the errors of `accessGuild`
 */
export async function listEmojis(call: CallContext, guildId: bigint): Promise<EmojiRecord[]> {
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const { createEmoji, manageEmojis } = GUILD_OPERATIONS;
  const mayKnow = (permissions & (createEmoji | manageEmojis)) !== 0n;
  const emojis = await call.read.emoji.findMany({
    where: { guildId },
    include: { creator: true },
    orderBy: { id: 'asc' },
  });
  return emojis.map((emoji) => ({ emoji, creator: mayKnow ? emoji.creator : null }));
}

/**
 * `creator` is set if the caller may manage this emoji.
 * @throws UNKNOWN_GUILD_EMOJI, and the errors of `accessGuild`
 */
export async function getEmoji(call: CallContext, { guildId, emojiId }: GuildEmojiKey): Promise<EmojiRecord> {
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const emoji = await call.read.emoji.findFirst({ where: { id: emojiId, guildId }, include: { creator: true } });
  if (!emoji) throw new DomainError('UNKNOWN_GUILD_EMOJI');
  return {
    emoji,
    creator: mayManageEmoji(emoji, { userId: requireUser(call).user.id, permissions }) ? emoji.creator : null,
  };
}

export interface NewGuildEmoji {
  guildId: bigint;
  name: string;
  roleIds?: bigint[] | null | undefined;
  image: IconSource;
}

/**
 * Needs CreateGuildExpressions.
 * @throws TOO_MANY_EMOJIS, TOO_MANY_ANIMATED_EMOJIS, INVALID_INPUT for roles and the image, RATE_LIMITED, OVERLOADED,
 * and the errors of `accessGuild`
 */
export async function createEmoji(call: CallContext, input: NewGuildEmoji): Promise<EmojiRecord> {
  const { guildId, name, image, roleIds } = input;
  const { user } = requireUser(call);
  await accessGuild(call, guildId, 'createEmoji');
  const insert = async (write: Write, { id, animated }: Pick<Emoji, 'id' | 'animated'>) => {
    const { db, audit } = write;
    await requireCapacity(db, guildId, animated);
    const roles = await checkedRoles(db, guildId, roleIds ?? []);
    const emoji = await db.emoji.create({
      data: { id, guildId, name, animated, creatorId: user.id, roleIds: roles.map(String) },
    });
    await audit({ action: 'EMOJI_CREATE', guildId, targetId: id, changes: { name } });
    await recordAll(write, guildId);
    return emoji;
  };
  try {
    const emoji = await makeWithPicture(call, image, (made) =>
      call.write((write) => insert(write, made), { streams: [topics.guild(guildId)] }),
    );
    return { emoji, creator: user };
  } catch (error) {
    throw isMissingReference(error) ? new DomainError('UNKNOWN_GUILD') : error;
  }
}

/** @throws TOO_MANY_EMOJIS, TOO_MANY_ANIMATED_EMOJIS */
async function requireCapacity(db: Transaction, guildId: bigint, animated: boolean): Promise<void> {
  const most = limits.emojisPerGuild;
  if ((await db.emoji.count({ where: { guildId, animated } })) < most) return;
  if (animated)
    throw new DomainError('TOO_MANY_ANIMATED_EMOJIS', `Maximum number of animated emojis reached (${most})`);
  throw new DomainError('TOO_MANY_EMOJIS', `Maximum number of emojis reached (${most})`);
}

/** Returns the ids without duplicates. @throws INVALID_INPUT at each id that is not a role of the guild */
async function checkedRoles(db: Transaction, guildId: bigint, roleIds: readonly bigint[]): Promise<bigint[]> {
  if (roleIds.length === 0) return [];
  const rows = await db.role.findMany({ where: { guildId, id: { in: [...roleIds] } }, select: { id: true } });
  const known = new Set(rows.map(({ id }) => id));
  const faults = roleIds.flatMap((id, index): FieldFault[] =>
    known.has(id)
      ? []
      : [{ path: `roleIds.${index}`, code: 'ROLE_INVALID', message: `The server has no role with the ID ${id}.` }],
  );
  if (faults.length > 0) throw invalidInput(...faults);
  return [...new Set(roleIds)];
}

/**
 * Needs ManageGuildExpressions, or CreateGuildExpressions for the caller's own emoji.
 * @throws UNKNOWN_GUILD_EMOJI, MISSING_PERMISSIONS, INVALID_INPUT for roles, and the errors of `accessGuild`
 */
export async function updateEmoji(call: CallContext, key: GuildEmojiKey, change: EmojiChange): Promise<EmojiRecord> {
  const { guildId, emojiId } = key;
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const update = async (write: Write) => {
    const { db, audit } = write;
    const before = await manageableEmoji(call, db, key, permissions);
    const name = change.name ?? before.name;
    const roles =
      change.roleIds === undefined ? rolesOf(before) : await checkedRoles(db, guildId, change.roleIds ?? []);
    const roleIds = roles.map(String);
    const isRenamed = name !== before.name;
    if (!isRenamed && String(roleIds) === String(before.roleIds)) return before;
    const after = await db.emoji.update({ where: { id: emojiId }, data: { name, roleIds } });
    const changes = isRenamed ? { name: { old: before.name, new: name } } : {};
    await audit({ action: 'EMOJI_UPDATE', guildId, targetId: emojiId, changes });
    await recordAll(write, guildId);
    return { ...before, ...after };
  };
  const { creator, ...emoji } = await call.write(update, { streams: [topics.guild(guildId)] });
  return { emoji, creator };
}

/**
 * Needs the permissions of {@link updateEmoji}.
 * @throws UNKNOWN_GUILD_EMOJI, MISSING_PERMISSIONS, and the errors of `accessGuild`
 */
export async function deleteEmoji(call: CallContext, key: GuildEmojiKey): Promise<void> {
  const { guildId, emojiId } = key;
  const { permissions } = await accessGuild(call, guildId, 'viewGuild');
  const remove = async (write: Write) => {
    const { name } = await manageableEmoji(call, write.db, key, permissions);
    await write.db.emoji.delete({ where: { id: emojiId } });
    await write.audit({ action: 'EMOJI_DELETE', guildId, targetId: emojiId, changes: { name } });
    await recordAll(write, guildId);
  };
  await call.write(remove, { streams: [topics.guild(guildId)] });
  await dropPictures(call, [emojiId]);
}

async function manageableEmoji(
  call: CallContext,
  db: Transaction,
  { guildId, emojiId }: GuildEmojiKey,
  permissions: bigint,
): Promise<Emoji & { creator: User }> {
  const emoji = await db.emoji.findFirst({ where: { id: emojiId, guildId }, include: { creator: true } });
  if (!emoji) throw new DomainError('UNKNOWN_GUILD_EMOJI');
  if (!mayManageEmoji(emoji, { userId: requireUser(call).user.id, permissions })) throw missingPermissions();
  return emoji;
}

async function recordAll({ db, record }: Write, guildId: bigint): Promise<void> {
  record({ type: 'GUILD_EMOJIS_UPDATE', guildId, emojis: await emojisOf(db, guildId) });
}
