import type { BusMessage, Heard } from '../domain/bus-message.js';
import { requireUser } from '../domain/call.js';
import { Mutex } from '../infra/concurrency/mutex.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { subscribeToAll } from '../infra/streams/streams.js';
import { topics } from '../infra/streams/topics.js';
import type { GraphqlContext } from './context.js';
import { BoundedQueue } from './queue.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

interface Watching<Value> {
  /** Topics. */
  names: readonly string[];
  requireAccess(): Promise<unknown>;
  /** Whether the caller may have lost access. */
  isUnsureAfter(message: Heard): boolean;
  /** Undefined skips the event. */
  shownOf(message: BusMessage): Value | undefined;
  onEnd?(): void;
}

/**
 * Streams values while the caller is signed in and has access. After an event that may remove access, later values wait
 * for the check.
 * @throws UNAUTHENTICATED, LIMIT_EXCEEDED
 */
export async function watchQueue<Value>(
  context: GraphqlContext,
  { names, requireAccess, isUnsureAfter, shownOf, onEnd }: Watching<Value>,
): Promise<BoundedQueue<Value>> {
  const { app, call, streams } = context;
  const userId = String(requireUser(call).user.id);
  const queue = new BoundedQueue<Value>(
    () => {
      streams.delete(stream);
      heard.close();
      sessions.close();
      onEnd?.();
    },
    () => app.metrics.slowSubscriptions.inc(),
  );
  const stream: Stream = {
    end: (error) => queue.end(error),
    check() {
      after(() => requireSession(context));
      after(requireAccess);
    },
  };
  streams.add(stream, userId, context.gone);
  const mutex = new Mutex();
  const after = (step: () => unknown) => {
    mutex.run(step).catch((error: unknown) => queue.end(error));
  };
  const heard = subscribeToAll(app.bus, names, (message) => {
    if (isUnsureAfter(message)) after(requireAccess);
    if (!isEvent(message)) return;
    const value = shownOf(message);
    if (value !== undefined) after(() => queue.push(value));
  });
  const sessions = app.bus.subscribe(topics.sessions, (message) => {
    if (mayEndSession(message, userId)) stream.check();
  });
  await Promise.all([heard.ready, sessions.ready]);
  return queue;
}

function isEvent(message: Heard): message is BusMessage {
  return message.type !== STREAM_GAP;
}
