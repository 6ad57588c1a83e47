export { applyEdit } from './apply-edit.js';
export { deleteMessages } from './bulk-delete.js';
export {
  findComponent,
  type InteractiveComponent,
  interactiveComponents,
  messageComponents,
  modalContent,
} from './components/index.js';
export {
  type AllowedMentions,
  attachmentDescription,
  attachmentTitle,
  type MessageContent,
  type MessageEdit,
  messageContent,
  messageNonce,
  type NewMessage,
} from './content/body.js';
export { type ContentShown, contentReaders, contentShownTo } from './content/content-readers.js';
export { messageEmbeds } from './content/embeds.js';
export { attachmentNameIn } from './content/urls.js';
export { deleteMessage, removeMessage } from './delete.js';
export { editMessage, requireEditing } from './edit.js';
export { FileQuota } from './files/file-quota.js';
export {
  type AttachmentFile,
  fileTooLarge,
  findAttachmentFile,
  type ReceivedFile,
  tooManyAttachments,
  type UploadedFile,
} from './files/files.js';
export { getMessage } from './get.js';
export type { MessageInteraction } from './interaction.js';
export { listMessages } from './list.js';
export { countReactions, loadMessage, viewerOf } from './load.js';
export { MESSAGE_OPERATIONS, operationsOn } from './operations.js';
export { listPinnedIds, listPins, pinMessage, unpinMessage } from './pins.js';
export { type Post, postMessage } from './post.js';
export { addReaction, clearReactions, listReactions, removeReaction } from './reactions.js';
export type { AttachmentRecord, MessageKey, MessageRecord, ReactionCount } from './record.js';
export { requireSending, sendMessage } from './send.js';
export { startTyping } from './typing.js';
export { EVERYONE, type Reader, visibleTo, visibleToSql } from './visibility.js';
