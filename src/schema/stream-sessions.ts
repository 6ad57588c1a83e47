import type { Heard } from '../domain/bus-message.js';
import { DomainError } from '../domain/errors.js';
import { BUS_RECONNECTED } from '../infra/bus.js';
import type { GraphqlContext } from './context.js';

/** Whether somebody may be signed out after what was heard of sessions, or may have been while nothing was heard. */
export function mayEndSession(message: Heard, userId: string): boolean {
  return message.type === BUS_RECONNECTED || (message.invalidates.includes('session') && message.userId === userId);
}

/** @throws UNAUTHENTICATED once the session that a stream was opened with has ended */
export async function requireSession({ isStillSignedIn }: Pick<GraphqlContext, 'isStillSignedIn'>): Promise<void> {
  if (!(await isStillSignedIn())) throw new DomainError('UNAUTHENTICATED', 'You have signed out.');
}
