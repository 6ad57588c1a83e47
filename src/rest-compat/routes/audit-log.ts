import { z } from 'zod';
import { getGuildLog } from '../../domain/audit-log/index.js';
import { actionsOfType, renderAuditLog } from '../../wire/audit-log.js';
import { reads } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids, queryId, queryInteger, queryNumber } from '../schemas.js';

export const auditLogRoutes = [
  route({
    method: 'GET',
    path: '/guilds/:guildId/audit-logs',
    summary: "List a server's audit log entries",
    description: 'Newest first, with the users, webhooks and commands that the entries mention.',
    callers: ['bot'],
    bucket: reads('audit-log', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    query: z.object({
      user_id: queryId,
      action_type: queryNumber,
      before: queryId,
      after: queryId,
      limit: queryInteger(1, 100, 50),
    }),
    // Newest first, unless `after` is given.
    run: (call, { params, query }) =>
      getGuildLog(call, {
        ...params,
        actorId: query.user_id,
        actions: query.action_type === undefined ? undefined : actionsOfType(query.action_type),
        before: query.before,
        after: query.after,
        take: query.limit,
        backwards: query.after === undefined,
      }),
    render: (page, { app }) => renderAuditLog(page, app.log),
  }),
];
