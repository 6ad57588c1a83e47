export { failForwarded } from './fail.js';
export { hasListener, keepListening, startListening, stopListening } from './listen.js';
export { type ForwardedInteraction, forwardInteraction, type Taking, takeForwarded } from './take.js';
