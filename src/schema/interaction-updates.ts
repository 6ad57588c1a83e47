import { accessApplication } from '../domain/applications/index.js';
import type { BusMessage } from '../domain/bus-message.js';
import { requirePerson } from '../domain/call.js';
import { BUS_RECONNECTED, subscribeToAll, topics } from '../infra/bus.js';
import type { Interaction } from '../infra/database/index.js';
import { type GraphqlContext, renewContext } from './context.js';
import { BoundedQueue } from './queue.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

/**
 * An application's interactions, each whenever it comes into another state, for as long as the caller is signed in and has a role in
 * the application.
 * @throws what `accessApplication` throws
 */
export async function watchInteractions(
  context: GraphqlContext,
  applicationId: bigint,
): Promise<AsyncIterableIterator<Interaction>> {
  const { app, call, streams } = context;
  const userId = String(requirePerson(call).user.id);
  const requireAccess = () => accessApplication(call, applicationId, 'viewInteractions');
  const { ownerTeamId } = await requireAccess();
  const ids = new BoundedQueue<bigint>(() => {
    streams.delete(stream);
    changes.close();
    sessions.close();
  });
  const stream: Stream = {
    end: (error) => ids.end(error),
    check() {
      after(() => requireSession(context));
      after(requireAccess);
    },
  };
  streams.add(stream, userId);
  let settled = Promise.resolve();
  const after = (step: () => unknown) => {
    settled = settled.then(step).then(
      () => {},
      (error: unknown) => ids.end(error),
    );
  };
  const names = [topics.application(applicationId), ...(ownerTeamId === null ? [] : [topics.team(ownerTeamId)])];
  const changes = subscribeToAll(app.bus, names, (message) => {
    if (message.type === BUS_RECONNECTED || message.invalidates.includes('portal')) after(requireAccess);
    else if (isUpdate(message)) after(() => ids.push(BigInt(message.interaction.id)));
  });
  const sessions = app.bus.subscribe(topics.sessions, (message) => {
    if (mayEndSession(message, userId)) stream.check();
  });
  await Promise.all([changes.ready, sessions.ready]);
  return rowsOf(context, userId, ids);
}

type Update = BusMessage & { interaction: NonNullable<BusMessage['interaction']> };

function isUpdate(message: BusMessage): message is Update {
  return message.type === 'INTERACTION_UPDATED' && message.interaction !== undefined;
}

/** The rows with these ids as they are when it is their turn; what is gone by then is left out. */
function rowsOf(
  context: GraphqlContext,
  userId: string,
  ids: BoundedQueue<bigint>,
): AsyncIterableIterator<Interaction> {
  const next = async (): Promise<IteratorResult<Interaction>> => {
    context.turn.end();
    const { value: id, done } = await ids.next();
    if (done) return { value: undefined, done };
    context.turn.begin(await context.streams.turn(userId));
    renewContext(context);
    const value = await context.call.read.interaction.findUnique({ where: { id } });
    return value ? { value, done: false } : next();
  };
  return {
    next,
    async return() {
      context.turn.end();
      await ids.return();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
