import type { Interaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

export interface ListInteractionsInput {
  take: number;
  /** Counted from the newest. */
  backwards: boolean;
  after: bigint | undefined;
  before: bigint | undefined;
}

/** An application's interactions by their ids, in the direction of the page. Whoever asks answers for the right. */
export function listInteractions(
  call: CallContext,
  applicationId: bigint,
  { take, backwards, after, before }: ListInteractionsInput,
): Promise<Interaction[]> {
  return call.read.interaction.findMany({
    where: { applicationId, id: { gt: after, lt: before } },
    orderBy: { id: backwards ? 'desc' : 'asc' },
    take,
  });
}
