import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { InteractionRecord } from '../interactions/record.js';
import { transitionWithStep } from '../interactions/transitions.js';

interface Failure {
  interactionId: bigint;
  reason: string;
  /** Status that the local endpoint returned. */
  status?: number | undefined;
}

/**
 * Ends an interaction that a listener received but could not hand on, so that the person need not wait.
 * @returns the interaction, unchanged if it was answered or failed before
 * @throws UNKNOWN_INTERACTION, and the errors of `accessApplication`
 */
export async function failForwarded(
  call: CallContext,
  { interactionId: id, reason, status }: Failure,
): Promise<InteractionRecord> {
  const interaction = await call.read.interaction.findUnique({ where: { id } });
  if (!interaction) throw new DomainError('UNKNOWN_INTERACTION');
  await accessApplication(call, interaction.applicationId, 'updateSettings');
  await transitionWithStep(call, interaction, ['DELIVERED_HTTP'], {
    data: { state: 'FAILED', endsAt: null, failure: reason },
    step: { kind: 'FAILED', reason, ...(status === undefined ? {} : { status }) },
  });
  return call.read.interaction.findUniqueOrThrow({ where: { id } });
}
