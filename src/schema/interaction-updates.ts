import { accessApplication } from '../domain/applications/index.js';
import type { BusMessage, Heard } from '../domain/bus-message.js';
import { requirePerson } from '../domain/call.js';
import { accessInteraction } from '../domain/interactions/index.js';
import type { Interaction } from '../infra/database/index.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import { type GraphqlContext, renewContext } from './context.js';
import type { BoundedQueue } from './queue.js';
import { watchQueue } from './watched-queue.js';

/**
 * Ends when the caller signs out or has no role in the application.
 * @throws what `accessApplication` throws
 */
export async function watchInteractions(
  context: GraphqlContext,
  applicationId: bigint,
): Promise<AsyncIterableIterator<Interaction>> {
  const { call } = context;
  const requireAccess = () => accessApplication(call, applicationId, 'viewInteractions');
  const { ownerTeamId } = await requireAccess();
  const ids = await watchQueue(context, {
    names: [topics.application(applicationId), ...(ownerTeamId === null ? [] : [topics.team(ownerTeamId)])],
    requireAccess,
    isUnsureAfter: mayChangeRoles,
    shownOf: updatedId,
  });
  return rowsOf(context, ids);
}

/**
 * Ends when the caller signs out or may no longer view it.
 * @throws what `accessInteraction` throws
 */
export async function watchInteraction(
  context: GraphqlContext,
  id: bigint,
): Promise<AsyncIterableIterator<Interaction>> {
  const requireAccess = () => accessInteraction(context.call, id);
  const { applicationId } = await requireAccess();
  const ids = await watchQueue(context, {
    names: [topics.application(applicationId)],
    requireAccess,
    isUnsureAfter: mayChangeRoles,
    shownOf: (message) => (updatedId(message) === id ? id : undefined),
  });
  return rowsOf(context, ids);
}

export function mayChangeRoles(message: Heard): boolean {
  return message.type === STREAM_GAP || message.invalidates.includes('portal');
}

function updatedId({ type, interaction }: BusMessage): bigint | undefined {
  return type === 'INTERACTION_UPDATED' && interaction ? BigInt(interaction.id) : undefined;
}

/** Reads each row when the stream gets its permit. Skips deleted rows. */
function rowsOf(context: GraphqlContext, ids: BoundedQueue<bigint>): AsyncIterableIterator<Interaction> {
  const userId = String(requirePerson(context.call).user.id);
  const { turn } = context;
  const end = async (): Promise<IteratorResult<Interaction>> => {
    turn.close();
    await ids.return();
    return { value: undefined, done: true };
  };
  const next = async (): Promise<IteratorResult<Interaction>> => {
    turn.end();
    const { value: id, done } = await ids.next();
    if (done) return end();
    turn.begin(await context.streams.turn(userId));
    if (turn.isClosed) return end();
    renewContext(context);
    const value = await context.call.read.interaction.findUnique({ where: { id } });
    return value ? { value, done: false } : next();
  };
  return {
    async next() {
      try {
        return await next();
      } catch (error) {
        await end();
        throw error;
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
