import type { CallContext } from '../call.js';
import { accessChannel } from '../guilds/access.js';
import { loadMessage } from './load.js';
import type { MessageKey, MessageRecord } from './record.js';

/**
 * One message.
 * @throws UNKNOWN_MESSAGE and what `accessChannel` throws
 */
export async function getMessage(call: CallContext, { channelId, messageId }: MessageKey): Promise<MessageRecord> {
  return loadMessage(call, await accessChannel(call, channelId, 'readMessageHistory'), messageId);
}
