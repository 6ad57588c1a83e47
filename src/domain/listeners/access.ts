import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { InteractionRecord } from '../interactions/record.js';

/**
 * For those who may listen.
 * @throws UNKNOWN_INTERACTION, and the errors of `accessApplication`
 */
export async function accessForwarded(call: CallContext, id: bigint): Promise<InteractionRecord> {
  const interaction = await call.read.interaction.findUnique({ where: { id } });
  if (!interaction) throw new DomainError('UNKNOWN_INTERACTION');
  await accessApplication(call, interaction.applicationId, 'updateSettings');
  return interaction;
}
