import { MessageFlags } from 'discord-api-types/v10';
import type { CallContext, Write } from '../call.js';
import type { MessageRecord } from '../messages/record.js';
import { updated } from './transitions.js';

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
  { db, record }: Pick<Write, 'db' | 'record'>,
  { interaction, applicationId }: Pick<MessageRecord, 'interaction' | 'applicationId'>,
): Promise<boolean> {
  if (interaction === null || applicationId === null) return false;
  const id = BigInt(interaction.id);
  const { count } = await db.interaction.updateMany({
    where: { id, state: 'DEFERRED', endsAt: { gt: new Date(clock.now()) } },
    data: { state: 'ANSWERED', endsAt: null },
  });
  if (count === 1) record(updated({ id, applicationId, state: 'ANSWERED' }));
  return count === 1;
}
