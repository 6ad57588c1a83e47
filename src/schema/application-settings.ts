import {
  ApplicationSettings,
  deleteApplication,
  transferApplication,
  updateApplication,
} from '../domain/applications/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Application as ApplicationRow } from '../infra/database/index.js';
import { Application, InstallContext, InstallLinkMode, PrivilegedIntent } from './applications.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { parseId } from './ids.js';
import { bytesOf } from './uploads.js';

const InstallSettingsInput = builder.inputType('InstallSettingsInput', {
  fields: (t) => ({
    context: t.field({ type: InstallContext, required: true }),
    scopes: t.stringList({ required: true, description: 'At most 25; a repeated one counts once.' }),
    permissions: t.string({ description: 'Decimal bits, for a server only. As they are when not given.' }),
  }),
});

const UpdateApplicationInput = builder.inputType('UpdateApplicationInput', {
  description:
    'What is not given stays as it is. Null clears the icon, the cover and the URLs, and leaves everything else as it is.',
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    name: t.string(),
    description: t.string(),
    icon: t.field({ type: 'File', description: 'PNG, JPEG, GIF or WebP, at most 10 MiB. The bot wears it too.' }),
    cover: t.field({
      type: 'File',
      description:
        'PNG, JPEG, GIF or WebP, at most 10 MiB. It keeps its proportions, within 1,024 pixels on each side.',
    }),
    publicClient: t.boolean({ description: 'Whether PKCE stands for the client secret at the token endpoint.' }),
    public: t.boolean({ description: 'Only testers can install an application that is not public.' }),
    privilegedIntents: t.field({ type: [PrivilegedIntent], description: 'Those that are on.' }),
    userInstall: t.boolean(),
    serverInstall: t.boolean(),
    defaultInstallSettings: t.field({ type: [InstallSettingsInput], description: 'Each context at most once.' }),
    installLinkMode: t.field({ type: InstallLinkMode }),
    customInstallUrl: t.string({ description: 'A full https URL; the mode CUSTOM needs it.' }),
    interactionsEndpointUrl: t.string({
      description: 'Probed before it is saved. Where it is refused, `extensions.probe` has what `EndpointProbe` has.',
    }),
    redirectUris: t.stringList({
      description:
        'At most 10: https, http of this device only (localhost, 127.0.0.1, [::1]), or a private-use scheme with a dot (com.example.app:/).',
    }),
  }),
});

const DeleteApplicationInput = builder.inputType('DeleteApplicationInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    name: t.string({ required: true, description: "The application's name, typed once more." }),
  }),
});

const TransferApplicationInput = builder.inputType('TransferApplicationInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    teamId: t.id({ required: true, description: 'A team that the caller owns or administers.' }),
    appName: t.string({ required: true, description: "The application's name, typed once more." }),
  }),
});

const ApplicationPayload = builder.objectRef<{ application: ApplicationRow }>('ApplicationPayload').implement({
  fields: (t) => ({ application: t.field({ type: Application, resolve: ({ application }) => application }) }),
});

builder.mutationFields((t) => ({
  updateApplication: t.field({
    type: ApplicationPayload,
    args: { input: t.arg({ type: UpdateApplicationInput, required: true }) },
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
    type: ApplicationPayload,
    description: 'Moves a personal application to a team, for good. Secrets and tokens stay valid.',
    args: { input: t.arg({ type: TransferApplicationInput, required: true }) },
    resolve: async (_root, { input: { applicationId, teamId, appName } }, { call }) => ({
      application: await transferApplication(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        teamId: parseId(teamId, 'teamId'),
        appName,
      }),
    }),
  }),
  deleteApplication: t.field({
    type: DeletedPayload,
    description: 'For good: bot, secrets, tokens and installations end at once.',
    args: { input: t.arg({ type: DeleteApplicationInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.applicationId, 'applicationId');
      await deleteApplication(call, { applicationId: id, name: input.name });
      return { id };
    },
  }),
}));
