import { isMissingRow } from '../../infra/database/faults.js';
import { type CallContext, requireUser } from '../call.js';
import { missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { accessChannel, type ChannelAccess } from '../guilds/access.js';
import { discardAllFiles } from './files.js';
import { findMessage, unknownMessage } from './load.js';
import { managesMessages } from './send.js';

export interface MessageInput {
  channelId: bigint;
  messageId: bigint;
}

/**
 * Removes a message for good, with its files. Its author may, and whoever manages messages; the latter is audited.
 * Of several at once, one succeeds and the others find no message.
 * @throws UNKNOWN_MESSAGE, MISSING_PERMISSIONS and what `accessChannel` throws
 */
export async function deleteMessage(call: CallContext, input: MessageInput): Promise<void> {
  const caller = requireUser(call);
  const channel = await accessChannel(call, input.channelId, 'deleteMessage');
  const message = await findMessage(call, channel, input.messageId);
  try {
    if (message.authorId === caller.user.id) await deleteOwn(call, channel, message.id);
    else await deleteOthers(call, channel, message);
  } catch (error) {
    throw isMissingRow(error) ? unknownMessage() : error;
  }
  await discardAllFiles(call, input);
}

async function deleteOwn(call: CallContext, channel: ChannelAccess, messageId: bigint): Promise<void> {
  await call.writeOne(
    (db) => db.message.delete({ where: { id: messageId }, select: { id: true } }),
    () => deleted(channel, messageId),
  );
}

async function deleteOthers(
  call: CallContext,
  channel: ChannelAccess,
  message: { id: bigint; authorId: bigint },
): Promise<void> {
  if (!managesMessages(channel)) throw missingPermissions();
  await call.write(async ({ db, record, audit }) => {
    await db.message.delete({ where: { id: message.id }, select: { id: true } });
    await audit({
      action: 'MESSAGE_DELETE',
      guildId: channel.guildId,
      targetId: message.authorId,
      changes: { channelId: String(channel.channelId), messageId: String(message.id) },
    });
    record(deleted(channel, message.id));
  });
}

function deleted(channel: ChannelAccess, messageId: bigint): DomainEvent {
  return { type: 'MESSAGE_DELETE', guildId: channel.guildId, channelId: channel.channelId, messageId };
}
