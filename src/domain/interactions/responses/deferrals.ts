import { MessageFlags } from 'discord-api-types/v10';
import type { CallContext, Write } from '../../call.js';
import type { MessageRecord } from '../../messages/record.js';
import { applyTransitionIn } from '../transitions.js';

export function isDeferred({ flags }: Pick<MessageRecord, 'flags'>): boolean {
  return (flags & MessageFlags.Loading) !== 0;
}

/**
 * Runs in the transaction that completes or removes the deferred message.
 * @returns whether the interaction was still deferred and not expired
 */
export async function endDeferral(
  { clock }: Pick<CallContext, 'clock'>,
  write: Pick<Write, 'db' | 'record'>,
  { interaction, applicationId }: Pick<MessageRecord, 'interaction' | 'applicationId'>,
): Promise<boolean> {
  if (interaction === null || applicationId === null) return false;
  const id = BigInt(interaction.id);
  const deferred = { id, state: 'DEFERRED', endsAt: { gt: new Date(clock.now()) } } as const;
  return applyTransitionIn(write, { id, applicationId }, deferred, { state: 'ANSWERED', endsAt: null });
}
