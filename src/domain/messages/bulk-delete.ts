import { snowflakeTime } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import type { GuildChannelAccess } from '../channels/access.js';
import { DomainError, invalidInput } from '../errors.js';
import { accessChannel } from '../guilds/access.js';
import { endDeferral, isDeferred } from '../interactions/responses/deferrals.js';
import { limits } from '../limits.js';
import { discardAllFiles, STORED_ATTACHMENT, type StoredAttachment } from './files/files.js';
import { storedInteraction } from './interaction.js';
import { EVERYONE, visibleTo } from './visibility.js';

const MAX_AGE_MS = 14 * 86_400_000;

export interface DeleteMessagesInput {
  channelId: bigint;
  /**
   * Unknown and ephemeral messages count towards the limit and are skipped (Discord's documentation, Message Resource).
   */
  messageIds: readonly bigint[];
}

/**
 * Of concurrent deletes of a message, only one publishes the event.
 * @throws BULK_DELETE_COUNT, BULK_DELETE_TOO_OLD, INVALID_INPUT at `messageIds` for a repeated id, DIRECT_CHANNEL and
 * the errors of `accessChannel`
 */
export async function deleteMessages(call: CallContext, { channelId, messageIds }: DeleteMessagesInput): Promise<void> {
  const place = await accessChannel(call, channelId, 'deleteMessages');
  if (place.kind === 'direct') throw new DomainError('DIRECT_CHANNEL');
  checkIds(call, messageIds);
  const removed = await call.write((write) => removeRows(call, write, place, messageIds), {
    streams: [topics.guild(place.guildId)],
  });
  const attachments = removed.flatMap((message) => message.attachments);
  await discardAllFiles(call, channelId, attachments);
}

export function mayBeDeletedInBulk({ clock }: CallContext, id: bigint): boolean {
  return snowflakeTime(id) >= clock.now() - MAX_AGE_MS;
}

function checkIds(call: CallContext, ids: readonly bigint[]): void {
  const { min, max } = limits.messagesPerBulkDelete;
  if (ids.length < min || ids.length > max) throw new DomainError('BULK_DELETE_COUNT');
  if (new Set(ids).size < ids.length) {
    const message = 'The set already contains this value';
    throw invalidInput({ path: 'messageIds', code: 'SET_TYPE_ALREADY_CONTAINS_VALUE', message });
  }
  if (!ids.every((id) => mayBeDeletedInBulk(call, id))) throw new DomainError('BULK_DELETE_TOO_OLD');
}

interface Removed {
  id: bigint;
  attachments: StoredAttachment[];
}

async function removeRows(
  call: CallContext,
  write: Write,
  { guildId, channelId }: GuildChannelAccess,
  ids: readonly bigint[],
): Promise<Removed[]> {
  const { db, audit, record } = write;
  const found = await db.message.findMany({
    where: { id: { in: [...ids] }, channelId, ...visibleTo(EVERYONE) },
    select: {
      id: true,
      flags: true,
      applicationId: true,
      interaction: true,
      attachments: { select: STORED_ATTACHMENT },
    },
    orderBy: { id: 'asc' },
  });
  if (found.length === 0) return [];
  const messageIds = found.map(({ id }) => id);
  await db.message.deleteMany({ where: { id: { in: messageIds } } });
  await audit({
    action: 'MESSAGE_BULK_DELETE',
    guildId,
    targetId: channelId,
    changes: { count: found.length },
  });
  record({ type: 'MESSAGE_DELETE_BULK', guildId, channelId, messageIds });
  for (const message of found.filter(isDeferred)) {
    await endDeferral(call, write, { ...message, interaction: storedInteraction(message.interaction) });
  }
  return found;
}
