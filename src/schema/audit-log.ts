import { type AuditLog, listAuditEntries } from '../domain/audit/index.js';
import type {
  Application as ApplicationRow,
  AuditEntry as AuditEntryRow,
  User as UserRow,
} from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids.js';
import { Application } from './application.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { snowflakeId } from './ids.js';
import { createLoader, type Loader } from './loaders.js';
import { connectionOf, type PageArgs, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { Team } from './team.js';
import { User } from './user.js';

const AuditEntry = builder.objectRef<AuditEntryRow>('AuditEntry').implement({
  description: 'Who did what in the portal. Entries are never changed and never hold a secret.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    actor: t.field({
      type: User,
      nullable: true,
      resolve: ({ actorId }, _args, context) => (actorId === null ? null : actorsOf(context).load(actorId)),
    }),
    action: t.exposeString('action', { description: 'Such as TEAM_MEMBER_UPDATE.' }),
    target: t.string({
      nullable: true,
      description: 'The id of what it was done to: a person, a team or an application.',
      resolve: ({ targetId }) => (targetId === null ? null : String(targetId)),
    }),
    application: t.field({
      type: Application,
      nullable: true,
      description: 'The application it was done with; null for what was done with a team itself.',
      resolve: ({ applicationId }, _args, context) =>
        applicationId === null ? null : applicationsOf(context).load(applicationId),
    }),
    changes: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was stated, or for each changed value {old, new}; null for nothing.',
      resolve: ({ changes }) => (isEmpty(changes) ? null : changes),
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
  }),
});

const AuditEntryConnection = builder.connectionObject(
  { type: AuditEntry, name: 'AuditEntryConnection' },
  { name: 'AuditEntryEdge' },
);

function isEmpty(changes: AuditEntryRow['changes']): boolean {
  return changes === null || (typeof changes === 'object' && Object.keys(changes).length === 0);
}

function actorsOf({ call, loaders }: GraphqlContext): Loader<bigint, UserRow | null> {
  return loaders.get('actors of audit entries', () =>
    createLoader<bigint, UserRow | null>(async (ids) => {
      const users = await call.read.user.findMany({ where: { id: { in: ids } } });
      return new Map(users.map((user) => [user.id, user]));
    }, null),
  );
}

function applicationsOf({ call, loaders }: GraphqlContext): Loader<bigint, ApplicationRow | null> {
  return loaders.get('applications of audit entries', () =>
    createLoader<bigint, ApplicationRow | null>(async (ids) => {
      const applications = await call.read.application.findMany({ where: { id: { in: ids } } });
      return new Map(applications.map((application) => [application.id, application]));
    }, null),
  );
}

async function auditLogOf({ call }: GraphqlContext, log: AuditLog, args: PageArgs) {
  const page = parsePage(args);
  const read = await listAuditEntries(call, log, { ...page, take: page.take + 1 });
  return connectionOf(page, pageRows(page, read), (entry) => entry.id);
}

const complexity = (args: PageArgs) => ({ field: 1, multiplier: pageSizeOf(args) });

builder.prismaObjectFields(Team, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'What was done with the team and its applications, oldest first; empty for somebody who is no member.',
    args: pageArgs,
    complexity,
    resolve: ({ id }, args, context) => auditLogOf(context, { teamId: id }, args),
  }),
}));

builder.prismaObjectFields(Application, (t) => ({
  auditLog: t.field({
    type: AuditEntryConnection,
    description: 'What was done with the application, oldest first; empty for somebody without a role in it.',
    args: pageArgs,
    complexity,
    resolve: ({ id }, args, context) => auditLogOf(context, { applicationId: id }, args),
  }),
}));
