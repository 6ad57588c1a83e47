import { findInstallation } from '../../domain/oauth/index.js';
import { snowflakeText } from '../../wire/id.js';
import type { Answer } from './answer.js';
import { installedPage, notFoundPage } from './pages.js';
import type { Visit } from './visit.js';

/** Where an installation without a redirect URI ends. Says so only of one that is there; to load it again changes nothing. */
export async function showInstalled({ call, query, signedIn }: Visit): Promise<Answer> {
  if (!signedIn) return notFoundPage(null, null);
  const installation = await findInstallation(call, {
    applicationId: snowflakeText(query.client_id ?? '') ?? 0n,
    guildId: query.guild_id === undefined ? null : (snowflakeText(query.guild_id) ?? 0n),
  });
  return installation ? installedPage(installation) : notFoundPage(null, null);
}
