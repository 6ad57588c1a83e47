import { isDeepStrictEqual } from 'node:util';
import type { Application } from '../../infra/database/index.js';
import { storedStrings } from '../../infra/database/stored.js';
import { PRIVILEGED_INTENTS, privilegedIntents } from '../applications/privileged-intents.js';
import { ApplicationSettings, type Settings } from '../applications/update.js';
import type { FieldChange } from '../commands/columns.js';

type Name = keyof typeof ApplicationSettings.shape;

const NAMES = Object.keys(ApplicationSettings.shape) as Name[];

interface InstallSettings {
  context: 'SERVER' | 'USER';
  scopes: string[];
  permissions?: string;
}

/** In the order of a written file. */
export function settingsOf(application: Application) {
  const install: InstallSettings[] = [
    {
      context: 'SERVER',
      scopes: storedStrings(application.serverInstallScopes),
      permissions: application.serverInstallPermissions,
    },
    { context: 'USER', scopes: storedStrings(application.userInstallScopes) },
  ];
  return {
    name: application.name,
    description: application.description,
    public: application.public,
    publicClient: application.publicClient,
    privilegedIntents: privilegedIntents(application),
    serverInstall: application.serverInstall,
    userInstall: application.userInstall,
    defaultInstallSettings: install,
    installLinkMode: application.installLinkMode,
    customInstallUrl: application.customInstallUrl,
    interactionsEndpointUrl: application.interactionsEndpointUrl,
    redirectUris: storedStrings(application.redirectUris),
  } satisfies Record<Name, unknown>;
}

type Present = ReturnType<typeof settingsOf>;

export function settingChanges(application: Application, wanted: Settings): FieldChange[] {
  const before = settingsOf(application);
  const after = { ...before, ...settingsAfter(before, wanted) };
  return NAMES.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field) => ({
    field,
    before: before[field],
    after: after[field],
  }));
}

/** Fills in what a given list leaves unchanged, and sorts lists whose order means nothing. */
function settingsAfter(before: Present, { privilegedIntents: intents, defaultInstallSettings, ...others }: Settings) {
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(intents && { privilegedIntents: PRIVILEGED_INTENTS.filter((intent) => intents.includes(intent)) }),
    defaultInstallSettings: before.defaultInstallSettings.map((present) => {
      const wanted = defaultInstallSettings?.find(({ context }) => context === present.context);
      if (!wanted) return present;
      const permissions = wanted.permissions ?? present.permissions;
      return { context: present.context, scopes: wanted.scopes, ...(permissions !== undefined && { permissions }) };
    }),
  };
}
