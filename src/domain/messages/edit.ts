import { type CallContext, requireUser } from '../call.js';
import { type ChannelAccess, permissionsIn } from '../channels/access.js';
import { DomainError } from '../errors.js';
import { CHANNEL_OPERATIONS, neededInChannel } from '../guild-operations.js';
import { accessChannel, requirePermissions } from '../guilds/access.js';
import { applyEdit } from './apply-edit.js';
import type { MessageEdit } from './content/body.js';
import type { UploadedFile } from './files/files.js';
import { findMessage, loadMessage } from './load.js';
import type { MessageKey, MessageRecord } from './record.js';
import { managesMessages, operationsForContent } from './rights.js';
import { requireUserMessage } from './user-messages.js';

export interface EditMessageInput extends MessageKey {
  body: MessageEdit;
  files?: readonly UploadedFile[];
}

/**
 * The author may change everything. A user with ManageMessages may only change SUPPRESS_EMBEDS.
 * @throws UNKNOWN_MESSAGE, SYSTEM_MESSAGE, NOT_MESSAGE_AUTHOR, MISSING_PERMISSIONS and the errors of `accessChannel`
 * and {@link applyEdit}
 */
export async function editMessage(call: CallContext, input: EditMessageInput): Promise<MessageRecord> {
  const { user } = requireUser(call);
  const { body, files = [] } = input;
  const place = await accessChannel(call, input.channelId, 'editMessage');
  const message = await loadMessage(call, place, input.messageId);
  requireUserMessage(message);
  const asAuthor = message.authorId === user.id;
  if (!asAuthor) requireFlagsOnly(place, body, files);
  requirePermissions(permissionsIn(place), neededInChannel(operationsForContent(body, files)));
  return applyEdit(call, message, { place, body, files, asAuthor });
}

/**
 * Checks whether the caller may add files, before receiving them.
 * @throws UNKNOWN_MESSAGE, NOT_MESSAGE_AUTHOR, MISSING_PERMISSIONS and the errors of `accessChannel`
 */
export async function requireEditing(call: CallContext, { channelId, messageId }: MessageKey): Promise<void> {
  const { user } = requireUser(call);
  const place = await accessChannel(call, channelId, 'editMessage');
  const { authorId } = await findMessage(call, place, messageId);
  if (authorId !== user.id) throw notAuthor();
  requirePermissions(permissionsIn(place), CHANNEL_OPERATIONS.sendFiles);
}

/** @throws NOT_MESSAGE_AUTHOR unless only flags change and the caller has ManageMessages */
function requireFlagsOnly(place: ChannelAccess, body: MessageEdit, files: readonly UploadedFile[]): void {
  const { flags, ...rest } = body;
  const isFlagsOnly =
    flags !== undefined && Object.values(rest).every((value) => value === undefined) && files.length === 0;
  if (isFlagsOnly && managesMessages(place)) return;
  throw notAuthor();
}

function notAuthor(): DomainError {
  return new DomainError('NOT_MESSAGE_AUTHOR');
}
