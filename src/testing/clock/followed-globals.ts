import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FollowedTime, FollowedTimer } from './followed-time.js';

/**
 * Parts of libraries that talk to the platform: a heartbeat that follows a move of days would end a connection. Timers
 * of Node.js itself have no file.
 */
const CONNECTIONS =
  /[\\/]node_modules[\\/](?:ws|undici|@discordjs[\\/](?:ws|rest)|@sapphire[\\/]async-queue|discord\.js[\\/]src[\\/]client[\\/]websocket|eris[\\/]lib[\\/](?:gateway|rest)|oceanic\.js[\\/]dist[\\/]lib[\\/](?:gateway|rest))[\\/]/;

/** Frames of this module, and of the caller. */
const FRAMES = 3;

const ABORTED = { name: 'AbortError', code: 'ABORT_ERR' };

type Callback = (...args: unknown[]) => void;

/** Replaces the dates and timers of the process, also those of `node:timers`. */
export function installFollowedTime(time: FollowedTime): void {
  const real = { setTimeout, setInterval, clearTimeout, clearInterval, wait: promises.setTimeout };
  const byId = new Map<number, WeakRef<FollowedTimer>>();

  const followed = (run: Callback, ms: unknown, args: unknown[], isRepeated: boolean): FollowedTimer => {
    const wait = Math.max(1, Number(ms) || 1);
    const timer = time.add(() => run(...args), wait, isRepeated ? wait : null);
    byId.set(timer.id, new WeakRef(timer));
    return timer;
  };
  const clear = (handle: unknown): boolean => {
    const timer = isFollowed(handle) ? handle : byId.get(Number(handle))?.deref();
    if (!timer) return false;
    byId.delete(timer.id);
    timer.close();
    return true;
  };
  const replaced = {
    setTimeout: (run: Callback, ms?: unknown, ...args: unknown[]) =>
      isOfConnection() ? real.setTimeout(run, Number(ms), ...args) : followed(run, ms, args, false),
    setInterval: (run: Callback, ms?: unknown, ...args: unknown[]) =>
      isOfConnection() ? real.setInterval(run, Number(ms), ...args) : followed(run, ms, args, true),
    clearTimeout: (handle: unknown) => {
      if (!clear(handle)) real.clearTimeout(handle as NodeJS.Timeout);
    },
    clearInterval: (handle: unknown) => {
      if (!clear(handle)) real.clearInterval(handle as NodeJS.Timeout);
    },
  };
  const wait = (ms?: number, value?: unknown, options?: { signal?: AbortSignal }) =>
    isOfConnection() ? real.wait(ms, value, options) : pause(followed, clear, ms, value, options?.signal);
  Object.assign(replaced.setTimeout, { [promisify.custom]: wait });
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  Object.assign(promises, { setTimeout: wait });
  syncBuiltinESMExports();
  globalThis.Date = dateOf(time);
}

function pause(
  followed: (run: Callback, ms: unknown, args: unknown[], isRepeated: boolean) => FollowedTimer,
  clear: (timer: FollowedTimer) => boolean,
  ms: number | undefined,
  value: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clear(timer);
      reject(Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), ABORTED));
    };
    const timer = followed(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      },
      ms,
      [],
      false,
    );
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function isFollowed(handle: unknown): handle is FollowedTimer {
  return typeof handle === 'object' && handle !== null && 'due' in handle && 'fire' in handle;
}

/** Whether the caller of a timer function belongs to a connection. */
function isOfConnection(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  const caller = stack.split('\n').at(-1) ?? '';
  return CONNECTIONS.test(caller) || caller.includes('node:internal');
}

function dateOf(time: FollowedTime): DateConstructor {
  return new Proxy(Date, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [time.now()] : args, newTarget),
    apply: (target) => new target(time.now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? () => time.now() : Reflect.get(target, key, receiver)),
  });
}
