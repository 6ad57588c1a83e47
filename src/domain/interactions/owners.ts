import type { Application, Prisma } from '../../infra/database/index.js';
import { storedObject } from '../../infra/database/stored.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { installationsIn } from '../applications/views.js';
import { type CallContext, requirePerson } from '../call.js';
import type { ChannelAccess } from '../channels/access.js';
import { sharesGuild } from '../channels/direct.js';
import { ANY_GUILD } from '../command-permissions/direct.js';
import { installedFor, installsOf } from '../command-permissions/installs.js';
import type { IntegrationOwners } from '../command-permissions/record.js';
import { DomainError } from '../errors.js';
import { allows, Permission } from '../permissions.js';

/** The column holds ids as decimal text. */
export function storedOwners(value: Prisma.JsonValue | undefined): IntegrationOwners {
  const { guildId, userId } = storedObject(value);
  return { ...idOf('guildId', idIn(guildId)), ...idOf('userId', idIn(userId)) };
}

export function ownersOfMessage(interaction: Prisma.JsonValue): IntegrationOwners {
  return storedOwners(storedObject(interaction).owners);
}

function idIn(value: Prisma.JsonValue | undefined): bigint | undefined {
  return typeof value === 'string' ? parseSnowflake(value) : undefined;
}

/**
 * @returns the owners that still have the application installed
 * @throws UNKNOWN_APPLICATION if there are none
 */
export async function requireInstalled(
  call: CallContext,
  application: Application,
  { guildId, userId }: IntegrationOwners,
): Promise<IntegrationOwners> {
  const rows = await call.read.installation.findMany({
    where: { applicationId: application.id, ...installedFor(guildId ?? null, userId ?? null) },
    select: { guildId: true },
  });
  const { server: isOfGuild, user } = installsOf(installationsIn(rows), application);
  const server =
    guildId === ANY_GUILD ? await sharesGuild(call, requirePerson(call).user.id, application.id) : isOfGuild;
  if (!server && !user) throw new DomainError('UNKNOWN_APPLICATION');
  return { ...(server ? idOf('guildId', guildId) : {}), ...(user ? idOf('userId', userId) : {}) };
}

function idOf(name: keyof IntegrationOwners, id: bigint | undefined): IntegrationOwners {
  return id === undefined ? {} : { [name]: id };
}

/** Answers are ephemeral without a guild installation or UseExternalApps. */
export function isForCallerOnly({ guildId }: IntegrationOwners, place: ChannelAccess): boolean {
  if (place.kind === 'direct') return false;
  return guildId === undefined && !allows(place.permissions, Permission.UseExternalApps);
}
