import {
  type AuditLog,
  GuildLogFilter,
  type LogEntry,
  listAuditEntries,
  listGuildLog,
  nameTargets,
  PortalLogFilter,
  targetOf,
} from '../domain/audit-log/index.js';
import { neededInGuild } from '../domain/guild-operations.js';
import { accessGuild } from '../domain/guilds/index.js';
import { parseInput } from '../domain/parse-input.js';
import { allows } from '../domain/permissions.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { Application, referredApplication } from './applications.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { onlyHere } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { snowflakeId } from './ids.js';
import { createLoader, type Loader } from './loaders.js';
import { connectionOf, type PageArgs, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { Team } from './teams.js';
import { referredUser, User } from './users.js';

const AuditEntry = builder.objectRef<LogEntry>('AuditEntry').implement({
  description: 'An action in the portal or in a server. Entries never change and never contain secrets.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    actor: t.field({
      type: User,
      nullable: true,
      description: 'User who did it. Null if not recorded.',
      resolve: ({ actorId }, _args, context, info) => (actorId === null ? null : referredUser(context, info, actorId)),
    }),
    action: t.exposeString('action', { description: 'Name of the action, such as TEAM_MEMBER_UPDATE.' }),
    target: t.string({
      nullable: true,
      description: 'ID of the affected object, such as a user, team, command or channel. Null if there is none.',
      resolve: ({ targetId }) => (targetId === null ? null : String(targetId)),
    }),
    targetUser: t.field({
      type: User,
      nullable: true,
      description: 'Affected user. Null if the target is not a user.',
      resolve: ({ action, targetId }, _args, context, info) =>
        targetId !== null && targetOf(action) === 'user' ? referredUser(context, info, targetId) : null,
    }),
    targetName: t.string({
      nullable: true,
      description:
        'Current name of the target, or the recorded one if it was deleted. Code of an invite. Null if there is none.',
      resolve: (entry, _args, context) => targetNames(context).load(entry),
    }),
    application: t.field({
      type: Application,
      nullable: true,
      description: 'Affected application. Null if the action was not about one.',
      resolve: ({ applicationId }, _args, context, info) =>
        applicationId === null ? null : referredApplication(context, info, applicationId),
    }),
    changes: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Details of the action, with `{old, new}` for each changed value. Null if there are none.',
      resolve: ({ changes }) => (isEmpty(changes) ? null : changes),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason that the actor gave. Null if there is none.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the action.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
  }),
});

export const AuditEntryConnection = builder.connectionObject(
  { type: AuditEntry, name: 'AuditEntryConnection' },
  { name: 'AuditEntryEdge' },
);

function targetNames({ call, loaders, budget }: GraphqlContext): Loader<LogEntry, string | null> {
  return loaders.get('audit targets', () =>
    createLoader<LogEntry, string | null>((entries) => budget.step(() => nameTargets(call.read, entries)), null),
  );
}

function isEmpty(changes: LogEntry['changes']): boolean {
  return changes === null || (typeof changes === 'object' && Object.keys(changes).length === 0);
}

const logArgs = {
  ...pageArgs,
  ...builder.args((t) => ({
    actions: t.stringList({
      description: 'Returns only these values of `AuditEntry.action`. An empty list returns nothing.',
    }),
    actorId: t.id({ description: 'Returns only actions of the user with this ID.' }),
  })),
};

interface LogArgs extends PageArgs {
  actions?: readonly string[] | null | undefined;
  actorId?: string | null | undefined;
}

async function auditLogOf({ call, budget }: GraphqlContext, log: AuditLog, args: LogArgs) {
  const page = parsePage(args);
  const filter = parseInput(PortalLogFilter, args);
  const read = await budget.read(page.take + 1, (take) => listAuditEntries(call, log, { ...page, ...filter, take }));
  return connectionOf(page, pageRows(page, read), (entry) => entry.id);
}

export const logCost = (args: PageArgs) => ({ field: 1, multiplier: pageSizeOf(args) });

builder.prismaObjectFields(Team, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'Actions on the team and its applications, oldest first. Empty for callers who are not members.',
    args: logArgs,
    complexity: logCost,
    resolve: ({ id }, args, context) => auditLogOf(context, { teamId: id }, args),
  }),
}));

function noEntries(args: LogArgs) {
  parseInput(GuildLogFilter, args);
  return connectionOf<LogEntry>(parsePage(args), { rows: [], hasMore: false }, (entry) => entry.id);
}

builder.prismaObjectFields(Guild, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'Actions in the server, oldest first. Empty without View Audit Log, and for a server on a box.',
    args: logArgs,
    complexity: logCost,
    resolve: onlyHere(noEntries, async ({ id }, args, { call, budget }) => {
      const page = parsePage(args);
      const filter = parseInput(GuildLogFilter, args);
      const access = await budget.step(() => accessGuild(call, id, 'viewGuild'));
      const mayView = allows(access.permissions, neededInGuild(['viewAuditLog']));
      const read = mayView
        ? await budget.read(page.take + 1, (take) => listGuildLog(call, { ...page, ...filter, guildId: id, take }))
        : [];
      return connectionOf(page, pageRows(page, read), (entry) => entry.id);
    }),
  }),
}));

builder.prismaObjectFields(Application, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'Actions on the application, oldest first. Empty for callers without a role in it.',
    args: logArgs,
    complexity: logCost,
    resolve: ({ id }, args, context) => auditLogOf(context, { applicationId: id }, args),
  }),
}));
