import {
  type APIApplication,
  type APIApplicationInstallParams,
  ApplicationIntegrationType,
  type OAuth2Scopes,
} from 'discord-api-types/v10';
import { type ApplicationRecord, flagsOfIntents, privilegedIntents } from '../domain/applications/index.js';
import { HONOURED_SCOPES } from '../domain/installations/index.js';
import type { Application } from '../infra/database/index.js';
import { storedStrings } from '../infra/database/stored.js';
import { renderTeam, renderTeamUser } from './teams.js';
import { renderUser } from './users.js';

/** Includes fields of the reference platform that `discord-api-types` lacks. */
export type WireApplication = Omit<APIApplication, 'role_connections_verification_url'> & {
  type: null;
  role_connections_verification_url: null;
  approximate_user_authorization_count: number;
  explicit_content_filter: number;
  eligible_oauth2_scopes: string[];
};

/** The form for the application's own bot. As on the reference platform, some unset fields are omitted. */
export function renderApplication(application: ApplicationRecord): WireApplication {
  const serverParams = installParams(application.serverInstallScopes, application.serverInstallPermissions);
  return {
    ...renderApplicationSummary(application),
    bot: renderUser(application.bot),
    ...ownership(application),
    explicit_content_filter: 0,
    approximate_guild_count: application.installCounts.server,
    approximate_user_install_count: application.installCounts.user,
    approximate_user_authorization_count: application.installCounts.user,
    eligible_oauth2_scopes: [...HONOURED_SCOPES],
    role_connections_verification_url: null,
    redirect_uris: storedStrings(application.redirectUris),
    interactions_endpoint_url: application.interactionsEndpointUrl,
    ...(application.customInstallUrl === null ? {} : { custom_install_url: application.customInstallUrl }),
    ...(application.serverInstall && application.installLinkMode === 'PROVIDED'
      ? { install_params: serverParams }
      : {}),
    integration_types_config: {
      ...(application.serverInstall
        ? { [ApplicationIntegrationType.GuildInstall]: { oauth2_install_params: serverParams } }
        : {}),
      ...(application.userInstall
        ? {
            [ApplicationIntegrationType.UserInstall]: {
              oauth2_install_params: installParams(application.userInstallScopes, '0'),
            },
          }
        : {}),
    },
  };
}

export function renderApplicationSummary(application: Application) {
  const flags = flagsOfIntents(privilegedIntents(application));
  return {
    id: String(application.id),
    name: application.name,
    type: null,
    icon: application.iconHash,
    description: application.description,
    summary: '' as const,
    bot_public: application.public,
    bot_require_code_grant: false,
    verify_key: application.publicKey,
    flags,
    flags_new: String(flags),
    ...(application.coverHash === null ? {} : { cover_image: application.coverHash }),
  };
}

/** Libraries read `owner` even if a team owns the application. It is the team's pseudo user then. */
function ownership({ ownerUser, ownerTeam }: ApplicationRecord): Pick<WireApplication, 'owner' | 'team'> {
  if (ownerTeam) return { owner: renderTeamUser(ownerTeam), team: renderTeam(ownerTeam) };
  return { ...(ownerUser ? { owner: renderUser(ownerUser) } : {}), team: null };
}

function installParams(scopes: unknown, permissions: string): APIApplicationInstallParams {
  return { scopes: storedStrings(scopes) as OAuth2Scopes[], permissions };
}
