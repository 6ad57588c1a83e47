import { OverwriteType } from 'discord-api-types/v10';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../../domain/permissions.js';
import type { Channel, ChannelOverwrite, Role } from '../../../infra/database/index.js';
import type { ChannelSeed, GuildSeed, RoleSeed } from '../../protocol.js';
import { CHANNEL_TYPES } from '../seed.js';
import type { ContainedGuild, Contents } from './contents.js';
import { permissionNames, unlessEmpty, withoutDefaults } from './fields.js';

type Names = Pick<Contents, 'nameOfPerson' | 'nameOfApplication'>;

export async function guildSeed(guild: ContainedGuild, names: Names): Promise<GuildSeed> {
  const { id, isOnBox } = guild;
  const { reader } = guild.app.db;
  const ofGuild = { guildId: id };
  const [channels, roles, members, memberRoles] = await Promise.all([
    reader.channel.findMany({
      where: ofGuild,
      include: { overwrites: { orderBy: [{ targetType: 'asc' }, { targetId: 'asc' }] } },
      orderBy: { position: 'asc' },
    }),
    reader.role.findMany({ where: ofGuild, orderBy: { position: 'asc' } }),
    reader.member.findMany({ where: ofGuild, orderBy: { userId: 'asc' } }),
    reader.memberRole.findMany({ where: ofGuild, orderBy: { userId: 'asc' } }),
  ]);
  const nameOf = ({ userId }: { userId: bigint }) => names.nameOfPerson.get(userId) ?? [];
  const everyone = roles.find((role) => role.id === id)?.permissions;
  const isDefault = everyone === undefined || BigInt(everyone) === BigInt(DEFAULT_EVERYONE_PERMISSIONS);
  const own = roles.filter((role) => role.id !== id && !role.managed);
  return withoutDefaults({
    name: guild.name,
    owner: names.nameOfPerson.get(guild.ownerId),
    members: members.flatMap(nameOf),
    channels: inSeedOrder(channels).map((channel) => channelSeed(channel, channels, roles, names)),
    roles: unlessEmpty(
      own.map((role) => roleSeed(role, memberRoles.filter(({ roleId }) => roleId === role.id).flatMap(nameOf))),
    ),
    everyone: isDefault ? undefined : permissionNames(everyone),
    box: isOnBox,
  });
}

/** A category stands above its channels. */
function inSeedOrder<Listed extends Channel>(channels: readonly Listed[]): Listed[] {
  const known = channels.filter(({ type }) => typeName(type) !== undefined);
  const top = known.filter(({ parentId }) => !known.some(({ id }) => id === parentId));
  return top.flatMap((one) => [one, ...known.filter(({ parentId }) => parentId === one.id)]);
}

function typeName(type: number): ChannelSeed['type'] {
  const names = Object.keys(CHANNEL_TYPES) as (keyof typeof CHANNEL_TYPES)[];
  return names.find((name) => CHANNEL_TYPES[name] === type);
}

function channelSeed(
  { name, type, topic, nsfw, rateLimitPerUser, parentId, overwrites }: Channel & { overwrites: ChannelOverwrite[] },
  channels: readonly Channel[],
  roles: readonly Role[],
  names: Names,
): ChannelSeed {
  const kind = typeName(type);
  return withoutDefaults({
    name,
    type: kind === 'text' ? undefined : kind,
    topic,
    nsfw,
    slowMode: rateLimitPerUser,
    category: channels.find(({ id }) => id === parentId)?.name,
    overwrites: unlessEmpty(overwrites.flatMap((overwrite) => overwriteSeed(overwrite, roles, names))),
  });
}

function overwriteSeed(
  { targetId, targetType, allow, deny }: ChannelOverwrite,
  roles: readonly Role[],
  { nameOfPerson, nameOfApplication }: Names,
): NonNullable<ChannelSeed['overwrites']> {
  const bits = withoutDefaults({
    allow: unlessEmpty(permissionNames(allow)),
    deny: unlessEmpty(permissionNames(deny)),
  });
  if (targetType === OverwriteType.Role) {
    const role = roles.find(({ id, managed }) => id === targetId && !managed);
    return role ? [{ role: role.name, ...bits }] : [];
  }
  const [person, application] = [nameOfPerson.get(targetId), nameOfApplication.get(targetId)];
  if (person !== undefined) return [{ person, ...bits }];
  return application === undefined ? [] : [{ application, ...bits }];
}

function roleSeed({ name, permissions, color, hoist, mentionable }: Role, members: string[]): RoleSeed {
  return withoutDefaults({
    name,
    permissions: unlessEmpty(permissionNames(permissions)),
    color,
    hoist,
    mentionable,
    members: unlessEmpty(members),
  });
}
