import { Store } from './store.js';

/** Whether the session ended while its pages were open. The other tabs of the browser hear of it, and of its return. */
export const sessionEnded = new Store(false);

/** How often somebody signed in, in this tab or another one, while it was ended here: each time it may be the same person. */
export const returns = new Store(0);

/** What was never begun does not end: a visitor is asked to sign in by the page for that. */
let hasBegun = false;

const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', ({ data }) => (data === 'ended' ? setEnded() : noteReturn()));

/** Somebody is signed in. */
export function beginSession(): void {
  hasBegun = true;
  sessionEnded.set(false);
}

/** Nobody is signed in any more, which the other tabs are told. */
export function endSession(): void {
  if (!hasBegun || sessionEnded.get()) return;
  setEnded();
  tabs.postMessage('ended');
}

/** Somebody signed in, which the other tabs are told: each finds out whether it is who was there before. */
export function tellReturn(): void {
  noteReturn();
  tabs.postMessage('back');
}

function setEnded(): void {
  if (hasBegun) sessionEnded.set(true);
}

function noteReturn(): void {
  if (sessionEnded.get()) returns.set(returns.get() + 1);
}
