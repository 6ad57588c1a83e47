import { findInstallation } from '../../domain/oauth/index.js';
import { isPermissionString, parsePermissions } from '../../domain/permissions.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import type { Answer } from './answer.js';
import { installedPage, notFoundPage } from './pages.js';
import type { Visit } from './visit.js';
import { namedPermissions } from './words.js';

/** Confirms an existing installation, so the page can be reloaded safely. */
export async function showInstalled({ call, query, signedIn }: Visit): Promise<Answer> {
  if (!signedIn) return notFoundPage(null, null);
  const installation = await findInstallation(call, {
    applicationId: parseSnowflake(query.client_id ?? '') ?? 0n,
    guildId: query.guild_id === undefined ? null : (parseSnowflake(query.guild_id) ?? 0n),
  });
  if (!installation) return notFoundPage(null, null);
  const { permissions = '' } = query;
  const wanted = isPermissionString(permissions) ? parsePermissions(permissions) : 0n;
  return installedPage(installation, namedPermissions(wanted & ~installation.permissions));
}
