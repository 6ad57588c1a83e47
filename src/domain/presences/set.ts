import { z } from 'zod';
import { type CallContext, requirePerson } from '../call.js';
import { DomainError } from '../errors.js';
import type { ShownPresence } from './record.js';

/** What a person may say of themselves. */
export const NewPresence = z.object({ status: z.enum(['online', 'idle', 'dnd', 'invisible']) });

/**
 * Says how the caller is seen, for as long as they are connected; several connections count as one.
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, and CONFLICT for somebody who has no connection that lasts
 */
export async function setPresence(call: CallContext, { status }: z.output<typeof NewPresence>): Promise<ShownPresence> {
  const { user } = requirePerson(call);
  const shown = await call.connections.setStatus(user.id, status);
  if (shown) return shown;
  throw new DomainError('CONFLICT', 'You are seen as long as you are connected: open a WebSocket to /graphql first.');
}
