import type { CallContext } from '../../call.js';
import type { InteractionRecord } from '../record.js';
import type { InteractionRequest } from '../requests/request.js';
import { waitForEndOf } from './wait.js';

/** Time for a listener to take an interaction. It takes longer only if its process has just ended. */
export const LISTENER_PATIENCE_MS = 1_000;

/**
 * Offers the interaction to the application's listener, in any process.
 * @returns whether it took the interaction; then neither the endpoint nor the gateway gets it
 */
export async function isTakenByListener(
  call: CallContext,
  { request, interaction, token }: { request: InteractionRequest; interaction: InteractionRecord; token: string },
): Promise<boolean> {
  const { listenerId, listenerProcessId } = request.application;
  if (listenerId === null || listenerProcessId === null) return false;
  const taken = waitForEndOf(call, interaction, ['DELIVERING']);
  let isTaken = true;
  try {
    await taken.ready;
    call.announce({ type: 'INTERACTION_CREATE', request, interaction: { id: interaction.id, token }, listenerId });
    await taken.settled(LISTENER_PATIENCE_MS, async () => {
      isTaken = false;
    });
  } finally {
    taken.close();
  }
  return isTaken;
}
