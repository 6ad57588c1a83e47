import type { CallContext } from '../call.js';
import type { InteractionRecord } from '../interactions/record.js';
import { transitionWithStep } from '../interactions/transitions.js';
import { accessForwarded } from './access.js';

interface Failure {
  interactionId: bigint;
  reason: string;
  /** Status that the local endpoint returned. */
  status?: number | undefined;
}

/**
 * Ends an interaction that a listener received but could not hand on, so that the person need not wait.
 * @returns the interaction, unchanged if it was answered or failed before
 * @throws the errors of `accessForwarded`
 */
export async function failForwarded(
  call: CallContext,
  { interactionId: id, reason, status }: Failure,
): Promise<InteractionRecord> {
  const interaction = await accessForwarded(call, id);
  await transitionWithStep(call, interaction, ['DELIVERED_HTTP'], {
    data: { state: 'FAILED', endsAt: null, failure: reason },
    step: { kind: 'FAILED', reason, ...(status === undefined ? {} : { status }) },
  });
  return call.read.interaction.findUniqueOrThrow({ where: { id } });
}
