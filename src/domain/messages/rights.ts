import { type Place, permissionsIn } from '../channels/place.js';
import { allows, Permission } from '../permissions.js';
import type { MessageEdit, NewMessage } from './body.js';
import type { UploadedFile } from './files.js';

/** Whether the caller may do with others' messages what their authors may. */
export function managesMessages(place: Place): boolean {
  return allows(permissionsIn(place), Permission.ManageMessages);
}

/** What it takes to send a message. */
export function neededToSend(body: NewMessage, files: readonly UploadedFile[]): bigint {
  return (
    Permission.SendMessages |
    neededForContent(body, files) |
    (body.tts ? Permission.SendTTSMessages : 0n) |
    (body.reference ? Permission.ReadMessageHistory : 0n)
  );
}

/** What it takes to put embeds and files into a message. */
export function neededForContent({ embeds }: NewMessage | MessageEdit, files: readonly UploadedFile[]): bigint {
  return (embeds?.length ? Permission.EmbedLinks : 0n) | (files.length > 0 ? Permission.AttachFiles : 0n);
}
