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
import { snowflakeTime } from '../infra/ids.js';
import { Application, referredApplication } from './applications.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { Guild } from './guilds.js';
import { snowflakeId } from './ids.js';
import { createLoader, type Loader } from './loaders.js';
import { connectionOf, type PageArgs, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { Team } from './teams.js';
import { referredUser, User } from './users.js';

const AuditEntry = builder.objectRef<LogEntry>('AuditEntry').implement({
  description: 'Who did what in the portal, or with a server. Entries are never changed and never hold a secret.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    actor: t.field({
      type: User,
      nullable: true,
      resolve: ({ actorId }, _args, context, info) => (actorId === null ? null : referredUser(context, info, actorId)),
    }),
    action: t.exposeString('action', { description: 'Such as TEAM_MEMBER_UPDATE.' }),
    target: t.string({
      nullable: true,
      description:
        'The id of what it was done to: a person, a team, an application, a command, or something of a server.',
      resolve: ({ targetId }) => (targetId === null ? null : String(targetId)),
    }),
    targetUser: t.field({
      type: User,
      nullable: true,
      description: 'The target where that is a person or a bot.',
      resolve: ({ action, targetId }, _args, context, info) =>
        targetId !== null && targetOf(action) === 'user' ? referredUser(context, info, targetId) : null,
    }),
    targetName: t.string({
      nullable: true,
      description:
        'What the target is called: now, or where it is gone as the entry has it; null where that has no name. Of an invite its code.',
      resolve: (entry, _args, context) => targetNames(context).load(entry),
    }),
    application: t.field({
      type: Application,
      nullable: true,
      description: 'The application it was done with; null for what was done with a team itself.',
      resolve: ({ applicationId }, _args, context, info) =>
        applicationId === null ? null : referredApplication(context, info, applicationId),
    }),
    changes: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was stated, or for each changed value {old, new}; null for nothing.',
      resolve: ({ changes }) => (isEmpty(changes) ? null : changes),
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, as who did it stated.' }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
  }),
});

const AuditEntryConnection = builder.connectionObject(
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
    actions: t.stringList({ description: 'Only these, as `AuditEntry.action` has them; none for an empty list.' }),
    actorId: t.id({ description: 'Only what this person or bot did.' }),
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

const complexity = (args: PageArgs) => ({ field: 1, multiplier: pageSizeOf(args) });

builder.prismaObjectFields(Team, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'What was done with the team and its applications, oldest first; empty for somebody who is no member.',
    args: logArgs,
    complexity,
    resolve: ({ id }, args, context) => auditLogOf(context, { teamId: id }, args),
  }),
}));

/** A box keeps its own audit log. */
const NOTHING = { rows: [], hasMore: false };

builder.prismaObjectFields(Guild, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'What members did with the server, oldest first; empty for somebody who may not view its audit log.',
    args: logArgs,
    complexity,
    resolve: async ({ id }, args, { call, budget }) => {
      const page = parsePage(args);
      const filter = parseInput(GuildLogFilter, args);
      if (isOnBox({ call }, id)) return connectionOf<LogEntry>(page, NOTHING, (entry) => entry.id);
      const access = await budget.step(() => accessGuild(call, id, 'viewGuild'));
      const mayView = allows(access.permissions, neededInGuild(['viewAuditLog']));
      const read = mayView
        ? await budget.read(page.take + 1, (take) => listGuildLog(call, { ...page, ...filter, guildId: id, take }))
        : [];
      return connectionOf(page, pageRows(page, read), (entry) => entry.id);
    },
  }),
}));

builder.prismaObjectFields(Application, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'What was done with the application, oldest first; empty for somebody without a role in it.',
    args: logArgs,
    complexity,
    resolve: ({ id }, args, context) => auditLogOf(context, { applicationId: id }, args),
  }),
}));
