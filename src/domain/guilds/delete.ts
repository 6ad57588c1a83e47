import { drainInBatches, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Guild, ReaderAndWriter, Transaction } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requirePerson, type Write } from '../call.js';
import { removeChannel } from '../channels/remove.js';
import { dropPictures } from '../emojis/pictures.js';
import { DomainError } from '../errors.js';
import { dropIcon } from '../icons.js';
import { removeWithoutLog, streamsOfInstallation } from '../installations/uninstall.js';
import { publishUnusable } from '../webhooks/write.js';
import { accessGuild } from './access.js';
import { mayAsMember } from './ownership.js';

/**
 * Hides the guild at once; a job removes its contents in batches. Of concurrent calls, only one succeeds.
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, FORBIDDEN unless the caller owns the guild
 */
export async function deleteGuild(call: CallContext, guildId: bigint): Promise<void> {
  const { user } = requirePerson(call);
  const { view } = await accessGuild(call, guildId, 'viewGuild');
  if (!mayAsMember('delete', view, user.id)) {
    throw new DomainError('FORBIDDEN', 'Only the owner of a server can delete it.');
  }
  await hideGuild(call, guildId);
}

/** @param alongside in the same transaction */
export async function hideGuild(
  call: CallContext,
  guildId: bigint,
  alongside: (write: Write) => Promise<void> = async () => {},
): Promise<void> {
  const hide = async (write: Write) => {
    await alongside(write);
    return markDeleted(call, write, guildId);
  };
  const { guild, emojiIds } = await call.write(hide, { streams: [topics.guild(guildId)] });
  if (guild.iconHash) await dropIcon(call, { folder: 'guild-icons', id: guildId }, guild.iconHash);
  await dropPictures(call, emojiIds);
}

async function markDeleted(
  call: CallContext,
  write: Write,
  guildId: bigint,
): Promise<{ guild: Guild; emojiIds: bigint[] }> {
  const { db, record, audit, addJob } = write;
  const guild = await db.guild.findFirst({ where: { id: guildId, deletedAt: null } });
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  const now = call.clock.now();
  await db.guild.update({ where: { id: guildId }, data: { deletedAt: new Date(now), iconHash: null } });
  const channelIds = await detachChannels(db, guildId);
  await db.invite.deleteMany({ where: { guildId } });
  await db.voiceState.deleteMany({ where: { guildId } });
  await db.greeting.deleteMany({ where: { guildId } });
  const emojis = await db.emoji.findMany({ where: { guildId }, select: { id: true } });
  await db.emoji.deleteMany({ where: { guildId } });
  await audit({ action: 'GUILD_DELETE', guildId, targetId: guildId, changes: { name: guild.name } });
  record({ type: 'GUILD_DELETE', guildId, unavailable: false });
  await publishUnusable(write, { guildId });
  const payload = { guildId: String(guildId), channelIds: channelIds.map(String) };
  await addJob({ kind: 'remove-guild', payload, dueAt: now, key: `remove-guild ${guildId}` });
  return { guild, emojiIds: emojis.map(({ id }) => id) };
}

/** Makes the guild's channels unreachable. @returns their ids */
async function detachChannels(db: Transaction, guildId: bigint): Promise<bigint[]> {
  const channels = await db.channel.findMany({ where: { guildId }, select: { id: true } });
  await db.channel.updateMany({ where: { guildId }, data: { guildId: null, parentId: null } });
  return channels.map(({ id }) => id);
}

interface Supplies {
  db: ReaderAndWriter;
  blobs: BlobStore;
  /** A call without a user. */
  call: CallContext;
  signal: AbortSignal;
}

/** Blocks other SQLite writers for a few milliseconds. */
const ROWS_PER_STATEMENT = 200;

/**
 * Removes the contents of a deleted guild, then its row, and so can resume after an interruption. Ignores a guild that
 * is not marked as deleted.
 * @throws `signal.reason` when aborted
 */
export async function removeGuild(supplies: Supplies, guildId: bigint, channelIds: bigint[]): Promise<void> {
  const { db, blobs, signal } = supplies;
  for (const id of channelIds) await removeChannel(db, blobs, id, signal);
  const where = { id: guildId, deletedAt: { not: null } };
  if (!(await db.reader.guild.findFirst({ where, select: { id: true } }))) return;
  await removeApplications(supplies, guildId);
  await removeRows(supplies, guildId);
  await db.writer.guild.deleteMany({ where });
}

async function removeApplications({ db, call, signal }: Supplies, guildId: bigint): Promise<void> {
  const installations = await db.reader.installation.findMany({ where: { guildId }, select: { applicationId: true } });
  for (const { applicationId } of installations) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    await call.write((write) => removeWithoutLog(call, write, applicationId, guildId), {
      streams: streamsOfInstallation(applicationId, guildId),
    });
  }
}

async function removeRows({ db: { writer }, signal }: Supplies, guildId: bigint): Promise<void> {
  const some = { where: { guildId }, limit: ROWS_PER_STATEMENT };
  const kinds = [
    () => writer.memberRole.deleteMany(some),
    () => writer.member.deleteMany(some),
    () => writer.ban.deleteMany(some),
    () => writer.keptTimeout.deleteMany(some),
    () => writer.role.deleteMany(some),
    () => writer.commandPermission.deleteMany(some),
    () => writer.applicationCommand.deleteMany({ ...some, where: { scopeId: guildId } }),
  ];
  for (const removeSome of kinds) {
    await drainInBatches(signal, async () => (await removeSome()).count === ROWS_PER_STATEMENT);
  }
}
