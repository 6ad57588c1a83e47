export { applyEdit } from './apply-edit.js';
export {
  type AllowedMentions,
  attachmentDescription,
  attachmentTitle,
  type MessageContent,
  type MessageEdit,
  messageContent,
  messageNonce,
  type NewMessage,
} from './body.js';
export { deleteMessages } from './bulk-delete.js';
export {
  findComponent,
  messageComponents,
  modalContent,
} from './components/index.js';
export { type ContentShown, contentReaders, contentShownTo } from './content.js';
export { deleteMessage, removeMessage } from './delete.js';
export { editMessage, requireEditing } from './edit.js';
export { messageEmbeds } from './embeds.js';
export { FileQuota } from './file-quota.js';
export {
  type AttachmentFile,
  fileTooLarge,
  findAttachmentFile,
  type ReceivedFile,
  tooManyAttachments,
  type UploadedFile,
} from './files.js';
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
export { attachmentNameIn } from './urls.js';
export { EVERYONE, type Reader, visibleTo, visibleToSql } from './visibility.js';
