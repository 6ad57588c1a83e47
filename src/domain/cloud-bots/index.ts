export { type BotProfile, copyOfBot } from './copies.js';
export { installOnBox, removeFromBox } from './install.js';
