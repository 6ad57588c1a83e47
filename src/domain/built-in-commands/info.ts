import { ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { User } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild, channelsWith } from '../guilds/access.js';
import { messageEmbeds } from '../messages/content/embeds.js';
import { type BuiltInAnswer, type BuiltInCommand, type Invocation, type NameIn, privately } from './command.js';
import { requireServer } from './place.js';

const ABOUT_SOMEBODY = [{ type: Type.User, name: 'user', description: 'User to show (default: you)' }];

/** Further roles are only counted. */
const ROLES_NAMED = 20;

export const INFO = {
  serverinfo: { description: 'Show information about this server', options: [], run: showServer },
  userinfo: { description: 'Show information about a user', options: ABOUT_SOMEBODY, run: showUser },
  avatar: { description: "Show a user's avatar", options: ABOUT_SOMEBODY, run: showAvatar },
} satisfies Record<NameIn<'info'>, BuiltInCommand>;

async function showServer({ call, caller, place }: Invocation): Promise<BuiltInAnswer> {
  const { guildId } = requireServer(place);
  const access = await accessGuild(call, guildId, 'viewGuild');
  const [guild, members] = await Promise.all([
    call.read.guild.findUnique({ where: { id: guildId } }),
    call.guilds.countMembers(guildId),
  ]);
  if (!guild) throw new DomainError('UNKNOWN_GUILD');
  const channels = channelsWith(access, caller.id, 'viewChannel').size;
  return embedded({
    title: guild.name,
    description: guild.description ?? undefined,
    ...(guild.iconHash ? { thumbnail: { url: pictureUrl(call, `icons/${guildId}/${guild.iconHash}`) } } : {}),
    fields: [
      field('Owner', `<@${guild.ownerId}>`),
      field('Created', day(guildId)),
      field('Members', String(members)),
      field('Channels you can view', String(channels)),
      field('Roles', String(access.view.rolePermissions.size)),
      field('ID', String(guildId)),
    ],
  });
}

async function showUser({ call, caller, place, given }: Invocation): Promise<BuiltInAnswer> {
  const user = given.user('user') ?? caller;
  const membership = place.kind === 'guild' ? await membershipFields(call, place.guildId, user) : [];
  return embedded({
    title: nameOf(user),
    ...(user.avatarHash ? { thumbnail: { url: avatarUrl(call, user, user.avatarHash) } } : {}),
    fields: [
      field('Name', user.username),
      field('ID', String(user.id)),
      field(user.bot ? 'Bot created' : 'Account created', day(user.id)),
      ...membership,
    ],
  });
}

async function membershipFields(call: CallContext, guildId: bigint, user: User) {
  const member = await call.guilds.member(guildId, user.id);
  if (!member) return [field('Member', 'Not in this server')];
  const roles = await call.read.role.findMany({
    where: { id: { in: member.roleIds } },
    orderBy: { position: 'desc' },
    take: ROLES_NAMED,
  });
  const further = member.roleIds.length - roles.length;
  const named = [...roles.map(({ id }) => `<@&${id}>`), ...(further > 0 ? [`and ${further} more`] : [])];
  return [
    field('Member since', time(member.joinedAt.getTime())),
    ...(member.nick === null ? [] : [field('Nickname', member.nick)]),
    field('Roles', named.join(' ') || 'None'),
  ];
}

async function showAvatar({ call, caller, given }: Invocation): Promise<BuiltInAnswer> {
  const user = given.user('user') ?? caller;
  if (user.avatarHash === null) return privately(`<@${user.id}> has no avatar.`);
  return embedded({ title: nameOf(user), image: { url: avatarUrl(call, user, user.avatarHash) } });
}

function embedded(embed: object): BuiltInAnswer {
  return { embeds: messageEmbeds.parse([embed]), isPrivate: true };
}

function field(name: string, value: string) {
  return { name, value, inline: true };
}

function nameOf({ globalName, username }: User): string {
  return globalName ?? username;
}

function avatarUrl(call: CallContext, { id }: User, hash: string): string {
  return pictureUrl(call, `avatars/${id}/${hash}`);
}

function pictureUrl({ publicUrl }: CallContext, path: string): string {
  return `${publicUrl}/cdn/${path}.png`;
}

/** Clients show the time in their own time zone. */
function day(id: bigint): string {
  return time(snowflakeTime(id));
}

function time(ms: number): string {
  return `<t:${Math.floor(ms / 1000)}:D>`;
}
