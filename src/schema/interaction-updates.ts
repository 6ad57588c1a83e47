import { accessApplication } from '../domain/applications/index.js';
import { requirePerson } from '../domain/call.js';
import { BUS_RECONNECTED, topics } from '../infra/bus.js';
import type { Interaction } from '../infra/database/index.js';
import { type GraphqlContext, renewContext } from './context.js';
import type { BoundedQueue } from './queue.js';
import { watchQueue } from './watched-queue.js';

/**
 * An application's interactions, each whenever it comes into another state, for as long as the caller is signed in and has a role in
 * the application.
 * @throws what `accessApplication` throws
 */
export async function watchInteractions(
  context: GraphqlContext,
  applicationId: bigint,
): Promise<AsyncIterableIterator<Interaction>> {
  const { call } = context;
  const userId = String(requirePerson(call).user.id);
  const requireAccess = () => accessApplication(call, applicationId, 'viewInteractions');
  const { ownerTeamId } = await requireAccess();
  const ids = await watchQueue(context, {
    names: [topics.application(applicationId), ...(ownerTeamId === null ? [] : [topics.team(ownerTeamId)])],
    requireAccess,
    isUnsureAfter: (message) => message.type === BUS_RECONNECTED || message.invalidates.includes('portal'),
    shownOf: ({ type, interaction }) =>
      type === 'INTERACTION_UPDATED' && interaction ? BigInt(interaction.id) : undefined,
  });
  return rowsOf(context, userId, ids);
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
