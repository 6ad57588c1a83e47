import { OverwriteType, PermissionFlagsBits } from 'discord-api-types/v10';
import { commandRecord, GLOBAL_SCOPE, shortBodyOf } from '../../domain/commands/index.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../domain/permissions.js';
import type { Application, Channel, ChannelOverwrite, Role } from '../../infra/database/index.js';
import type { ApplicationSeed, ChannelSeed, GuildSeed, PermissionName, RoleSeed, Seed } from '../protocol.js';
import type { BuiltGuild } from './build.js';
import { CHANNEL_TYPES } from './seed.js';
import type { World } from './world.js';

/**
 * The seed of a new world that is like this one now. Seeds have no messages, webhooks, emojis or voice states, and no
 * permissions of a channel for the own role of a bot.
 */
export async function exportSeed(world: World): Promise<Seed> {
  const names = namesIn(world);
  const { name, rateLimits } = world.seed;
  return withoutDefaults({
    name,
    people: await peopleOf(world),
    guilds: await Promise.all(world.guilds.map((guild) => guildSeed(world, guild, names))),
    applications: await Promise.all(world.applications.map(({ id }) => applicationSeed(world, id, names))),
    rateLimits: rateLimits === 'off' ? undefined : rateLimits,
  });
}

type CommandBody = NonNullable<ApplicationSeed['commands']>[number];

type Names = ReadonlyMap<bigint, string>;

function namesIn({ people, applications, box }: World): Names {
  const users = [...people.values(), ...(box?.people.values() ?? []), ...applications];
  return new Map(users.map(({ id, name }) => [id, name]));
}

async function peopleOf({ app, people }: World): Promise<Seed['people']> {
  const where = { id: { in: [...people.values()].map(({ id }) => id) } };
  const rows = await app.db.reader.user.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ username, globalName }) =>
    globalName === null ? username : { name: username, displayName: globalName },
  );
}

async function guildSeed(world: World, { id }: BuiltGuild, names: Names): Promise<GuildSeed> {
  const { app, people } = world.at(id);
  const { reader } = app.db;
  const nameOfPerson = new Map([...people.values()].map((one) => [one.id, one.name]));
  const ofGuild = { guildId: id };
  const [guild, channels, roles, members, memberRoles] = await Promise.all([
    reader.guild.findUniqueOrThrow({ where: { id } }),
    reader.channel.findMany({
      where: ofGuild,
      include: { overwrites: { orderBy: [{ targetType: 'asc' }, { targetId: 'asc' }] } },
      orderBy: { position: 'asc' },
    }),
    reader.role.findMany({ where: ofGuild, orderBy: { position: 'asc' } }),
    reader.member.findMany({
      where: { ...ofGuild, userId: { in: [...people.values()].map((one) => one.id) } },
      orderBy: { userId: 'asc' },
    }),
    reader.memberRole.findMany({ where: ofGuild, orderBy: { userId: 'asc' } }),
  ]);
  const everyone = roles.find((role) => role.id === id)?.permissions;
  const isDefault = everyone === undefined || BigInt(everyone) === BigInt(DEFAULT_EVERYONE_PERMISSIONS);
  const own = roles.filter((role) => role.id !== id && !role.managed);
  return withoutDefaults({
    name: guild.name,
    owner: names.get(guild.ownerId),
    members: members.flatMap(({ userId }) => names.get(userId) ?? []),
    channels: inSeedOrder(channels).map((channel) => channelSeed(channel, channels, roles, names)),
    roles: unlessEmpty(
      own.map((role) => {
        const holders = memberRoles.filter(({ roleId }) => roleId === role.id);
        return roleSeed(
          role,
          holders.flatMap(({ userId }) => nameOfPerson.get(userId) ?? []),
        );
      }),
    ),
    everyone: isDefault ? undefined : permissionNames(everyone),
    box: world.isOnBox(id),
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
  names: Names,
): NonNullable<ChannelSeed['overwrites']> {
  const bits = withoutDefaults({
    allow: unlessEmpty(permissionNames(allow)),
    deny: unlessEmpty(permissionNames(deny)),
  });
  const name = names.get(targetId);
  const role = roles.find(({ id, managed }) => id === targetId && !managed);
  if (targetType === OverwriteType.Role) return role ? [{ role: role.name, ...bits }] : [];
  if (name === undefined) return [];
  return [{ ...(/^[a-z0-9._]+$/.test(name) ? { person: name } : { application: name }), ...bits }];
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

async function applicationSeed(world: World, id: bigint, names: Names): Promise<ApplicationSeed> {
  const { reader } = world.app.db;
  const [application, role, installations, rows, everyone] = await Promise.all([
    reader.application.findUniqueOrThrow({ where: { id } }),
    reader.role.findFirst({ where: { applicationId: id, managed: true }, orderBy: { guildId: 'asc' } }),
    reader.installation.findMany({ where: { applicationId: id, guildId: { in: world.guilds.map((one) => one.id) } } }),
    reader.applicationCommand.findMany({
      where: { applicationId: id, scopeId: GLOBAL_SCOPE },
      orderBy: { id: 'asc' },
    }),
    reader.commandPermission.count({ where: { applicationId: id, commandId: id, allow: true } }),
  ]);
  const guilds = world.guilds.filter((guild) => installations.some(({ guildId }) => guildId === guild.id));
  const { description, ownerUserId, publicClient, userInstall, interactionsEndpointUrl } = application;
  const seed = withoutDefaults<ApplicationSeed>({
    name: application.name,
    description,
    owner: ownerUserId === null ? undefined : names.get(ownerUserId),
    guilds: guilds.length === world.guilds.length ? undefined : guilds.map(({ name }) => name),
    permissions: role ? unlessEmpty(permissionNames(role.permissions)) : undefined,
    privilegedIntents: intentsOf(application),
    publicClient,
    userInstall,
    redirectUris: unlessEmpty(application.redirectUris as string[]),
    interactionsEndpointUrl,
    commands: unlessEmpty(rows.map((row) => shortBodyOf(commandRecord(row), application) as CommandBody)),
    commandsFor: everyone > 0 || guilds.length === 0 ? undefined : 'owner',
  });
  return application.public ? seed : { ...seed, public: false };
}

/** Undefined if the application may use all of them. */
function intentsOf(application: Application): ApplicationSeed['privilegedIntents'] {
  const { guildMembersIntent, presencesIntent, messageContentIntent } = application;
  if (guildMembersIntent && presencesIntent && messageContentIntent) return undefined;
  return [
    ...(guildMembersIntent ? (['GUILD_MEMBERS'] as const) : []),
    ...(presencesIntent ? (['PRESENCES'] as const) : []),
    ...(messageContentIntent ? (['MESSAGE_CONTENT'] as const) : []),
  ];
}

/** The last name of each bit; earlier ones are deprecated. */
const NAMES = new Map(Object.entries(PermissionFlagsBits).map(([name, bit]) => [bit, name as PermissionName]));

function permissionNames(permissions: string | bigint): PermissionName[] {
  const bits = BigInt(permissions);
  return [...NAMES].filter(([bit]) => (bits & bit) !== 0n).map(([, name]) => name);
}

/** For lists whose default is empty. */
function unlessEmpty<Item>(list: Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Leaves out fields that say nothing. Lists stay, because an empty one can differ from the default. */
function withoutDefaults<Seeded extends object>(seed: Seeded): Seeded {
  const said = Object.entries(seed).filter(([, value]) => ![undefined, null, false, 0, ''].includes(value));
  return Object.fromEntries(said) as Seeded;
}
