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
      <h2 id="install-link">The link</h2>
      {link ? (
        <>
          <p>
            <code className="address">{link}</code>
          </p>
          <div className="actions">
            <CopyButton text={link} what="the install link" />
            <a className="button plain small" href={link} target="_blank" rel="noreferrer">
              Open
            </a>
          </div>
          {fields.installLinkMode === 'PROVIDED' && <ConsentPicture fields={fields} />}
        </>
      ) : (
        <p className="hint">{whyNone(fields)}</p>
      )}
      {!isSaved && <p className="soft small">As it will be once you save.</p>}
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
    <figure className="consent-picture" aria-label="What people are asked">
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
      {permissions.length > 0 && <p>Its bot may: {permissions.map(({ text }) => text).join(', ')}.</p>}
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
  if (installLinkMode === 'NONE') return 'There is no link in this mode.';
  if (installLinkMode === 'CUSTOM') return 'Type the address of your page, which begins with https://.';
  if (!hasBits(fields)) return 'There is no link while the permissions are no number.';
  return 'Without a scope that is honoured there is no link.';
}
