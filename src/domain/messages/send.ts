import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { noticeAbsences } from '../built-in-commands/absences/notice.js';
import { type CallContext, requireUser } from '../call.js';
import { requireText } from '../channels/access.js';
import { requireReachableIn } from '../channels/direct.js';
import type { ChannelOperations } from '../guild-operations.js';
import { accessChannel } from '../guilds/access.js';
import type { NewMessage } from './content/body.js';
import type { UploadedFile } from './files/files.js';
import { postMessage } from './post.js';
import type { MessageRecord } from './record.js';
import { operationsToSend } from './rights.js';
import { slowModeFor } from './slow-mode.js';

export interface SendMessageInput {
  channelId: bigint;
  body: NewMessage;
  files?: readonly UploadedFile[];
}

const SENDABLE_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2 |
  MessageFlags.IsVoiceMessage;

/**
 * @returns the new message, or the earlier one if an enforced nonce repeats
 * @throws WRONG_CHANNEL_TYPE, CANNOT_MESSAGE_USER and the errors of `accessChannel` and {@link postMessage}
 */
export async function sendMessage(call: CallContext, input: SendMessageInput): Promise<MessageRecord> {
  const { user: author } = requireUser(call);
  const { body, files = [] } = input;
  const place = await accessChannel(call, input.channelId, ...operationsToSend(body, files));
  requireText(place);
  await requireReachableIn(call, place);
  const flags = (body.flags ?? 0) & SENDABLE_FLAGS;
  const slowModeSeconds = slowModeFor(call, place);
  const kind = MessageType.Default;
  const message = await postMessage(call, { author, place, body: { ...body, flags }, files, kind, slowModeSeconds });
  await noticeAbsences(call, place, message);
  return message;
}

/** Checks permissions before files are received. @throws WRONG_CHANNEL_TYPE and the errors of `accessChannel` */
export async function requireSending(
  call: CallContext,
  { channelId, files }: { channelId: bigint; files: number },
): Promise<void> {
  const operations: ChannelOperations = files > 0 ? ['sendMessage', 'sendFiles'] : ['sendMessage'];
  requireText(await accessChannel(call, channelId, ...operations));
}
