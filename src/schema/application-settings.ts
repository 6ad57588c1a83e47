import {
  ApplicationSettings,
  deleteApplication,
  transferApplication,
  updateApplication,
} from '../domain/applications/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Application as ApplicationRow } from '../infra/database/index.js';
import { Application, InstallContext, InstallLinkMode, PrivilegedIntent } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId } from './ids.js';
import { bytesOf, ICON } from './uploads.js';

const InstallSettingsInput = builder.inputType('InstallSettingsInput', {
  description: 'Default install settings of one context.',
  fields: (t) => ({
    context: t.field({ type: InstallContext, required: true, description: 'Context of these settings.' }),
    scopes: t.stringList({
      required: true,
      description: 'OAuth2 scopes, at most 25. The context USER does not allow `bot`.',
    }),
    permissions: t.string({
      description: "Permissions for the bot's role, as decimal bits. Only in the context SERVER. Unchanged if omitted.",
    }),
  }),
});

const UpdateApplicationInput = builder.inputType('UpdateApplicationInput', {
  description:
    'Omitted fields stay unchanged. Null clears `icon`, `cover`, `customInstallUrl` and `interactionsEndpointUrl`, ' +
    'and leaves other fields unchanged.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    name: t.string({ description: '2–32 characters. Also renames the bot.' }),
    description: t.string({ description: 'At most 400 characters.' }),
    icon: t.field({ type: 'File', description: `${ICON} Also becomes the avatar of the bot.` }),
    cover: t.field({
      type: 'File',
      description: `${ICON} Scaled down to at most 1,024 pixels on each side.`,
    }),
    publicClient: t.boolean({ description: 'Whether the token endpoint accepts PKCE instead of the client secret.' }),
    public: t.boolean({
      description: 'Whether everyone can install the application. If false, only accepted testers can.',
    }),
    privilegedIntents: t.field({
      type: [PrivilegedIntent],
      description: 'Intents to enable. All others are disabled.',
    }),
    userInstall: t.boolean({
      description: 'Whether it can be installed to users. This or `serverInstall` must be true.',
    }),
    serverInstall: t.boolean({
      description: 'Whether it can be installed to servers. This or `userInstall` must be true.',
    }),
    defaultInstallSettings: t.field({
      type: [InstallSettingsInput],
      description: 'Each context at most once. Omitted contexts stay unchanged.',
    }),
    installLinkMode: t.field({ type: InstallLinkMode, description: 'CUSTOM requires `customInstallUrl`.' }),
    customInstallUrl: t.string({ description: 'Full https URL. Required by the mode CUSTOM.' }),
    interactionsEndpointUrl: t.string({
      description:
        'Full URL, tested before it is saved. If the test fails, the error has its result, an `EndpointProbe`, in `extensions.probe`.',
    }),
    redirectUris: t.stringList({
      description:
        'At most 10: https, http for localhost, 127.0.0.1 and [::1], or a private-use scheme with a dot (com.example.app:/).',
    }),
  }),
});

const DeleteApplicationInput = builder.inputType('DeleteApplicationInput', {
  description: 'Identifies an application, and confirms its deletion.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    name: t.string({ required: true, description: 'Exact name of the application, as confirmation.' }),
  }),
});

const TransferApplicationInput = builder.inputType('TransferApplicationInput', {
  description: 'Identifies an application and a team, and confirms the transfer.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    teamId: t.id({ required: true, description: 'ID of a team in which the caller is OWNER or ADMIN.' }),
    appName: t.string({ required: true, description: 'Exact name of the application, as confirmation.' }),
  }),
});

const ApplicationPayload = builder.objectRef<{ application: ApplicationRow }>('ApplicationPayload').implement({
  description: 'The changed application.',
  fields: (t) => ({
    application: t.field({
      type: Application,
      description: 'The application after the change.',
      resolve: ({ application }) => application,
    }),
  }),
});

builder.mutationFields((t) => ({
  updateApplication: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: ApplicationPayload,
    description: 'Changes settings of an application. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(UpdateApplicationInput)) },
    resolve: async (_root, { input: { applicationId, icon, cover, ...settings } }, { call }) => ({
      application: await updateApplication(call, {
        ...parseInput(ApplicationSettings, settings),
        applicationId: parseId(applicationId, 'applicationId'),
        icon: bytesOf(icon),
        cover: bytesOf(cover),
      }),
    }),
  }),
  transferApplication: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: ApplicationPayload,
    description:
      "Moves the caller's personal application to a team. Secrets and tokens stay valid. This cannot be undone.",
    args: { input: t.arg(inputOf(TransferApplicationInput)) },
    resolve: async (_root, { input: { applicationId, teamId, appName } }, { call }) => ({
      application: await transferApplication(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        teamId: parseId(teamId, 'teamId'),
        appName,
      }),
    }),
  }),
  deleteApplication: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: DeletedPayload,
    description:
      'Deletes an application with its bot, secrets, tokens, commands and installations. This cannot be undone. Needs the role OWNER.',
    args: { input: t.arg(inputOf(DeleteApplicationInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.applicationId, 'applicationId');
      await deleteApplication(call, { applicationId: id, name: input.name });
      return { id };
    },
  }),
}));
