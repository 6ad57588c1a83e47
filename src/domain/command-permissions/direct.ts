import type { Application } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { DirectChannelAccess } from '../channels/access.js';
import { sharesGuild } from '../channels/direct.js';
import type { Installs } from './decide.js';
import { installsOf } from './installs.js';
import type { IntegrationOwners } from './record.js';

/** A server installation without a particular guild runs the command (wire: `"0"`). */
export const ANY_GUILD = 0n;

export function isWithBot({ recipientIds }: DirectChannelAccess, applicationId: bigint): boolean {
  return recipientIds.includes(applicationId);
}

/** Server installations count only if the bot is in the channel. */
export async function installsInDirect(
  call: CallContext,
  place: DirectChannelAccess,
  application: Pick<Application, 'id' | 'userInstall'>,
  userId: bigint,
): Promise<Installs> {
  const [there, server] = await Promise.all([
    call.applications.installations(application.id, ANY_GUILD, userId),
    isWithBot(place, application.id) && sharesGuild(call, userId, application.id),
  ]);
  return { ...installsOf(there, application), server };
}

export function ownersInDirect({ server, user }: Installs, userId: bigint): IntegrationOwners {
  return { ...(server ? { guildId: ANY_GUILD } : {}), ...(user ? { userId } : {}) };
}
