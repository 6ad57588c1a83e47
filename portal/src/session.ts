import { Store } from './store.js';

/** Whether the session ended while its pages were open. The other tabs of the browser hear of it, and of its return. */
export const sessionEnded = new Store(false);

/** How often somebody signed in, in this tab or another one, while it was ended here: each time it may be the same person. */
export const returns = new Store(0);

/** Whether somebody signed out on purpose, in this tab or another one of the browser: nothing of theirs may stay on a page. */
export const signedOut = new Store(false);

/** What was never begun does not end: a visitor is asked to sign in by the page for that. */
let hasBegun = false;

/** What tabs tell each other. */
const TOLD = { ended: setEnded, 'signed out': () => signedOut.set(true), back: noteReturn };

const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', ({ data }: MessageEvent<keyof typeof TOLD>) => TOLD[data]?.());

function tell(message: keyof typeof TOLD): void {
  TOLD[message]();
  tabs.postMessage(message);
}

/** Somebody is signed in. */
export function beginSession(): void {
  hasBegun = true;
  sessionEnded.set(false);
}

/** Nobody is signed in any more, which the other tabs are told. */
export function endSession(): void {
  if (hasBegun && !sessionEnded.get()) tell('ended');
}

/** Somebody signed out on purpose: every tab closes its pages at once, with all that was typed there. */
export function tellSignedOut(): void {
  tell('signed out');
}

/** Somebody signed in, which the other tabs are told: each finds out whether it is who was there before. */
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
