import { z } from 'zod';
import type { AuditEntry } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { snowflake } from '../input.js';
import { requireOperator } from '../operators/access.js';
import { INSTANCE_ACTIONS, type InstanceAction, isInstanceAction } from './actions.js';
import type { AuditFilter, AuditPage } from './page.js';

export type InstanceLogEntry = AuditEntry & { action: InstanceAction };

export const InstanceLogFilter = z.object({
  actions: z.array(z.enum(INSTANCE_ACTIONS)).nullish(),
  actorId: snowflake().nullish(),
  targetId: snowflake().nullish(),
});

interface InstanceLogQuery extends AuditPage, AuditFilter<InstanceAction> {
  targetId?: bigint | null | undefined;
}

/** Actions of operators. Ascending by id, or descending if `backwards`. @throws NOT_FOUND */
export async function listInstanceLog(call: CallContext, query: InstanceLogQuery): Promise<InstanceLogEntry[]> {
  await requireOperator(call, 'MODERATOR');
  const { actions, actorId, targetId, after, before, backwards, take } = query;
  const rows = await call.read.instanceAuditEntry.findMany({
    where: {
      id: { ...(after === undefined ? {} : { gt: after }), ...(before === undefined ? {} : { lt: before }) },
      ...(actions ? { action: { in: [...actions] } } : {}),
      ...(actorId == null ? {} : { actorId }),
      ...(targetId == null ? {} : { targetId }),
    },
    orderBy: { id: backwards ? 'desc' : 'asc' },
    take,
  });
  return rows.flatMap(({ action, ...row }) =>
    isInstanceAction(action) ? { ...row, action, applicationId: null, teamId: null, guildId: null } : [],
  );
}
