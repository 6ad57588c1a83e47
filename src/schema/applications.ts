import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import {
  accessApplication,
  countInstallations,
  createApplication,
  type InstallCounts,
  installUrl,
  NewApplication,
  NOT_INSTALLED,
  ownApplicationIds,
  PRIVILEGED_INTENTS,
  privilegedIntents,
  resetBotToken,
  resetClientSecret,
} from '../domain/applications/index.js';
import { DomainError } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import { PORTAL_ROLES } from '../domain/portal-permissions.js';
import type { Application as ApplicationRow } from '../infra/database/index.js';
import { storedStrings } from '../infra/database/stored.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseId, parseOptionalId, snowflakeId } from './ids.js';
import { type ListArgs, listArgs, listCost, parseList, readInPieces, referredRows } from './lists.js';
import { createLoader } from './loaders.js';
import { callerMayWithApplication, ownApplicationRole } from './own-roles.js';

export const TeamRole = builder.enumType('TeamRole', {
  description: 'OWNER stands in answers only.',
  values: PORTAL_ROLES,
});
export const InstallLinkMode = builder.enumType('InstallLinkMode', { values: ['NONE', 'PROVIDED', 'CUSTOM'] as const });
export const InstallContext = builder.enumType('InstallContext', { values: ['SERVER', 'USER'] as const });
export const PrivilegedIntent = builder.enumType('PrivilegedIntent', { values: PRIVILEGED_INTENTS });

interface InstallSettingsShape {
  context: 'SERVER' | 'USER';
  scopes: string[];
  permissions: string | null;
}

const InstallSettings = builder.objectRef<InstallSettingsShape>('InstallSettings').implement({
  fields: (t) => ({
    context: t.expose('context', { type: InstallContext }),
    scopes: t.exposeStringList('scopes'),
    permissions: t.exposeString('permissions', { nullable: true, description: 'For a server only.' }),
  }),
});

export const Application = builder.prismaObject('Application', {
  description:
    'Somebody without a role in the application, who meets it on a server or is invited to test it, sees of it what concerns ' +
    'an install: name, description, icon, cover, public key, bot, personal owner, privileged intents, install contexts, default install ' +
    'settings, install link, and whether it is public and a public client. All else is null, 0 or empty to them.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    iconUrl: t.string({
      nullable: true,
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/app-icons/${id}/${iconHash}.png`,
    }),
    coverUrl: t.string({
      nullable: true,
      resolve: ({ id, coverHash }, _args, { app }) =>
        coverHash && `${app.addresses.publicUrl}/cdn/app-icons/${id}/${coverHash}.png`,
    }),
    publicKey: t.exposeString('publicKey', { description: 'Ed25519, in hex.' }),
    publicClient: t.exposeBoolean('publicClient'),
    public: t.exposeBoolean('public'),
    privilegedIntents: t.field({ type: [PrivilegedIntent], resolve: privilegedIntents }),
    userInstall: t.exposeBoolean('userInstall'),
    serverInstall: t.exposeBoolean('serverInstall'),
    defaultInstallSettings: t.field({
      type: [InstallSettings],
      description: 'Of the contexts that are on.',
      args: {
        all: t.arg.boolean({
          description: 'Also those of a context that is off, which are kept; for who has a role in it.',
        }),
      },
      resolve: async (application, { all }, context) => {
        const shown = all ? await callerMayWithApplication(context, application, 'view') : false;
        return defaultInstallSettings(application, { all: shown });
      },
    }),
    installLinkMode: t.expose('installLinkMode', { type: InstallLinkMode }),
    customInstallUrl: t.string({
      nullable: true,
      description: 'As it is set, whatever the mode.',
      resolve: async (application, _args, context) =>
        (await callerMayWithApplication(context, application, 'view')) ? application.customInstallUrl : null,
    }),
    installUrl: t.string({
      nullable: true,
      resolve: (application, _args, { app }) => installUrl(application, app.addresses.publicUrl),
    }),
    interactionsEndpointUrl: t.string({
      nullable: true,
      resolve: async (application, _args, context) =>
        (await callerMayWithApplication(context, application, 'view')) ? application.interactionsEndpointUrl : null,
    }),
    redirectUris: t.stringList({
      resolve: async (application, _args, context) =>
        Array.isArray(application.redirectUris) && (await callerMayWithApplication(context, application, 'view'))
          ? application.redirectUris.map(String)
          : [],
    }),
    serverCount: t.int({
      description: 'How many servers have it installed.',
      resolve: async (application, _args, context) => (await shownInstallCounts(context, application)).server,
    }),
    userCount: t.int({
      description: 'How many people have it installed to themselves.',
      resolve: async (application, _args, context) => (await shownInstallCounts(context, application)).user,
    }),
    bot: t.relation('bot'),
    ownerUser: t.relation('ownerUser', { nullable: true }),
    effectiveRole: t.field({
      type: TeamRole,
      description: "The caller's role; READ_ONLY also for somebody without one.",
      resolve: async (application, _args, context) => (await ownApplicationRole(context, application)) ?? 'READ_ONLY',
    }),
  }),
});

/** Batched. Null if there is no such application. */
export function referredApplication(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: bigint,
): Promise<ApplicationRow | null> {
  const query = queryFromInfo({ context, info });
  return referredRows(context, info, (ids) =>
    context.call.read.application.findMany({ ...query, where: { id: { in: ids } } }),
  ).load(id);
}

/** @throws UNKNOWN_APPLICATION if it was deleted during the operation */
export async function ownerApplication(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: bigint,
): Promise<ApplicationRow> {
  const application = await referredApplication(context, info, id);
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}

/** Zero for callers without a role. */
async function shownInstallCounts(context: GraphqlContext, application: ApplicationRow): Promise<InstallCounts> {
  if (!(await callerMayWithApplication(context, application, 'view'))) return NOT_INSTALLED;
  const { call, budget, loaders } = context;
  const count = (ids: bigint[]) => budget.step(() => countInstallations(call, ids));
  const counts = loaders.get('install counts', () => createLoader(count, NOT_INSTALLED, { remember: false }));
  return counts.load(application.id);
}

function defaultInstallSettings(application: ApplicationRow, { all }: { all: boolean }): InstallSettingsShape[] {
  const settings: InstallSettingsShape[] = [];
  if (all || application.serverInstall) {
    const scopes = storedStrings(application.serverInstallScopes);
    settings.push({ context: 'SERVER', scopes, permissions: application.serverInstallPermissions });
  }
  if (all || application.userInstall) {
    settings.push({ context: 'USER', scopes: storedStrings(application.userInstallScopes), permissions: null });
  }
  return settings;
}

/** Includes those of the caller's teams; oldest first. */
export async function ownApplications(
  context: GraphqlContext,
  args: ListArgs,
  info: GraphQLResolveInfo,
): Promise<ApplicationRow[]> {
  const { call, budget } = context;
  const query = queryFromInfo({ context, info });
  const { most, after } = parseList(args);
  const ids = await budget.step(() => ownApplicationIds(call, { after, take: most }));
  return readInPieces(budget, ids, (piece) =>
    call.read.application.findMany({ ...query, where: { id: { in: piece } } }),
  );
}

builder.queryFields((t) => ({
  applications: t.field({
    type: [Application],
    description: "The caller's applications and those of their teams, oldest first.",
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context, info) => ownApplications(context, args, info),
  }),
  application: t.field({
    type: Application,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, { call }) => accessApplication(call, parseId(id, 'id'), 'view'),
  }),
}));

const CreateApplicationInput = builder.inputType('CreateApplicationInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    description: t.string(),
    teamId: t.id({ description: 'A team that the caller owns or administers, to own it. Without it: the caller.' }),
  }),
});
export const ApplicationIdInput = builder.inputType('ApplicationIdInput', {
  fields: (t) => ({ applicationId: t.id({ required: true }) }),
});

const CreateApplicationPayload = builder
  .objectRef<Awaited<ReturnType<typeof createApplication>>>('CreateApplicationPayload')
  .implement({
    fields: (t) => ({
      application: t.field({ type: Application, resolve: (made) => made.application }),
      clientSecret: t.exposeString('clientSecret', { description: 'Shown this once.' }),
      botToken: t.exposeString('botToken', { description: 'Shown this once.' }),
    }),
  });
const ResetBotTokenPayload = builder
  .objectRef<Awaited<ReturnType<typeof resetBotToken>>>('ResetBotTokenPayload')
  .implement({
    fields: (t) => ({
      application: t.field({ type: Application, resolve: (changed) => changed.application }),
      botToken: t.exposeString('botToken', { description: 'Shown this once.' }),
    }),
  });
const ResetClientSecretPayload = builder
  .objectRef<Awaited<ReturnType<typeof resetClientSecret>>>('ResetClientSecretPayload')
  .implement({
    fields: (t) => ({
      application: t.field({ type: Application, resolve: (changed) => changed.application }),
      clientSecret: t.exposeString('clientSecret', { description: 'Shown this once.' }),
    }),
  });

builder.mutationFields((t) => ({
  createApplication: t.field({
    type: CreateApplicationPayload,
    args: { input: t.arg({ type: CreateApplicationInput, required: true }) },
    resolve: (_root, { input: { teamId, ...input } }, { call }) =>
      createApplication(call, { ...parseInput(NewApplication, input), teamId: parseOptionalId(teamId, 'teamId') }),
  }),
  resetBotToken: t.field({
    type: ResetBotTokenPayload,
    description: "Replaces the bot token and ends the bot's gateway sessions.",
    args: { input: t.arg({ type: ApplicationIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => resetBotToken(call, parseId(input.applicationId, 'applicationId')),
  }),
  resetClientSecret: t.field({
    type: ResetClientSecretPayload,
    args: { input: t.arg({ type: ApplicationIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => resetClientSecret(call, parseId(input.applicationId, 'applicationId')),
  }),
}));
