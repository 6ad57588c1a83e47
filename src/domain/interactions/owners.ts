import type { Prisma } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids.js';
import type { CallContext } from '../call.js';
import type { GuildPlace } from '../channels/place.js';
import { DomainError } from '../errors.js';
import { allows, Permission } from '../permissions.js';
import type { AuthorizingOwners } from './request.js';

/** The installs in a column of JSON, as ids in decimal text; none where that says nothing of them. */
export function storedOwners(value: Prisma.JsonValue | undefined): AuthorizingOwners {
  const { guildId, userId } = fieldsOf(value);
  return { ...idOf('guildId', idIn(guildId)), ...idOf('userId', idIn(userId)) };
}

/** The installs that stand in a message's word of the interaction it answers. */
export function ownersOfMessage(interaction: Prisma.JsonValue): AuthorizingOwners {
  return storedOwners(fieldsOf(interaction).owners);
}

function idIn(value: Prisma.JsonValue | undefined): bigint | undefined {
  return typeof value === 'string' ? parseSnowflake(value) : undefined;
}

function fieldsOf(value: Prisma.JsonValue | undefined): Prisma.JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

/**
 * Those of the installs that are there still, of which an application that goes on being used needs one.
 * @throws UNKNOWN_APPLICATION when none is
 */
export async function requireInstalled(
  call: CallContext,
  applicationId: bigint,
  { guildId, userId }: AuthorizingOwners,
): Promise<AuthorizingOwners> {
  const where = [...(guildId === undefined ? [] : [{ guildId }]), ...(userId === undefined ? [] : [{ userId }])];
  const installations = await call.read.installation.findMany({
    where: { applicationId, OR: where },
    select: { guildId: true, userId: true },
  });
  if (installations.length === 0) throw new DomainError('UNKNOWN_APPLICATION');
  return {
    ...(installations.some((one) => one.guildId !== null) ? idOf('guildId', guildId) : {}),
    ...(installations.some((one) => one.userId !== null) ? idOf('userId', userId) : {}),
  };
}

function idOf(name: keyof AuthorizingOwners, id: bigint | undefined): AuthorizingOwners {
  return id === undefined ? {} : { [name]: id };
}

/** Whether what an application answers is seen by the caller alone: where no server has it, and they may not bring such ones along. */
export function isForCallerOnly({ guildId }: AuthorizingOwners, { permissions }: GuildPlace): boolean {
  return guildId === undefined && !allows(permissions, Permission.UseExternalApps);
}
