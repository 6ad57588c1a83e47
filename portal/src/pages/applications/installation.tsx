import { useRef } from 'react';
import type {
  ApplicationPageFragment,
  InstallContext,
  InstallLinkMode,
  UpdateApplicationInput,
} from '../../gql/types.js';
import { type Draft, useDraft } from '../../ui/draft.js';
import { Select, Switch, TextField } from '../../ui/field.js';
import { useTitle } from '../../ui/page.js';
import { PermissionPicker } from '../../ui/permissions.js';
import { DraftForm } from '../../ui/save.js';
import { ScopePicker } from '../../ui/scopes.js';
import { AddMe } from '../testers/add-me.js';
import { useApplication, useUpdateApplication } from './application.js';
import { InstallLink } from './install-link.js';
import { useReason } from './reasons.js';

/** Flat, so that only changed parts of a context are sent. */
export interface Fields extends Record<string, unknown> {
  serverInstall: boolean;
  userInstall: boolean;
  public: boolean;
  installLinkMode: InstallLinkMode;
  customInstallUrl: string;
  serverScopes: readonly string[];
  serverPermissions: string;
  userScopes: readonly string[];
}

const NAMES = {
  serverInstall: 'Server install',
  userInstall: 'User install',
  public: 'Public',
  installLinkMode: 'Install link',
  customInstallUrl: 'Custom URL',
  serverScopes: 'Server scopes',
  serverPermissions: 'Server permissions',
  userScopes: 'User scopes',
};

export function Installation() {
  const application = useApplication();
  const update = useUpdateApplication();
  const draft = useDraft(fieldsOf(application));
  const sent = useRef<InstallContext[]>([]);
  useTitle('Installation', application.name);
  const save = (changes: Partial<Fields>) => {
    const input = inputOf(changes, draft.value);
    sent.current = input.defaultInstallSettings?.map(({ context }) => context) ?? [];
    return update(input);
  };
  return (
    <div className="beside-form">
      <DraftForm draft={draft} names={NAMES} save={save} readOnly={useReason('UPDATE_SETTINGS')}>
        {(faults) => (
          <>
            <Contexts draft={draft} faults={faults} />
            <Audience draft={draft} />
            <LinkMode draft={draft} faults={faults} />
            <ServerDefaults draft={draft} faults={faultsIn(faults, sent.current, 'SERVER')} />
            <UserDefaults draft={draft} faults={faultsIn(faults, sent.current, 'USER')} />
          </>
        )}
      </DraftForm>
      <InstallLink fields={draft.value} isSaved={!draft.isChanged} />
    </div>
  );
}

function fieldsOf(application: ApplicationPageFragment): Fields {
  const { serverInstall, userInstall, installLinkMode, customInstallUrl, defaultInstallSettings } = application;
  const settingsOf = (wanted: InstallContext) => defaultInstallSettings.find(({ context }) => context === wanted);
  return {
    serverInstall,
    userInstall,
    public: application.public,
    installLinkMode,
    customInstallUrl: customInstallUrl ?? '',
    serverScopes: settingsOf('SERVER')?.scopes ?? [],
    serverPermissions: settingsOf('SERVER')?.permissions ?? '0',
    userScopes: settingsOf('USER')?.scopes ?? [],
  };
}

/** GraphQL requires a server context's scopes with its permissions. */
function inputOf(changes: Partial<Fields>, value: Fields): Omit<UpdateApplicationInput, 'applicationId'> {
  const { serverScopes, serverPermissions, userScopes, ...plain } = changes;
  const isServer = serverScopes !== undefined || serverPermissions !== undefined;
  const settings = [
    ...(isServer
      ? [{ context: 'SERVER' as const, scopes: value.serverScopes, permissions: serverPermissions ?? null }]
      : []),
    ...(userScopes ? [{ context: 'USER' as const, scopes: userScopes }] : []),
  ];
  return { ...plain, ...(settings.length > 0 ? { defaultInstallSettings: settings } : {}) };
}

/** Returns the first error of each part of a context. @param sent contexts in the order they were sent */
function faultsIn(faults: Record<string, string>, sent: InstallContext[], context: InstallContext) {
  const place = `defaultInstallSettings.${sent.indexOf(context)}.`;
  const first = (part: string) => Object.entries(faults).find(([path]) => path.startsWith(place + part))?.[1];
  return { scopes: first('scopes'), permissions: first('permissions') };
}

interface PartProps {
  draft: Draft<Fields>;
  faults: Record<string, string>;
}

const LAST = 'At least one install type must be on.';

function Contexts({ draft: { value, set }, faults }: PartProps) {
  const { serverInstall, userInstall } = value;
  return (
    <section className="card">
      <h2>Install types</h2>
      <Switch
        label="Server install"
        hint={
          serverInstall && !userInstall
            ? LAST
            : 'Server managers can add the application for all members of their server.'
        }
        fault={faults.serverInstall}
        checked={serverInstall}
        disabled={serverInstall && !userInstall}
        onChange={({ target }) => set('serverInstall', target.checked)}
      />
      <Switch
        label="User install"
        hint={
          userInstall && !serverInstall
            ? LAST
            : 'Users can add the application to their account and use its commands anywhere.'
        }
        fault={faults.userInstall}
        checked={userInstall}
        disabled={userInstall && !serverInstall}
        onChange={({ target }) => set('userInstall', target.checked)}
      />
    </section>
  );
}

function Audience({ draft: { value, set } }: Pick<PartProps, 'draft'>) {
  const { testers } = useApplication();
  const accepted = testers.filter(({ state }) => state === 'ACCEPTED').length;
  return (
    <section className="card">
      <h2>Availability</h2>
      <Switch
        label="Public"
        hint={whoMay(value.public, accepted)}
        checked={value.public}
        onChange={({ target }) => set('public', target.checked)}
      />
      {!value.public && accepted === 0 && (
        <div className="notice warn">
          <p>This application is private and has no testers, so no one can install it. Invite testers first.</p>
          <AddMe />
        </div>
      )}
    </section>
  );
}

function whoMay(isPublic: boolean, testers: number): string {
  if (isPublic) return 'Anyone can install this application.';
  return `Only testers can install this application (${testers} accepted).`;
}

function LinkMode({ draft: { value, set }, faults }: PartProps) {
  const { installLinkMode, customInstallUrl } = value;
  return (
    <section className="card">
      <h2>Install link</h2>
      <Select
        label="Mode"
        hint={MODES[installLinkMode].hint}
        value={installLinkMode}
        fault={faults.installLinkMode}
        onChange={({ target }) => set('installLinkMode', target.value as InstallLinkMode)}
      >
        {Object.entries(MODES).map(([mode, { text }]) => (
          <option key={mode} value={mode}>
            {text}
          </option>
        ))}
      </Select>
      {(installLinkMode === 'CUSTOM' || faults.customInstallUrl) && (
        <TextField
          label="Custom URL"
          hint="Must start with https://."
          inputMode="url"
          value={customInstallUrl}
          fault={faults.customInstallUrl}
          onChange={({ target }) => set('customInstallUrl', target.value)}
        />
      )}
    </section>
  );
}

const MODES: Record<InstallLinkMode, { text: string; hint: string }> = {
  PROVIDED: { text: 'Provided', hint: "Opens this instance's authorization screen with the settings below." },
  CUSTOM: { text: 'Custom URL', hint: 'Opens your own page.' },
  NONE: { text: 'None', hint: 'No link is shown. Anyone who knows the client ID can still request an install.' },
};

interface DefaultsProps {
  draft: Draft<Fields>;
  faults: { scopes: string | undefined; permissions: string | undefined };
}

function ServerDefaults({ draft: { value, set }, faults }: DefaultsProps) {
  return (
    <section className="card install-context" data-off={!value.serverInstall}>
      <h2>Default settings for servers</h2>
      {!value.serverInstall && (
        <p className="hint">Server install is off. These settings are saved and apply once you turn it on.</p>
      )}
      <ScopePicker
        label="Server scopes"
        other="Another server scope"
        value={value.serverScopes}
        fault={faults.scopes}
        onChange={(scopes) => set('serverScopes', scopes)}
      />
      <PermissionPicker
        label="Permissions"
        value={value.serverPermissions}
        fault={faults.permissions}
        onChange={(bits) => set('serverPermissions', bits)}
      />
    </section>
  );
}

function UserDefaults({ draft: { value, set }, faults }: DefaultsProps) {
  return (
    <section className="card install-context" data-off={!value.userInstall}>
      <h2>Default settings for users</h2>
      {!value.userInstall && (
        <p className="hint">User install is off. These settings are saved and apply once you turn it on.</p>
      )}
      <ScopePicker
        label="User scopes"
        other="Another user scope"
        isForUser
        value={value.userScopes}
        fault={faults.scopes}
        onChange={(scopes) => set('userScopes', scopes)}
      />
    </section>
  );
}
