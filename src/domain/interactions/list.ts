import type { Interaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

export interface ListInteractionsInput {
  take: number;
  /** Newest first. */
  backwards: boolean;
  after: bigint | undefined;
  before: bigint | undefined;
}

/** The caller must check permissions. */
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
