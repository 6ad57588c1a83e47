import type { Heard } from '../domain/bus-message.js';
import { DomainError } from '../domain/errors.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import type { GraphqlContext } from './context.js';

/** True also after a gap in messages. */
export function mayEndSession(message: Heard, userId: string): boolean {
  return message.type === STREAM_GAP || (message.invalidates.includes('session') && message.userId === userId);
}

/** @throws UNAUTHENTICATED if the stream's session has ended */
export async function requireSession({ isStillSignedIn }: Pick<GraphqlContext, 'isStillSignedIn'>): Promise<void> {
  if (!(await isStillSignedIn())) throw new DomainError('UNAUTHENTICATED', 'Your session has ended. Sign in again.');
}
