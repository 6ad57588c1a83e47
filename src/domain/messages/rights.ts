import { type ChannelAccess, permissionsIn } from '../channels/access.js';
import { CHANNEL_OPERATIONS, type ChannelOperation, type ChannelOperations } from '../guild-operations.js';
import { allows } from '../permissions.js';
import type { MessageEdit, NewMessage } from './content/body.js';
import type { UploadedFile } from './files/files.js';

export function managesMessages(place: ChannelAccess): boolean {
  return allows(permissionsIn(place), CHANNEL_OPERATIONS.manageMessages);
}

export function operationsToSend(body: NewMessage, files: readonly UploadedFile[]): ChannelOperations {
  const operations: ChannelOperations = ['sendMessage', ...operationsForContent(body, files)];
  if (body.tts) operations.push('sendReadAloud');
  if (body.reference) operations.push('sendReply');
  return operations;
}

export function operationsForContent(
  { embeds }: NewMessage | MessageEdit,
  files: readonly UploadedFile[],
): ChannelOperation[] {
  const operations: ChannelOperation[] = [];
  if (embeds?.length) operations.push('sendEmbeds');
  if (files.length > 0) operations.push('sendFiles');
  return operations;
}
