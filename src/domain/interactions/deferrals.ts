import { MessageFlags } from 'discord-api-types/v10';
import type { CallContext, Write } from '../call.js';
import type { MessageRecord } from '../messages/record.js';
import { leadWithin } from './transitions.js';

/** Whether a message is a deferred answer, which says nothing yet. */
export function isDeferred({ flags }: Pick<MessageRecord, 'flags'>): boolean {
  return (flags & MessageFlags.Loading) !== 0;
}

/**
 * Notes, in the transaction that fills a deferred answer in or removes it, that its interaction is answered.
 * @returns whether it was still deferred, and its time not over
 */
export async function endDeferral(
  { clock }: Pick<CallContext, 'clock'>,
  write: Pick<Write, 'db' | 'record'>,
  { interaction, applicationId }: Pick<MessageRecord, 'interaction' | 'applicationId'>,
): Promise<boolean> {
  if (interaction === null || applicationId === null) return false;
  const id = BigInt(interaction.id);
  const deferred = { id, state: 'DEFERRED', endsAt: { gt: new Date(clock.now()) } } as const;
  return leadWithin(write, { id, applicationId }, deferred, { state: 'ANSWERED', endsAt: null });
}
