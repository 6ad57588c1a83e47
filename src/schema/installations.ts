import {
  installApplication,
  ServerInstall,
  storedScopes,
  UserInstall,
  uninstallApplication,
} from '../domain/installations/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Installation as InstallationRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids.js';
import { InstallContext } from './applications.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { parseId, parseOptionalId, snowflakeId } from './ids.js';
import { referredUser, User } from './users.js';

export const Installation = builder.prismaObject('Installation', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.relation('application', {
      resolve: (query, { applicationId }, _args, { call }) =>
        call.read.application.findUniqueOrThrow({ ...query, where: { id: applicationId } }),
    }),
    context: t.expose('context', { type: InstallContext }),
    scopes: t.stringList({ resolve: ({ scopes }) => storedScopes(scopes) }),
    permissions: t.exposeString('permissions', { description: 'What was granted to the bot, decimal bits.' }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
    installedBy: t.field({
      type: User,
      nullable: true,
      description: 'Who installed it, or last added to what was granted.',
      resolve: ({ installerId }, _args, context, info) => referredUser(context, info, installerId),
    }),
  }),
});

const InstallApplicationInput = builder.inputType('InstallApplicationInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    guildId: t.id({ description: 'The server to install to. Without it: to the caller.' }),
    scopes: t.stringList({ required: true }),
    permissions: t.string({
      description:
        "Decimal bits; the application's own wish when not given. The bot gets those of them that the caller has there.",
    }),
  }),
});
const InstallationIdInput = builder.inputType('InstallationIdInput', {
  fields: (t) => ({ installationId: t.id({ required: true }) }),
});

const InstallationPayload = builder.objectRef<{ installation: InstallationRow }>('InstallationPayload').implement({
  fields: (t) => ({ installation: t.field({ type: Installation, resolve: ({ installation }) => installation }) }),
});

builder.mutationFields((t) => ({
  installApplication: t.field({
    type: InstallationPayload,
    args: { input: t.arg({ type: InstallApplicationInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const applicationId = parseId(input.applicationId, 'applicationId');
      const guildId = parseOptionalId(input.guildId, 'guildId');
      const asked = parseInput(guildId === undefined ? UserInstall : ServerInstall, input);
      return { installation: await installApplication(call, { applicationId, guildId, ...asked }) };
    },
  }),
  uninstallApplication: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: InstallationIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.installationId, 'installationId');
      await uninstallApplication(call, id);
      return { id };
    },
  }),
}));
