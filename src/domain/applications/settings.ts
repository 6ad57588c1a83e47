import type { Application } from '../../infra/database/index.js';
import { storedStrings } from '../../infra/database/stored.js';
import { storedScopes } from '../installations/scopes.js';

/**
 * Null without a link. The provided link (service description, section 4) omits `integration_type` if both contexts are
 * on. It also omits unsupported scopes, which the authorization screen refuses.
 * @param authUrl origin of the authorization screen
 */
export function installUrl(application: Application, authUrl: string): string | null {
  switch (application.installLinkMode) {
    case 'NONE':
      return null;
    case 'CUSTOM':
      return application.customInstallUrl;
    case 'PROVIDED':
      return providedInstallUrl(application, authUrl);
  }
}

function providedInstallUrl(application: Application, authUrl: string): string | null {
  const { serverInstall, userInstall } = application;
  const wanted = serverInstall ? application.serverInstallScopes : application.userInstallScopes;
  const honoured: string[] = storedScopes(wanted);
  const scopes = storedStrings(wanted).filter((name) => honoured.includes(name));
  if (scopes.length === 0) return null;
  const query = [
    `client_id=${application.id}`,
    `permissions=${serverInstall ? application.serverInstallPermissions : '0'}`,
    `scope=${encodeURIComponent(scopes.join(' '))}`,
    ...(serverInstall && userInstall ? [] : [`integration_type=${serverInstall ? 0 : 1}`]),
    'response_type=code',
  ];
  return `${authUrl}/oauth2/authorize?${query.join('&')}`;
}
