export { type ContentShown, contentReaders, contentShownTo } from './content.js';
export { deleteMessage } from './delete.js';
export { editMessage, requireEditing } from './edit.js';
export {
  type AttachmentFile,
  fileTooLarge,
  findAttachmentFile,
  type ReceivedFile,
  tooManyAttachments,
  type UploadedFile,
} from './files.js';
export { getMessage, listMessages } from './list.js';
export { countReactions } from './load.js';
export { addReaction, clearReactions, listReactions, removeReaction } from './reactions.js';
export type { MessageRecord, ReactionCount } from './record.js';
export { requireSending, sendMessage } from './send.js';
export { startTyping } from './typing.js';
