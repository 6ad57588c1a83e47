import { z } from 'zod';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import type { ShownPresence } from './record.js';

export const NewPresence = z.object({ status: z.enum(['online', 'idle', 'dnd', 'invisible']) });

/**
 * Sets the caller's status on all their connections.
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, CONFLICT without an open connection
 */
export async function setPresence(call: CallContext, { status }: z.output<typeof NewPresence>): Promise<ShownPresence> {
  const { user } = requirePerson(call);
  const shown = await call.connections.setStatus(user.id, status);
  if (shown) return shown;
  throw new DomainError(
    'CONFLICT',
    'Setting a status requires an open connection. Open a WebSocket to /graphql first.',
  );
}
