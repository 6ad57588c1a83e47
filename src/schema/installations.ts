import {
  installApplication,
  ServerInstall,
  storedScopes,
  UserInstall,
  uninstallApplication,
} from '../domain/installations/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Installation as InstallationRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { InstallContext } from './applications.js';
import { builder, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, parseOptionalId, snowflakeId } from './ids.js';
import { referredUser, User } from './users.js';

export const Installation = builder.prismaObject('Installation', {
  description: 'Installation of an application to a server or user.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.relation('application', {
      description: 'The installed application.',
      resolve: (query, { applicationId }, _args, { call }) =>
        call.read.application.findUniqueOrThrow({ ...query, where: { id: applicationId } }),
    }),
    context: t.expose('context', {
      type: InstallContext,
      description: 'Whether it is installed to a server or a user.',
    }),
    scopes: t.stringList({
      description: 'Granted OAuth2 scopes.',
      resolve: ({ scopes }) => storedScopes(scopes),
    }),
    permissions: t.exposeString('permissions', { description: 'Permissions granted to the bot, as decimal bits.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the first installation.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    installedBy: t.field({
      type: User,
      nullable: true,
      description: 'User who installed it last. Null if the user no longer exists.',
      resolve: ({ installerId }, _args, context, info) => referredUser(context, info, installerId),
    }),
  }),
});

const InstallApplicationInput = builder.inputType('InstallApplicationInput', {
  description: 'An installation to a server or to the caller.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    guildId: t.id({ description: 'ID of the server. Default: installs to the caller.' }),
    scopes: t.stringList({
      required: true,
      description:
        'OAuth2 scopes, at least one of `bot` and `applications.commands`. `bot` is allowed only for a server.',
    }),
    permissions: t.string({
      description:
        "Permission bits as a decimal number, only for a server. The bot gets those that the caller has. Default: the application's settings.",
    }),
  }),
});
const InstallationIdInput = builder.inputType('InstallationIdInput', {
  description: 'Identifies an installation.',
  fields: (t) => ({ installationId: t.id(idOf.installation) }),
});

const InstallationPayload = builder.objectRef<{ installation: InstallationRow }>('InstallationPayload').implement({
  description: 'The affected installation.',
  fields: (t) => ({
    installation: t.field({
      type: Installation,
      description: 'The installation after the change.',
      resolve: ({ installation }) => installation,
    }),
  }),
});

builder.mutationFields((t) => ({
  installApplication: t.field({
    type: InstallationPayload,
    description: 'Installs an application, or adds scopes to its installation. A server needs Manage Guild.',
    args: { input: t.arg(inputOf(InstallApplicationInput)) },
    resolve: async (_root, { input }, { call }) => {
      const applicationId = parseId(input.applicationId, 'applicationId');
      const guildId = parseOptionalId(input.guildId, 'guildId');
      const asked = parseInput(guildId === undefined ? UserInstall : ServerInstall, input);
      return { installation: await installApplication(call, { applicationId, guildId, ...asked }) };
    },
  }),
  uninstallApplication: t.field({
    type: DeletedPayload,
    description: 'Removes an application from the caller, or with its bot from a server. A server needs Manage Guild.',
    args: { input: t.arg(inputOf(InstallationIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.installationId, 'installationId');
      await uninstallApplication(call, id);
      return { id };
    },
  }),
}));
