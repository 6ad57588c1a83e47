import { SCOPES } from '../../gql/words.js';
import { useInstance } from '../../instance.js';
import { CopyButton } from '../../ui/copy.js';
import { Name } from '../../ui/page.js';
import { isBits } from '../../ui/permissions.js';
import { Picture } from '../../ui/picture.js';
import { namedPermissions } from '../servers/permissions.js';
import { useApplication } from './application.js';
import type { Fields } from './installation.js';

/** For the current, possibly unsaved settings. */
export function InstallLink({ fields, isSaved }: { fields: Fields; isSaved: boolean }) {
  const { id } = useApplication();
  const { authorizationEndpoint } = useInstance();
  const link = linkOf(fields, authorizationEndpoint, id);
  return (
    <aside className="card" aria-labelledby="install-link">
      <h2 id="install-link">Link and preview</h2>
      {link ? (
        <>
          <p>
            <code className="address">{link}</code>
          </p>
          <div className="actions">
            <CopyButton text={link} what="install link" />
            <a className="button plain small" href={link} target="_blank" rel="noreferrer">
              Open link
            </a>
          </div>
          {fields.installLinkMode === 'PROVIDED' && <ConsentPicture fields={fields} />}
        </>
      ) : (
        <p className="hint">{whyNone(fields)}</p>
      )}
      {!isSaved && <p className="soft small">Includes your unsaved changes.</p>}
    </aside>
  );
}

/** Preview of the authorization screen. */
function ConsentPicture({ fields }: { fields: Fields }) {
  const { name, iconUrl } = useApplication();
  const wanted = wantedScopes(fields);
  const scopes = SCOPES.filter((scope) => wanted.includes(scope.name));
  const { serverInstall, serverPermissions } = fields;
  const hasBot = serverInstall && wanted.includes('bot');
  const permissions = hasBot ? namedPermissions(serverPermissions) : [];
  return (
    <figure className="consent-picture" aria-label="Authorization screen preview">
      <p className="pictured">
        <Picture url={iconUrl} name={name} />
        <b>
          Authorize <Name>{name}</Name>?
        </b>
      </p>
      <ul>
        {scopes.map((scope) => (
          <li key={scope.name}>{scope.title}</li>
        ))}
      </ul>
      {permissions.length > 0 && <p>Bot permissions: {permissions.map(({ text }) => text).join(', ')}.</p>}
    </figure>
  );
}

/** Returns the supported scopes of the server install if it is enabled, else of the user install. */
function wantedScopes({ serverInstall, serverScopes, userScopes }: Fields): string[] {
  const wanted = serverInstall ? serverScopes : userScopes;
  return wanted.filter((scope) => SCOPES.some(({ name }) => name === scope));
}

/** Returns the same link as the server, or null for none. */
function linkOf(fields: Fields, authorizationEndpoint: string, clientId: string): string | null {
  const { installLinkMode, customInstallUrl, serverInstall, userInstall, serverPermissions } = fields;
  if (installLinkMode === 'NONE') return null;
  if (installLinkMode === 'CUSTOM') return /^https:\/\//i.test(customInstallUrl) ? customInstallUrl : null;
  const scopes = wantedScopes(fields);
  if (scopes.length === 0 || !hasBits(fields)) return null;
  const query = [
    `client_id=${clientId}`,
    `permissions=${serverInstall ? serverPermissions : '0'}`,
    `scope=${encodeURIComponent(scopes.join(' '))}`,
    ...(serverInstall && userInstall ? [] : [`integration_type=${serverInstall ? 0 : 1}`]),
    'response_type=code',
  ];
  return `${authorizationEndpoint}?${query.join('&')}`;
}

/** Whether the link's permissions are a valid number. */
function hasBits({ serverInstall, serverPermissions }: Fields): boolean {
  return !serverInstall || isBits(serverPermissions);
}

function whyNone(fields: Fields): string {
  const { installLinkMode } = fields;
  if (installLinkMode === 'NONE') return 'This mode has no install link.';
  if (installLinkMode === 'CUSTOM') return 'To get a link, enter a custom URL that starts with https://.';
  if (!hasBits(fields)) return 'To get a link, enter the permissions as a valid number.';
  return 'To get a link, select at least one supported scope.';
}
