import { isMissingRow } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { type ChannelAccess, streamsOf } from '../channels/access.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { accessChannel } from '../guilds/access.js';
import { endDeferral, isDeferred } from '../interactions/responses/deferrals.js';
import { discardAllFiles, STORED_ATTACHMENT } from './files/files.js';
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
    const streams = streamsOfRemoval(place, message);
    if (isDeferred(message)) return call.write((write) => removeRow(call, write, place, message), { streams });
    const remove = (db: Transaction) => db.message.delete({ where: { id }, select: { id: true } });
    return call.writeOne(remove, { streams, event: () => deleted(place, message) });
  });
}

async function removing(
  call: CallContext,
  { channelId }: ChannelAccess,
  { id }: Removable,
  work: () => Promise<unknown>,
) {
  const attachments = await call.read.attachment.findMany({ where: { messageId: id }, select: STORED_ATTACHMENT });
  try {
    await work();
  } catch (error) {
    throw isMissingRow(error) ? new DomainError('UNKNOWN_MESSAGE') : error;
  }
  await discardAllFiles(call, channelId, attachments);
}

/** A direct channel has no moderators. */
async function deleteOthers(call: CallContext, place: ChannelAccess, message: Removable): Promise<void> {
  if (place.kind === 'direct') throw new DomainError('DIRECT_CHANNEL');
  if (!managesMessages(place)) throw missingPermissions();
  const remove = async (write: Write) => {
    await write.audit({
      action: 'MESSAGE_DELETE',
      guildId: place.guildId,
      targetId: message.authorId,
      changes: { channelId: String(place.channelId), messageId: String(message.id) },
    });
    await removeRow(call, write, place, message);
  };
  await call.write(remove, { streams: streamsOfRemoval(place, message) });
}

/** Removing a deferred response also changes its interaction. */
function streamsOfRemoval(place: ChannelAccess, message: Removable): string[] {
  const { applicationId } = message;
  const ofInteraction = isDeferred(message) && applicationId !== null ? [topics.application(applicationId)] : [];
  return [...streamsOf(toldOf(place, message)), ...ofInteraction];
}

async function removeRow(call: CallContext, write: Write, place: ChannelAccess, message: Removable): Promise<void> {
  await write.db.message.delete({ where: { id: message.id }, select: { id: true } });
  write.record(deleted(place, message));
  if (isDeferred(message)) await endDeferral(call, write, message);
}

function deleted(place: ChannelAccess, message: Removable): DomainEvent {
  return { type: 'MESSAGE_DELETE', ...toldOf(place, message), messageId: message.id };
}
