import { InteractionContextType, Locale } from 'discord-api-types/v10';
import type { Application, Role, User } from '../../../infra/database/index.js';
import { type CallContext, requirePerson } from '../../call.js';
import {
  type ChannelAccess,
  type DirectChannelAccess,
  type GuildChannelAccess,
  othersIn,
} from '../../channels/access.js';
import { loadChannel } from '../../channels/get.js';
import type { IntegrationOwners } from '../../command-permissions/record.js';
import { DomainError, type FieldFault, invalidInput } from '../../errors.js';
import type { GuildView } from '../../guilds/views.js';
import { nickColumns, userNameKeys } from '../../members/name-keys.js';
import type { MemberRecord, MemberSummary } from '../../members/record.js';
import {
  allows,
  channelPermissions,
  DIRECT_PERMISSIONS,
  holderAt,
  Permission,
  type PermissionHolder,
} from '../../permissions.js';
import { shownByIds } from '../../users/shown-by-id.js';
import { type ChannelWithNewest, loadChannels } from './channels-shown.js';
import { notOneOf, unknownOf, type Wanted } from './reading.js';
import type { ChannelShown, InteractionContext, MemberShown, Resolved } from './request.js';

interface Asked {
  application: Application & { bot: User };
  place: ChannelAccess;
  owners: IntegrationOwners;
  ephemeralOnly: boolean;
  wanted: readonly Wanted[];
}

/**
 * Loads the `wanted` entities. The number of queries does not depend on the number of ids.
 * @throws INVALID_INPUT for ids that do not exist or that the caller may not see, UNKNOWN_CHANNEL, GuildUnavailable
 */
export async function loadInteractionContext(call: CallContext, asked: Asked): Promise<InteractionContext> {
  const { user } = requirePerson(call);
  const { application, place, owners, ephemeralOnly, wanted } = asked;
  if (place.kind === 'direct') return findDirectCircumstances(call, asked, place);
  const scene = await setScene(call, place, application.id);
  const found = await lookUp(call, scene, [...wanted]);
  const faults = wanted.flatMap((one) => faultOf(scene, found, one));
  if (faults.length > 0) throw invalidInput(...faults);
  const channel = showChannel(scene, found, place.channelId);
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return {
    application,
    user,
    place,
    channel,
    member: found.members.get(user.id) ?? null,
    resolved: resolve(scene, found, wanted),
    owners,
    ephemeralOnly,
    appPermissions: channel.appPermissions,
    locale: call.locale ?? Locale.EnglishUS,
    guildLocale: Locale.EnglishUS,
    context: InteractionContextType.Guild,
  };
}

/** Accepts any existing user. A direct channel has no members, roles or other channels. */
async function findDirectCircumstances(
  call: CallContext,
  asked: Asked,
  place: DirectChannelAccess,
): Promise<InteractionContext> {
  const { user } = requirePerson(call);
  const { application, owners, ephemeralOnly, wanted } = asked;
  const { channel, lastMessageId } = await loadChannel(call, place);
  const recipients = await loadUsers(call, othersIn(place, application.id));
  const named = await loadUsers(call, unique(idsOf(wanted, 'user', 'mentionable')));
  const users = byId(await shownByIds(call, named, place.recipientIds));
  const faults = wanted.flatMap(({ id, kind, path }) => (users.has(id) ? [] : [{ path, ...unknownOf(kind) }]));
  if (faults.length > 0) throw invalidInput(...faults);
  const permissions = { permissions: DIRECT_PERMISSIONS, appPermissions: DIRECT_PERMISSIONS };
  const isWithBot = place.recipientIds.includes(application.id);
  return {
    application,
    user,
    place,
    channel: { channel, lastMessageId, recipients, ...permissions },
    member: null,
    resolved: { users: [...users.values()], members: [], roles: [], channels: [], messages: [], files: [] },
    owners,
    ephemeralOnly,
    appPermissions: DIRECT_PERMISSIONS,
    locale: call.locale ?? Locale.EnglishUS,
    guildLocale: Locale.EnglishUS,
    context: isWithBot ? InteractionContextType.BotDM : InteractionContextType.PrivateChannel,
  };
}

/** Cached data for computing permissions. */
interface Scene {
  view: GuildView;
  place: GuildChannelAccess;
  user: User;
  botId: bigint;
  /** Null if the bot is not a member; it then has the permissions of `@everyone`. */
  bot: MemberSummary | null;
  /** Milliseconds since the Unix epoch. */
  at: number;
}

async function setScene(call: CallContext, place: GuildChannelAccess, botId: bigint): Promise<Scene> {
  const { user } = requirePerson(call);
  const { guildId } = place;
  const [view, bot] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, botId)]);
  if (!view) throw new DomainError('UNKNOWN_CHANNEL');
  return { view, place, user, botId, bot, at: call.clock.now() };
}

interface Found {
  users: ReadonlyMap<bigint, User>;
  members: ReadonlyMap<bigint, MemberRecord>;
  roles: ReadonlyMap<bigint, Role>;
  channels: ReadonlyMap<bigint, ChannelWithNewest>;
}

async function lookUp(call: CallContext, { place, user }: Scene, wanted: readonly Wanted[]): Promise<Found> {
  const { guildId, channelId } = place;
  const caller = memberOf(place, user);
  const userIds = unique(idsOf(wanted, 'user', 'mentionable')).filter((id) => id !== caller?.userId);
  const roleIds = unique(idsOf(wanted, 'role', 'mentionable'));
  const [others, roles, channels] = await Promise.all([
    userIds.length === 0 ? [] : call.guilds.members(guildId, { userIds }, userIds.length),
    roleIds.length === 0 ? [] : call.read.role.findMany({ where: { id: { in: roleIds }, guildId } }),
    loadChannels(call, guildId, unique([channelId, ...idsOf(wanted, 'channel')])),
  ]);
  const members = [...(caller ? [caller] : []), ...others];
  const known = new Set([...members.map(({ userId }) => userId), ...roles.map(({ id }) => id)]);
  const strangerIds = userIds.filter((id) => !known.has(id));
  const strangers = await shownByIds(call, await loadUsers(call, strangerIds));
  return {
    users: byId([...members.map((member) => member.user), ...strangers]),
    members: new Map(members.map((member) => [member.userId, member])),
    roles: byId(roles),
    channels,
  };
}

function memberOf({ guildId, member }: GuildChannelAccess, user: User): MemberRecord | null {
  if (!member) return null;
  const { roleIds, ...facts } = member;
  const keys = { ...userNameKeys(user), ...nickColumns(facts.nick) };
  return { guildId, userId: user.id, user, ...facts, ...keys, roles: roleIds.map((roleId) => ({ roleId })) };
}

async function loadUsers({ read }: CallContext, ids: bigint[]): Promise<User[]> {
  return ids.length === 0 ? [] : read.user.findMany({ where: { id: { in: ids }, deletedAt: null } });
}

function faultOf(scene: Scene, { users, roles }: Found, { kind, id, path, channelTypes }: Wanted): FieldFault[] {
  switch (kind) {
    case 'user':
      return users.has(id) ? [] : [{ path, ...unknownOf(kind) }];
    case 'role':
      return roles.has(id) ? [] : [{ path, ...unknownOf(kind) }];
    case 'mentionable':
      return users.has(id) || roles.has(id) ? [] : [{ path, ...unknownOf(kind) }];
    case 'channel':
      return faultOfChannel(scene, id, channelTypes).map((fault) => ({ path, ...fault }));
  }
}

/** A channel that the caller cannot view is reported as unknown. */
function faultOfChannel(scene: Scene, id: bigint, channelTypes: Wanted['channelTypes']): Omit<FieldFault, 'path'>[] {
  const type = scene.view.channels.get(id)?.type;
  if (type === undefined || !allows(permissionsOfCaller(scene, id), Permission.ViewChannel))
    return [unknownOf('channel')];
  if (!channelTypes?.length || channelTypes.includes(type)) return [];
  const { code } = notOneOf([]);
  return [{ code, message: `The channel's type must be one of {${channelTypes.join(', ')}}.` }];
}

function resolve(scene: Scene, found: Found, wanted: readonly Wanted[]): Resolved {
  const ids = unique(idsOf(wanted, 'user', 'role', 'mentionable', 'channel'));
  return {
    users: present(found.users, ids),
    members: present(found.members, ids).map((member) => showMember(scene, member)),
    roles: present(found.roles, ids),
    channels: unique(idsOf(wanted, 'channel')).flatMap((id) => showChannel(scene, found, id) ?? []),
    messages: [],
    files: [],
  };
}

function showMember(scene: Scene, member: MemberRecord): MemberShown {
  const facts = { ...member, roleIds: member.roles.map(({ roleId }) => roleId) };
  const holder = holderAt(scene.at, member.userId, facts);
  return { member, permissions: permissionsIn(scene, scene.place.channelId, holder) };
}

function showChannel(scene: Scene, { channels }: Found, id: bigint): ChannelShown | undefined {
  const found = channels.get(id);
  if (!found) return undefined;
  const { botId, bot, at } = scene;
  return {
    ...found,
    permissions: permissionsOfCaller(scene, id),
    appPermissions: permissionsIn(scene, id, holderAt(at, botId, bot)),
  };
}

function permissionsOfCaller(scene: Scene, channelId: bigint): bigint {
  return permissionsIn(scene, channelId, holderAt(scene.at, scene.user.id, scene.place.member));
}

function permissionsIn({ view }: Scene, channelId: bigint, holder: PermissionHolder): bigint {
  const channel = view.channels.get(channelId);
  return channel ? channelPermissions(view, channel, holder) : 0n;
}

function idsOf(wanted: readonly Wanted[], ...kinds: Wanted['kind'][]): bigint[] {
  return wanted.flatMap(({ kind, id }) => (kinds.includes(kind) ? [id] : []));
}

function unique(ids: readonly bigint[]): bigint[] {
  return [...new Set(ids)];
}

function byId<Row extends { id: bigint }>(rows: readonly Row[]): Map<bigint, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function present<Row>(rows: ReadonlyMap<bigint, Row>, ids: readonly bigint[]): Row[] {
  return ids.flatMap((id) => rows.get(id) ?? []);
}
