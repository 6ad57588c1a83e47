import type { BusMessage, Heard } from '../domain/bus-message.js';
import { requireUser } from '../domain/call.js';
import { BUS_RECONNECTED, subscribeToAll, topics } from '../infra/bus.js';
import type { GraphqlContext } from './context.js';
import { BoundedQueue } from './queue.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

/** What a subscription hears, and what it makes of it. */
interface Watching<Value> {
  /** The topics. */
  names: readonly string[];
  /** Refuses a caller who may no longer have it. */
  requireAccess(): Promise<unknown>;
  /** Whether the caller may no longer have it after what was heard. */
  isUnsureAfter(message: Heard): boolean;
  /** What is shown of an event; undefined for nothing. */
  shownOf(message: BusMessage): Value | undefined;
}

/**
 * Values made of what is heard from now on, for as long as the caller is signed in and may have them. What comes after a change that may
 * take the right away waits until that is settled.
 * @throws UNAUTHENTICATED, LIMIT_EXCEEDED
 */
export async function watchQueue<Value>(
  context: GraphqlContext,
  { names, requireAccess, isUnsureAfter, shownOf }: Watching<Value>,
): Promise<BoundedQueue<Value>> {
  const { app, call, streams } = context;
  const userId = String(requireUser(call).user.id);
  const queue = new BoundedQueue<Value>(
    () => {
      streams.delete(stream);
      heard.close();
      sessions.close();
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
  let settled = Promise.resolve();
  const after = (step: () => unknown) => {
    settled = settled.then(step).then(
      () => {},
      (error: unknown) => queue.end(error),
    );
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
  return message.type !== BUS_RECONNECTED;
}
