export {
  type AllowedMentions,
  attachmentDescription,
  type MessageContent,
  type MessageEdit,
  messageContent,
  messageNonce,
  type NewMessage,
} from './body.js';
export { messageComponents } from './components.js';
export { type ContentShown, contentReaders, contentShownTo } from './content.js';
export { deleteMessage } from './delete.js';
export { editMessage, requireEditing } from './edit.js';
export { messageEmbeds } from './embeds.js';
export {
  type AttachmentFile,
  fileTooLarge,
  findAttachmentFile,
  type ReceivedFile,
  tooManyAttachments,
  type UploadedFile,
} from './files.js';
export { getMessage } from './get.js';
export { listMessages } from './list.js';
export { countReactions } from './load.js';
export { addReaction, clearReactions, listReactions, removeReaction } from './reactions.js';
export type { MessageKey, MessageRecord, ReactionCount } from './record.js';
export { requireSending, sendMessage } from './send.js';
export { startTyping } from './typing.js';
