import { InstanceLogFilter, listInstanceLog } from '../domain/audit-log/index.js';
import { parseInput } from '../domain/parse-input.js';
import { AuditEntryConnection, logCost } from './audit-log.js';
import { builder } from './builder.js';
import { Instance } from './instance.js';
import { connectionOf, pageArgs, pageRows, parsePage } from './page.js';

builder.objectFields(Instance, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'Actions of operators, oldest first. Only for operators; everyone else gets NOT_FOUND.',
    args: {
      ...pageArgs,
      actions: t.arg.stringList({
        description: 'Returns only these values of `AuditEntry.action`. An empty list returns nothing.',
      }),
      actorId: t.arg.id({ description: 'Returns only actions of the user with this ID.' }),
      targetId: t.arg.id({ description: 'Returns only actions on the person, application or server with this ID.' }),
    },
    complexity: logCost,
    resolve: async (_instance, args, { call, budget }) => {
      const page = parsePage(args);
      const filter = parseInput(InstanceLogFilter, args);
      const read = await budget.read(page.take + 1, (take) => listInstanceLog(call, { ...page, ...filter, take }));
      return connectionOf(page, pageRows(page, read), (entry) => entry.id);
    },
  }),
}));
