import { randomUUID } from 'node:crypto';
import { installFollowedTime } from './followed-globals.js';
import { FollowedTime } from './followed-time.js';
import { askForMove } from './moves.js';

/**
 * `node --import @causeway-preview/causeway/testing/clock bot.js` lets the timers and dates of a bot follow the clock of
 * the sandbox. Connections, and requests of libraries, stay on real time.
 */
const { CAUSEWAY_SANDBOX_URL: url, CAUSEWAY_SANDBOX_TOKEN: token } = process.env;
if (!url || !token) {
  throw new Error(
    'testing/clock follows the clock of a sandbox: set CAUSEWAY_SANDBOX_URL and CAUSEWAY_SANDBOX_TOKEN (`instance.environment`), or run the bot with `causeway sandbox -- …`.',
  );
}
const follower = randomUUID();
const ask = (after: number, withinMs: number) => askForMove({ url, token }, { follower, after, withinMs });

const time = new FollowedTime();
const first = await ask(0, 0);
await time.moveTo(first);
installFollowedTime(time);
void follow(first.number);

/** Ends with the sandbox. */
async function follow(number: number): Promise<void> {
  for (let followed = number; ; ) {
    const move = await ask(followed, 30_000).catch(() => null);
    if (!move) return;
    if (move.number > followed) await time.moveTo(move);
    followed = move.number;
  }
}
