import type { Emoji, Reader, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { accessApplication } from '../applications/access.js';
import { requireOwnBot } from '../applications/own.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import type { IconSource } from '../icons.js';
import { limits } from '../limits.js';
import { dropPictures, makeWithPicture } from './pictures.js';
import type { EmojiRecord } from './record.js';

export interface ApplicationEmojiKey {
  applicationId: bigint;
  emojiId: bigint;
}

/**
 * Allows the application's own bot, and people whose role permits the operation.
 * @param read the transaction, if its writes depend on the check
 * @throws UNAUTHENTICATED, NOT_OWN_APPLICATION for callers other than people, and the errors of `accessApplication`
 */
async function accessEmojis(
  call: CallContext,
  applicationId: bigint,
  operation: 'view' | 'manageEmojis',
  read?: Pick<Reader, 'application' | 'team'>,
): Promise<User> {
  const { actor } = call;
  if (actor.kind !== 'person') return requireOwnBot(call, applicationId);
  await accessApplication(call, applicationId, operation, read);
  return actor.user;
}

/** Oldest first. @throws the errors of {@link accessEmojis} */
export async function listApplicationEmojis(call: CallContext, applicationId: bigint): Promise<EmojiRecord[]> {
  await accessEmojis(call, applicationId, 'view');
  const emojis = await call.read.emoji.findMany({
    where: { applicationId },
    include: { creator: true },
    orderBy: { id: 'asc' },
  });
  return emojis.map((emoji) => ({ emoji, creator: emoji.creator }));
}

/** @throws UNKNOWN_GUILD_EMOJI, and the errors of {@link accessEmojis} */
export async function getApplicationEmoji(call: CallContext, key: ApplicationEmojiKey): Promise<EmojiRecord> {
  const { applicationId, emojiId: id } = key;
  await accessEmojis(call, applicationId, 'view');
  const emoji = await call.read.emoji.findFirst({ where: { id, applicationId }, include: { creator: true } });
  if (!emoji) throw new DomainError('UNKNOWN_GUILD_EMOJI');
  return { emoji, creator: emoji.creator };
}

/**
 * Only the application's bot can use the emoji, in any channel.
 * @throws TOO_MANY_EMOJIS, INVALID_INPUT for the image, OVERLOADED, and the errors of {@link accessEmojis}
 */
export async function createApplicationEmoji(
  call: CallContext,
  { applicationId, name, image }: { applicationId: bigint; name: string; image: IconSource },
): Promise<EmojiRecord> {
  const creator = await accessEmojis(call, applicationId, 'manageEmojis');
  const insert = async ({ db, audit, record }: Write, { id, animated }: Pick<Emoji, 'id' | 'animated'>) => {
    await accessEmojis(call, applicationId, 'manageEmojis', db);
    const most = limits.emojisPerApplication;
    if ((await db.emoji.count({ where: { applicationId } })) >= most) {
      throw new DomainError('TOO_MANY_EMOJIS', `Maximum number of emojis reached (${most})`);
    }
    const emoji = await db.emoji.create({
      data: { id, applicationId, name, animated, creatorId: creator.id, roleIds: [] },
    });
    await audit({ action: 'APPLICATION_EMOJI_CREATE', applicationId, targetId: id, changes: { name } });
    record({ type: 'APPLICATION_EMOJIS_UPDATED', applicationId });
    return emoji;
  };
  const emoji = await makeWithPicture(call, image, (made) =>
    call.write((write) => insert(write, made), { streams: [topics.application(applicationId)] }),
  );
  return { emoji, creator };
}

/** @throws UNKNOWN_GUILD_EMOJI, and the errors of {@link accessEmojis} */
export async function updateApplicationEmoji(
  call: CallContext,
  { applicationId, emojiId: id, name }: ApplicationEmojiKey & { name?: string | null | undefined },
): Promise<EmojiRecord> {
  const update = async ({ db, audit, record }: Write) => {
    await accessEmojis(call, applicationId, 'manageEmojis', db);
    const before = await db.emoji.findFirst({ where: { id, applicationId }, include: { creator: true } });
    if (!before) throw new DomainError('UNKNOWN_GUILD_EMOJI');
    if ((name ?? before.name) === before.name) return before;
    const after = await db.emoji.update({ where: { id }, data: { name: name ?? before.name } });
    const changes = { name: { old: before.name, new: after.name } };
    await audit({ action: 'APPLICATION_EMOJI_UPDATE', applicationId, targetId: id, changes });
    record({ type: 'APPLICATION_EMOJIS_UPDATED', applicationId });
    return { ...before, ...after };
  };
  const { creator, ...emoji } = await call.write(update, { streams: [topics.application(applicationId)] });
  return { emoji, creator };
}

/** @throws UNKNOWN_GUILD_EMOJI, and the errors of {@link accessEmojis} */
export async function deleteApplicationEmoji(call: CallContext, key: ApplicationEmojiKey): Promise<void> {
  const { applicationId, emojiId: id } = key;
  const remove = async ({ db, audit, record }: Write) => {
    await accessEmojis(call, applicationId, 'manageEmojis', db);
    const emoji = await db.emoji.findFirst({ where: { id, applicationId } });
    if (!emoji) throw new DomainError('UNKNOWN_GUILD_EMOJI');
    await db.emoji.delete({ where: { id } });
    const changes = { name: emoji.name };
    await audit({ action: 'APPLICATION_EMOJI_DELETE', applicationId, targetId: id, changes });
    record({ type: 'APPLICATION_EMOJIS_UPDATED', applicationId });
  };
  await call.write(remove, { streams: [topics.application(applicationId)] });
  await dropPictures(call, [id]);
}
