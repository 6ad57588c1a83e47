import { Store } from './store.js';

/** Whether the session ended while its pages were open. Shared by the browser's tabs. */
export const sessionEnded = new Store(false);

/** Sign-ins in any tab since the session ended. Each may be the same user. */
export const returns = new Store(0);

/** Whether the user signed out on purpose, in any tab. */
export const signedOut = new Store(false);

/** Visitors have no session that could end. */
let hasBegun = false;

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

export function endSession(): void {
  if (hasBegun && !sessionEnded.get()) tell('ended');
}

/** Every tab closes its pages at once and drops unsaved input. */
export function tellSignedOut(): void {
  tell('signed out');
}

/** Every tab checks whether it is the same user. */
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
