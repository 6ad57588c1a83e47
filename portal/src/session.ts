import { Store } from './store.js';

/** Whether the session ended while its pages were open. The other tabs of the browser hear of it, and of its return. */
export const sessionEnded = new Store(false);

const tabs = new BroadcastChannel('session');
tabs.addEventListener('message', ({ data }) => sessionEnded.set(data === 'ended'));

/** Tells every page that the session ended, or that the same person is there again. */
export function tellSession(isEnded: boolean): void {
  if (sessionEnded.get() === isEnded) return;
  sessionEnded.set(isEnded);
  tabs.postMessage(isEnded ? 'ended' : 'back');
}
