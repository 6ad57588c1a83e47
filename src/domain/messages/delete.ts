import { isMissingRow } from '../../infra/database/faults.js';
import { type CallContext, requireUser } from '../call.js';
import { eventPlace, type Place } from '../channels/place.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { accessChannel } from '../guilds/access.js';
import { discardAllFiles } from './files.js';
import { findMessage } from './load.js';
import type { MessageKey } from './record.js';
import { managesMessages } from './rights.js';

/**
 * Removes a message for good, with its files. Its author may, and whoever manages messages; the latter is audited.
 * Of several at once, one succeeds and the others find no message.
 * @throws UNKNOWN_MESSAGE, MISSING_PERMISSIONS and what `accessChannel` throws
 */
export async function deleteMessage(call: CallContext, input: MessageKey): Promise<void> {
  const { user } = requireUser(call);
  const place = await accessChannel(call, input.channelId, 'deleteMessage');
  const message = await findMessage(call, place, input.messageId);
  try {
    if (message.authorId === user.id) await deleteOwn(call, place, message.id);
    else await deleteOthers(call, place, message);
  } catch (error) {
    throw isMissingRow(error) ? new DomainError('UNKNOWN_MESSAGE') : error;
  }
  await discardAllFiles(call, input);
}

async function deleteOwn(call: CallContext, place: Place, messageId: bigint): Promise<void> {
  await call.writeOne(
    (db) => db.message.delete({ where: { id: messageId }, select: { id: true } }),
    () => deleted(place, messageId),
  );
}

/** Nobody manages the messages of a direct channel. */
async function deleteOthers(call: CallContext, place: Place, message: { id: bigint; authorId: bigint }): Promise<void> {
  if (place.kind === 'direct' || !managesMessages(place)) throw missingPermissions();
  await call.write(async ({ db, record, audit }) => {
    await db.message.delete({ where: { id: message.id }, select: { id: true } });
    await audit({
      action: 'MESSAGE_DELETE',
      guildId: place.guildId,
      targetId: message.authorId,
      changes: { channelId: String(place.channelId), messageId: String(message.id) },
    });
    record(deleted(place, message.id));
  });
}

function deleted(place: Place, messageId: bigint): DomainEvent {
  return { type: 'MESSAGE_DELETE', ...eventPlace(place), messageId };
}
