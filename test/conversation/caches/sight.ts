import { type APIChannel, type APIOverwrite, type APIRole, ChannelType } from 'discord-api-types/v10';
import { Permission } from '../../../src/domain/permissions.js';
import type { Loose } from '../../harness/graphql.js';
import type { Dispatch } from './dispatches.js';

/** The facts behind a bot's permissions, as dispatches state them. */
interface Rights {
  roles: ReadonlyMap<string, bigint>;
  channels: ReadonlyMap<string, Pick<WireChannel, 'type' | 'permission_overwrites'>>;
  ownRoles: readonly string[];
  isTimedOut: boolean;
}

/** Events that need a permission in their channel. */
const IN_CHANNEL: Record<string, bigint> = {
  MESSAGE_CREATE: Permission.ViewChannel,
  MESSAGE_UPDATE: Permission.ViewChannel,
  MESSAGE_DELETE: Permission.ViewChannel,
  MESSAGE_DELETE_BULK: Permission.ViewChannel,
  MESSAGE_REACTION_ADD: Permission.ViewChannel,
  MESSAGE_REACTION_REMOVE: Permission.ViewChannel,
  MESSAGE_REACTION_REMOVE_ALL: Permission.ViewChannel,
  MESSAGE_REACTION_REMOVE_EMOJI: Permission.ViewChannel,
  CHANNEL_PINS_UPDATE: Permission.ViewChannel,
  TYPING_START: Permission.ViewChannel,
  INVITE_CREATE: Permission.ManageChannels,
  INVITE_DELETE: Permission.ManageChannels,
};

/** Events that need one of these permissions in the guild. */
const IN_GUILD: Record<string, bigint> = {
  GUILD_BAN_ADD: Permission.BanMembers | Permission.ViewAuditLog,
  GUILD_BAN_REMOVE: Permission.BanMembers | Permission.ViewAuditLog,
  GUILD_AUDIT_LOG_ENTRY_CREATE: Permission.ViewAuditLog,
};

const OWN = new Set([...['READY', 'RESUMED', 'GUILD_CREATE', 'GUILD_MEMBERS_CHUNK', 'USER_UPDATE']]);

/** The events of the guild except presences of these bots, which never get their own. */
export function toldOfGuild(dispatches: readonly Dispatch[], ...botIds: string[]): Dispatch[] {
  return dispatches.filter(
    ({ type, data }) => !OWN.has(type) && !(type === 'PRESENCE_UPDATE' && botIds.includes(data.user.id)),
  );
}

export interface Sight {
  withheld: string[];
  /** Events that must not be sent. */
  shown: string[];
  /** Events that no other client got, or in another order. */
  strange: string[];
}

/**
 * Compares the events of a bot with the events of a bot that sees everything. A permission change counts from the next
 * event, or somewhat earlier if it was stored already. Only events that were allowed or denied during the whole time
 * until the next pause are checked.
 * @param pauses indices in `everything` at which all events had arrived
 */
export function compareSight(
  { guildId, botId }: { guildId: string; botId: string },
  guildCreate: Loose,
  everything: readonly Dispatch[],
  told: readonly Dispatch[],
  pauses: readonly number[],
): Sight {
  const rights = rightsAlong({ guildId, botId }, guildCreate, everything);
  const sight: Sight = { withheld: [], shown: [], strange: [] };
  let at = 0;
  for (const [index, dispatch] of everything.entries()) {
    const isTold = isSame(dispatch, told[at]);
    if (isTold) at += 1;
    const pause = pauses.find((place) => place >= index) ?? everything.length;
    const answers = new Set([...new Set(rights.slice(index, pause + 1))].map((one) => mayHear(one, dispatch)));
    if (answers.size > 1) continue;
    const [may] = answers;
    if (may && !isTold) sight.withheld.push(lineOf(index, dispatch));
    if (!may && isTold) sight.shown.push(lineOf(index, dispatch));
  }
  sight.strange.push(...told.slice(at).map((dispatch, n) => lineOf(at + n, dispatch)));
  return sight;

  function rightsAlong(of: { guildId: string; botId: string }, guild: Loose, dispatches: readonly Dispatch[]) {
    let now = firstRights(of.botId, guild);
    return dispatches.map((dispatch) => {
      now = rightsAfter(now, of, dispatch);
      return now;
    });
  }

  function mayHear(one: Rights, { type, data }: Dispatch): boolean {
    const all = IN_CHANNEL[type];
    if (all !== undefined) return (permissionsOf(one, data.channel_id) & all) === all;
    const any = IN_GUILD[type];
    return any === undefined || (permissionsOf(one, null) & any) !== 0n;
  }

  /** Follows the reference platform's documentation (Permissions) step by step. */
  function permissionsOf(one: Rights, channelId: string | null): bigint {
    let bits = one.roles.get(guildId) ?? 0n;
    for (const role of one.ownRoles) bits |= one.roles.get(role) ?? 0n;
    if (channelId !== null) bits = inChannel(one, bits, one.channels.get(channelId));
    return one.isTimedOut ? bits & (Permission.ViewChannel | Permission.ReadMessageHistory) : bits;
  }

  function inChannel(one: Rights, base: bigint, channel: ReturnType<Rights['channels']['get']>): bigint {
    if (!channel) return 0n;
    const { permission_overwrites: overwrites } = channel;
    const ofEveryone = overwrites.filter(({ id }) => id === guildId);
    const ofRoles = overwrites.filter(({ id }) => one.ownRoles.includes(id));
    const ofBot = overwrites.filter(({ id }) => id === botId);
    const bits = [ofEveryone, ofRoles, ofBot].reduce((before, level) => {
      const denied = level.reduce((all, { deny }) => all | BigInt(deny), 0n);
      const allowed = level.reduce((all, { allow }) => all | BigInt(allow), 0n);
      return (before & ~denied) | allowed;
    }, base);
    if ((bits & Permission.ViewChannel) === 0n) return 0n;
    const isShut = channel.type === ChannelType.GuildVoice && (bits & Permission.Connect) === 0n;
    return isShut ? bits & ~Permission.ManageChannels : bits;
  }
}

const isSame = (one: Dispatch, other: Dispatch | undefined) => one.type === other?.type && one.text === other.text;

const lineOf = (index: number, { type, text }: Dispatch) => `${index} ${type} ${text.slice(0, 200)}`;

type WireChannel = APIChannel & { permission_overwrites: APIOverwrite[] };

const roleEntries = (roles: APIRole[]) =>
  roles.map(({ id, permissions }): [string, bigint] => [id, BigInt(permissions)]);

const channelEntries = (channels: WireChannel[]) =>
  channels.map((channel): [string, WireChannel] => [channel.id, channel]);

function firstRights(botId: string, guild: Loose): Rights {
  const member = guild.members.find(({ user }: Loose) => user.id === botId);
  return {
    roles: new Map(roleEntries(guild.roles)),
    channels: new Map(channelEntries(guild.channels)),
    ownRoles: member.roles,
    isTimedOut: false,
  };
}

function rightsAfter(rights: Rights, { botId }: { botId: string }, { type, data }: Dispatch): Rights {
  switch (type) {
    case 'GUILD_UPDATE':
      return { ...rights, roles: new Map(roleEntries(data.roles)) };
    case 'GUILD_ROLE_CREATE':
    case 'GUILD_ROLE_UPDATE':
      return { ...rights, roles: new Map([...rights.roles, ...roleEntries([data.role])]) };
    case 'GUILD_ROLE_DELETE':
      return { ...rights, roles: new Map([...rights.roles].filter(([id]) => id !== data.role_id)) };
    case 'CHANNEL_CREATE':
    case 'CHANNEL_UPDATE':
      return { ...rights, channels: new Map([...rights.channels, ...channelEntries([data])]) };
    case 'CHANNEL_DELETE':
      return { ...rights, channels: new Map([...rights.channels].filter(([id]) => id !== data.id)) };
    case 'GUILD_MEMBER_UPDATE':
      if (data.user.id !== botId) return rights;
      return { ...rights, ownRoles: data.roles, isTimedOut: data.communication_disabled_until !== null };
    default:
      return rights;
  }
}
