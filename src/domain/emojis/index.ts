export {
  createApplicationEmoji,
  deleteApplicationEmoji,
  getApplicationEmoji,
  listApplicationEmojis,
  updateApplicationEmoji,
} from './application.js';
export { createEmoji, deleteEmoji, getEmoji, listEmojis, updateEmoji } from './guild.js';
export { EmojiChange, EmojiName, NewEmoji } from './input.js';
export { EMOJI_OPERATIONS, operationsOnEmoji } from './operations.js';
export { type EmojiForm, findPicture } from './pictures.js';
export type { EmojiRecord } from './record.js';
