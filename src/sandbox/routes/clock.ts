import { z } from 'zod';
import { parseDuration } from '../duration.js';
import { SandboxError } from '../errors.js';
import type { ClockDescription } from '../protocol.js';
import { type Route, route } from '../route.js';
import type { Sandbox } from '../sandbox.js';
import { LONGEST_WAIT_MS } from '../waiting.js';

function describe({ clock }: Sandbox): ClockDescription {
  const { now, isFrozen } = clock.state();
  return { now: new Date(now).toISOString(), isFrozen };
}

/** Time belongs to the instance. @throws SandboxError SHARED_CLOCK while there is a second world */
function requireAlone({ worlds }: Sandbox): void {
  if (worlds.length <= 1) return;
  const message =
    `The clock belongs to the whole instance, and ${worlds.length} worlds use it. ` +
    'Start an instance of your own for this test: sandbox({ clock: true }).';
  throw new SandboxError(409, 'SHARED_CLOCK', message);
}

/** @throws SandboxError INVALID_TIME */
async function move(sandbox: Sandbox, how: string, work: () => Promise<void> | void): Promise<ClockDescription> {
  requireAlone(sandbox);
  // Before everything that falls due in the move.
  for (const { transcript } of sandbox.worlds) transcript.add({ kind: 'world', text: `The clock is ${how}.` });
  try {
    await work();
  } catch (error) {
    throw error instanceof RangeError ? new SandboxError(400, 'INVALID_TIME', error.message) : error;
  }
  await sandbox.followers.allFollowed();
  return describe(sandbox);
}

const Follow = z.object({
  follower: z.string().min(1).max(100).describe('Any text that only this program uses.'),
  after: z.coerce.number().int().min(0).default(0).describe('The number of the last move that it has followed.'),
  withinMs: z.coerce.number().int().min(0).max(LONGEST_WAIT_MS).default(LONGEST_WAIT_MS),
});

export const clockRoutes: readonly Route[] = [
  route('GET /clock', { summary: "Describes the platform's time.", run: describe }),
  route('GET /clock/moves', {
    summary:
      'Waits for the next move of the time. Moves wait until every program that asks has followed the one before.',
    query: Follow,
    run: (sandbox, { query: { follower, ...wait }, gone }) => sandbox.followers.next(follower, { ...wait, gone }),
  }),
  route('POST /clock/freeze', {
    summary: 'Stops the time of the platform. Connections stay on real time.',
    run: (sandbox) => move(sandbox, 'frozen', () => sandbox.clock.freeze()),
  }),
  route('POST /clock/resume', {
    summary: 'Lets the time run again from where it is.',
    run: (sandbox) => move(sandbox, 'resumed', () => sandbox.clock.resume()),
  }),
  route('POST /clock/advance', {
    summary: 'Moves the time, and waits until everything that falls due has finished.',
    body: z.strictObject({ by: z.union([z.string(), z.number()]).describe('Such as 15m, 30d, or milliseconds.') }),
    run: (sandbox, { body: { by } }) =>
      move(sandbox, `advanced by ${typeof by === 'number' ? `${by} ms` : by}`, () =>
        sandbox.clock.advance(parseDuration(by)),
      ),
  }),
  route('POST /clock/set', {
    summary: 'Moves the time forward to a date, and waits like an advance.',
    body: z.strictObject({ to: z.iso.datetime({ offset: true }) }),
    run: (sandbox, { body }) => move(sandbox, `set to ${body.to}`, () => sandbox.clock.set(new Date(body.to))),
  }),
];
