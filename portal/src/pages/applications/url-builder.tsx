import { useState } from 'react';
import { useInstance } from '../../instance.js';
import { CopyButton } from '../../ui/copy.js';
import { Select } from '../../ui/field.js';
import { isBits, PermissionPicker } from '../../ui/permissions.js';
import { ScopePicker } from '../../ui/scopes.js';
import { useApplication } from './application.js';

const START = { scopes: ['identify'], permissions: '0', redirectUri: '', context: '0' };

type Choices = typeof START;

export function UrlBuilder() {
  const { id } = useApplication();
  const { authorizationEndpoint } = useInstance();
  const [choices, setChoices] = useState(START);
  const choose = (some: Partial<Choices>) => setChoices({ ...choices, ...some });
  const url = urlOf(choices, authorizationEndpoint, id);
  return (
    <section className="card" aria-labelledby="url-builder">
      <h2 id="url-builder">
        URL builder <span className="badge">Nothing is saved here</span>
      </h2>
      <ScopePicker label="Scopes" value={choices.scopes} onChange={(scopes) => choose({ scopes })} />
      {isInstall(choices) && <Context value={choices.context} onChange={(context) => choose({ context })} />}
      {hasBot(choices) && (
        <PermissionPicker
          label="Bot permissions"
          value={choices.permissions}
          onChange={(permissions) => choose({ permissions })}
        />
      )}
      <RedirectUri value={choices.redirectUri} onChange={(redirectUri) => choose({ redirectUri })} />
      <Result url={url} choices={choices} />
    </section>
  );
}

function isInstall({ scopes }: Choices): boolean {
  return scopes.includes('bot') || scopes.includes('applications.commands');
}

function hasBot({ scopes }: Choices): boolean {
  return scopes.includes('bot');
}

interface ChoiceProps {
  value: string;
  onChange: (value: string) => void;
}

function Context({ value, onChange }: ChoiceProps) {
  return (
    <Select label="Install to" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="0">Server</option>
      <option value="1">User</option>
    </Select>
  );
}

function RedirectUri({ value, onChange }: ChoiceProps) {
  const { redirectUris } = useApplication();
  return (
    <Select
      label="Redirect URI"
      hint="Only saved redirect URIs are listed."
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">None</option>
      {redirectUris.map((uri) => (
        <option key={uri} value={uri}>
          {uri}
        </option>
      ))}
    </Select>
  );
}

function Result({ url, choices }: { url: string; choices: Choices }) {
  if (choices.scopes.length === 0) return <p className="hint">Select at least one scope.</p>;
  if (hasBot(choices) && !isBits(choices.permissions)) {
    return <p className="hint">To get a URL, enter the permissions as a valid number.</p>;
  }
  return (
    <>
      {choices.redirectUri === '' && !isInstall(choices) && (
        <p className="notice warn">Select a redirect URI. Only bot and applications.commands work without one.</p>
      )}
      <span className="label">Generated URL</span>
      <p>
        <code className="address">{url}</code>
      </p>
      <CopyButton text={url} what="generated URL" />
    </>
  );
}

function urlOf(choices: Choices, authorizationEndpoint: string, clientId: string): string {
  const { scopes, permissions, redirectUri, context } = choices;
  const query = new URLSearchParams({ client_id: clientId, response_type: 'code', scope: scopes.join(' ') });
  if (redirectUri !== '') query.set('redirect_uri', redirectUri);
  if (hasBot(choices)) query.set('permissions', permissions);
  if (isInstall(choices)) query.set('integration_type', context);
  return `${authorizationEndpoint}?${query}`;
}
