import { Store } from './store.js';

/** Whether the session ended while its pages were open. Shared with the browser's other tabs. */
export const sessionEnded = new Store(false);

/** Number of sign-ins, in any tab, since the session ended in this one. Each may be the same user. */
export const returns = new Store(0);

/** Whether the user signed out on purpose, in any tab. Their data must leave the page. */
export const signedOut = new Store(false);

/** Only a session that began can end; visitors are redirected to the sign-in page. */
let hasBegun = false;

/** Messages between tabs. */
const TOLD = { ended: setEnded, 'signed out': () => signedOut.set(true), back: noteReturn };

const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', ({ data }: MessageEvent<keyof typeof TOLD>) => TOLD[data]?.());

function tell(message: keyof typeof TOLD): void {
  TOLD[message]();
  tabs.postMessage(message);
}

export function beginSession(): void {
  hasBegun = true;
  sessionEnded.set(false);
}

/** Marks the session as ended in all tabs. */
export function endSession(): void {
  if (hasBegun && !sessionEnded.get()) tell('ended');
}

/** Signs out all tabs. Each closes its pages at once and drops unsaved input. */
export function tellSignedOut(): void {
  tell('signed out');
}

/** Reports a sign-in to all tabs. Each checks whether it is the same user. */
export function tellReturn(): void {
  tell('back');
}

function setEnded(): void {
  if (hasBegun) sessionEnded.set(true);
}

function noteReturn(): void {
  signedOut.set(false);
  if (sessionEnded.get()) returns.set(returns.get() + 1);
}
