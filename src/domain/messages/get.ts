import type { CallContext } from '../call.js';
import { accessChannel } from '../guilds/access.js';
import { loadMessage } from './load.js';
import type { MessageKey, MessageRecord } from './record.js';

/** @throws UNKNOWN_MESSAGE and the errors of `accessChannel` */
export async function getMessage(call: CallContext, { channelId, messageId }: MessageKey): Promise<MessageRecord> {
  return loadMessage(call, await accessChannel(call, channelId, 'readMessageHistory'), messageId);
}
