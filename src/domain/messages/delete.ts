import { isMissingRow } from '../../infra/database/faults.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import type { ChannelAccess } from '../channels/access.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { accessChannel } from '../guilds/access.js';
import { endDeferral, isDeferred } from '../interactions/responses/deferrals.js';
import { discardAllFiles } from './files/files.js';
import { findMessage } from './load.js';
import type { MessageKey, MessageRecord } from './record.js';
import { managesMessages } from './rights.js';
import { toldOf } from './visibility.js';

/**
 * Callers other than the author need ManageMessages, and are audited. Of concurrent deletes, only one succeeds.
 * @throws UNKNOWN_MESSAGE, MISSING_PERMISSIONS, DIRECT_CHANNEL and the errors of `accessChannel`
 */
export async function deleteMessage(call: CallContext, input: MessageKey): Promise<void> {
  const { user } = requireUser(call);
  const place = await accessChannel(call, input.channelId, 'deleteMessage');
  const message = await findMessage(call, place, input.messageId);
  if (message.authorId === user.id) await removeMessage(call, place, message);
  else await removing(call, place, message, () => deleteOthers(call, place, message));
}

type Removable = Pick<MessageRecord, 'id' | 'authorId' | 'visibleToId' | 'applicationId' | 'flags' | 'interaction'>;

/** Checks no permissions. @throws UNKNOWN_MESSAGE */
export async function removeMessage(call: CallContext, place: ChannelAccess, message: Removable): Promise<void> {
  const { id } = message;
  await removing(call, place, message, () => {
    if (isDeferred(message)) return call.write((write) => removeRow(call, write, place, message));
    return call.writeOne(
      (db) => db.message.delete({ where: { id }, select: { id: true } }),
      () => deleted(place, message),
    );
  });
}

async function removing(
  call: CallContext,
  { channelId }: ChannelAccess,
  { id }: Removable,
  work: () => Promise<unknown>,
) {
  try {
    await work();
  } catch (error) {
    throw isMissingRow(error) ? new DomainError('UNKNOWN_MESSAGE') : error;
  }
  await discardAllFiles(call, { channelId, messageId: id });
}

/** A direct channel has no moderators. */
async function deleteOthers(call: CallContext, place: ChannelAccess, message: Removable): Promise<void> {
  if (place.kind === 'direct') throw new DomainError('DIRECT_CHANNEL');
  if (!managesMessages(place)) throw missingPermissions();
  await call.write(async (write) => {
    await write.audit({
      action: 'MESSAGE_DELETE',
      guildId: place.guildId,
      targetId: message.authorId,
      changes: { channelId: String(place.channelId), messageId: String(message.id) },
    });
    await removeRow(call, write, place, message);
  });
}

async function removeRow(call: CallContext, write: Write, place: ChannelAccess, message: Removable): Promise<void> {
  await write.db.message.delete({ where: { id: message.id }, select: { id: true } });
  write.record(deleted(place, message));
  if (isDeferred(message)) await endDeferral(call, write, message);
}

function deleted(place: ChannelAccess, message: Removable): DomainEvent {
  return { type: 'MESSAGE_DELETE', ...toldOf(place, message), messageId: message.id };
}
