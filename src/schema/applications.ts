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
  type PrivilegedIntent as PrivilegedIntentName,
  privilegedIntents,
  resetBotToken,
  resetClientSecret,
} from '../domain/applications/index.js';
import { DomainError } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import type { PortalRole } from '../domain/portal-permissions.js';
import type { Application as ApplicationRow } from '../infra/database/index.js';
import { storedStrings } from '../infra/database/stored.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import type { GraphqlContext } from './context.js';
import { idOf, parseId, parseOptionalId, snowflakeId } from './ids.js';
import { type ListArgs, listArgs, listCost, parseList, readInPieces, referredRows } from './lists.js';
import { createLoader } from './loaders.js';
import { callerMayWithApplication, ownApplicationRole } from './own-roles.js';

export const TeamRole = builder.enumType('TeamRole', {
  description:
    'Role in a team or an application, with the permissions of all roles below it. Input never accepts OWNER.',
  values: {
    OWNER: { description: 'Can also delete the application or team, and transfer the ownership of a team.' },
    ADMIN: { description: 'Can also manage members, invitations and testers, and change a team.' },
    DEVELOPER: { description: 'Can also change settings, secrets, commands, emojis and webhooks of applications.' },
    READ_ONLY: { description: 'Can view everything except secrets, and change nothing.' },
  } satisfies Record<PortalRole, object>,
});
export const InstallLinkMode = builder.enumType('InstallLinkMode', {
  description: 'Kind of install link that an application has.',
  values: {
    NONE: { description: 'No link.' },
    PROVIDED: { description: 'A link to the authorization screen, with the default install settings.' },
    CUSTOM: { description: 'The link in `customInstallUrl`.' },
  },
});
export const InstallContext = builder.enumType('InstallContext', {
  description: 'Target of an installation.',
  values: {
    SERVER: { description: 'A server. The application can add its bot and commands there.' },
    USER: { description: 'A user, who can run the commands wherever they are allowed.' },
  },
});
export const PrivilegedIntent = builder.enumType('PrivilegedIntent', {
  description: 'Gateway intent that a bot can use only if its application enables it.',
  values: {
    GUILD_MEMBERS: { description: 'Events about members of a server.' },
    PRESENCES: { description: 'Events about the presence of members.' },
    MESSAGE_CONTENT: { description: 'Content of messages from other users that do not mention the bot.' },
  } satisfies Record<PrivilegedIntentName, object>,
});

interface InstallSettingsShape {
  context: 'SERVER' | 'USER';
  scopes: string[];
  permissions: string | null;
}

const InstallSettings = builder.objectRef<InstallSettingsShape>('InstallSettings').implement({
  description: 'Scopes and permissions that an application requests in one install context.',
  fields: (t) => ({
    context: t.expose('context', { type: InstallContext, description: 'Context of these settings.' }),
    scopes: t.exposeStringList('scopes', {
      description: 'OAuth2 scopes to request. Install links leave out unsupported ones.',
    }),
    permissions: t.exposeString('permissions', {
      nullable: true,
      description: "Permissions for the bot's role, as decimal bits. Null in the context USER.",
    }),
  }),
});

export const Application = builder.prismaObject('Application', {
  description:
    'An application with its bot. Callers without a role in it see `name`, `description`, `iconUrl`, `coverUrl`, `publicKey`, ' +
    '`publicClient`, `public`, `bot`, `ownerUser`, `privilegedIntents` and the install fields. ' +
    'Other fields are null, 0 or empty for them.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: '2–32 characters.' }),
    description: t.exposeString('description', { description: 'At most 400 characters. Empty if none is set.' }),
    iconUrl: t.string({
      nullable: true,
      description: 'URL of the icon. Null if none is set.',
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/app-icons/${id}/${iconHash}.png`,
    }),
    coverUrl: t.string({
      nullable: true,
      description: 'URL of the cover image. Null if none is set.',
      resolve: ({ id, coverHash }, _args, { app }) =>
        coverHash && `${app.addresses.publicUrl}/cdn/app-icons/${id}/${coverHash}.png`,
    }),
    publicKey: t.exposeString('publicKey', {
      description: 'Ed25519 public key in hex. Verify requests to the interactions endpoint with it.',
    }),
    publicClient: t.exposeBoolean('publicClient', {
      description: 'Whether the token endpoint accepts PKCE instead of the client secret.',
    }),
    public: t.exposeBoolean('public', {
      description: 'Whether everyone can install the application. If false, only accepted testers can.',
    }),
    privilegedIntents: t.field({
      type: [PrivilegedIntent],
      description: 'Privileged intents that are enabled.',
      resolve: privilegedIntents,
    }),
    userInstall: t.exposeBoolean('userInstall', { description: 'Whether it can be installed to users.' }),
    serverInstall: t.exposeBoolean('serverInstall', { description: 'Whether it can be installed to servers.' }),
    defaultInstallSettings: t.field({
      type: [InstallSettings],
      description: 'Settings of the enabled install contexts.',
      args: {
        all: t.arg.boolean({
          description: 'Whether to include disabled contexts. Ignored for callers without a role in the application.',
        }),
      },
      resolve: async (application, { all }, context) => {
        const shown = all ? await callerMayWithApplication(context, application, 'view') : false;
        return defaultInstallSettings(application, { all: shown });
      },
    }),
    installLinkMode: t.expose('installLinkMode', {
      type: InstallLinkMode,
      description: 'Decides what `installUrl` contains.',
    }),
    customInstallUrl: t.string({
      nullable: true,
      description: 'Install link for the mode CUSTOM, kept in every mode. Null if none is set.',
      resolve: async (application, _args, context) =>
        (await callerMayWithApplication(context, application, 'view')) ? application.customInstallUrl : null,
    }),
    installUrl: t.string({
      nullable: true,
      description:
        'Link to install the application. Null if `installLinkMode` is NONE, or if no requested scope is supported.',
      resolve: (application, _args, { app }) => installUrl(application, app.addresses.publicUrl),
    }),
    interactionsEndpointUrl: t.string({
      nullable: true,
      description: 'URL that receives interactions. Null if the gateway delivers them.',
      resolve: async (application, _args, context) =>
        (await callerMayWithApplication(context, application, 'view')) ? application.interactionsEndpointUrl : null,
    }),
    redirectUris: t.stringList({
      description: 'Allowed redirect URIs for OAuth2.',
      resolve: async (application, _args, context) =>
        Array.isArray(application.redirectUris) && (await callerMayWithApplication(context, application, 'view'))
          ? application.redirectUris.map(String)
          : [],
    }),
    suspendedAt: t.expose('suspendedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when an operator suspended the application. Null if it is not suspended.',
    }),
    suspensionText: t.exposeString('suspensionText', {
      nullable: true,
      description: 'Text of the operator about the suspension. Null if the application is not suspended.',
    }),
    serverCount: t.int({
      description: 'Number of servers that have it installed.',
      resolve: async (application, _args, context) => (await shownInstallCounts(context, application)).server,
    }),
    userCount: t.int({
      description: 'Number of users who have it installed to themselves.',
      resolve: async (application, _args, context) => (await shownInstallCounts(context, application)).user,
    }),
    bot: t.relation('bot', { description: 'Bot user, which has the same ID as the application.' }),
    ownerUser: t.relation('ownerUser', {
      nullable: true,
      description: 'Personal owner. Null if a team owns the application.',
    }),
    effectiveRole: t.field({
      type: TeamRole,
      description: "The caller's role, or READ_ONLY if they have none.",
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
    ...WITH_PERSONAL_TOKEN,
    type: [Application],
    description: 'Applications in which the caller has a role, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context, info) => ownApplications(context, args, info),
  }),
  application: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Application,
    nullable: true,
    description: 'An application in which the caller has a role.',
    args: { id: t.arg.id(idOf.application) },
    resolve: (_root, { id }, { call }) => accessApplication(call, parseId(id, 'id'), 'view'),
  }),
}));

const CreateApplicationInput = builder.inputType('CreateApplicationInput', {
  description: 'A new application.',
  fields: (t) => ({
    name: t.string({ required: true, description: '2–32 characters. Also the name of the bot.' }),
    description: t.string({ description: 'At most 400 characters.' }),
    teamId: t.id({
      description: 'ID of the owning team, in which the caller is OWNER or ADMIN. Default: the caller owns it.',
    }),
  }),
});
export const ApplicationIdInput = builder.inputType('ApplicationIdInput', {
  description: 'Identifies an application.',
  fields: (t) => ({ applicationId: t.id(idOf.application) }),
});

const CLIENT_SECRET = 'Secret for the OAuth2 token endpoint. Shown only once.';
const BOT_TOKEN = 'Token for REST and the gateway. Shown only once.';

const CreateApplicationPayload = builder
  .objectRef<Awaited<ReturnType<typeof createApplication>>>('CreateApplicationPayload')
  .implement({
    description: 'The new application with its secrets.',
    fields: (t) => ({
      application: t.field({
        type: Application,
        description: 'The new application.',
        resolve: (made) => made.application,
      }),
      clientSecret: t.exposeString('clientSecret', { description: CLIENT_SECRET }),
      botToken: t.exposeString('botToken', { description: BOT_TOKEN }),
    }),
  });
const ResetBotTokenPayload = builder
  .objectRef<Awaited<ReturnType<typeof resetBotToken>>>('ResetBotTokenPayload')
  .implement({
    description: 'The new bot token.',
    fields: (t) => ({
      application: t.field({
        type: Application,
        description: 'The application after the change.',
        resolve: (changed) => changed.application,
      }),
      botToken: t.exposeString('botToken', { description: BOT_TOKEN }),
    }),
  });
const ResetClientSecretPayload = builder
  .objectRef<Awaited<ReturnType<typeof resetClientSecret>>>('ResetClientSecretPayload')
  .implement({
    description: 'The new client secret.',
    fields: (t) => ({
      application: t.field({
        type: Application,
        description: 'The application after the change.',
        resolve: (changed) => changed.application,
      }),
      clientSecret: t.exposeString('clientSecret', { description: CLIENT_SECRET }),
    }),
  });

builder.mutationFields((t) => ({
  createApplication: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: CreateApplicationPayload,
    description: 'Creates an application with a bot.',
    args: { input: t.arg(inputOf(CreateApplicationInput)) },
    resolve: (_root, { input: { teamId, ...input } }, { call }) =>
      createApplication(call, { ...parseInput(NewApplication, input), teamId: parseOptionalId(teamId, 'teamId') }),
  }),
  resetBotToken: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: ResetBotTokenPayload,
    description:
      "Replaces the bot token. The old one stops working and the bot's gateway sessions end. Needs the role DEVELOPER or higher.",
    args: { input: t.arg(inputOf(ApplicationIdInput)) },
    resolve: (_root, { input }, { call }) => resetBotToken(call, parseId(input.applicationId, 'applicationId')),
  }),
  resetClientSecret: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: ResetClientSecretPayload,
    description: 'Replaces the client secret. The old one stops working. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(ApplicationIdInput)) },
    resolve: (_root, { input }, { call }) => resetClientSecret(call, parseId(input.applicationId, 'applicationId')),
  }),
}));
