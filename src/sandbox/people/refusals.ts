import { type CallContext, requirePerson } from '../../domain/call.js';
import { DomainError } from '../../domain/errors.js';
import { permissionsInChannel } from '../../domain/guilds/index.js';
import { permissionNames, timeoutEnd } from '../../domain/permissions.js';
import type { World } from '../worlds/world.js';

/** Texts that do not name the reason, because callers of the platform must not learn it. */
const BARE = ['Missing Permissions', 'Missing Access', 'Unknown Channel'];

/**
 * Adds what the person may do in the channel to a refusal, because the author of a test may know it.
 * @param channel its name or id
 */
export async function explaining<Result>(
  world: World,
  call: CallContext,
  channel: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || !BARE.includes(error.message)) throw error;
    const reason = await reasonIn(world, call, channel);
    throw reason === null ? error : new DomainError(error.code, `${error.message}: ${reason}`, { cause: error });
  }
}

async function reasonIn(world: World, call: CallContext, name: string): Promise<string | null> {
  const { user } = requirePerson(call);
  const channel = await world.channel(name);
  const { guildId } = channel;
  if (guildId === null) return null;
  const guild = world.guilds.find(({ id }) => id === guildId);
  const where = `#${channel.name}`;
  if (!guild) return `${where} is in no server of this world.`;
  const member = await call.guilds.member(guildId, user.id);
  if (!member) return `${user.username} is not a member of ${guild.name}.`;
  const end = timeoutEnd(call.clock.now(), member);
  if (end !== null) return `${user.username} is timed out until ${new Date(end).toISOString()}.`;
  const bits = await permissionsInChannel(call.guilds, guildId, channel.id, user.id, call.clock.now());
  const names = permissionNames(bits ?? 0n);
  return `in ${where}, ${user.username} has ${names.length === 0 ? 'no permissions' : `only ${names.join(', ')}`}.`;
}
