import { type GuildSnapshot, type GuildStore, GuildUnavailable } from '../../src/domain/guilds/index.js';
import type { MemberRecord, MemberSelection, MemberSummary } from '../../src/domain/members/index.js';
import type { MessageRecord } from '../../src/domain/messages/index.js';
import { DEFAULT_EVERYONE_PERMISSIONS, rolePermissions } from '../../src/domain/permissions.js';
import type { ShownPresence } from '../../src/domain/presences/index.js';
import type { VoiceStateRecord } from '../../src/domain/voice/index.js';
import type { User } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';
import { PLAIN_CHANNEL, PLAIN_GUILD, PLAIN_MEMBER } from './plain-columns.js';
import type { TestGuild } from './world.js';

/** A guild that is not in the database. Tests publish its events. */
export interface MemoryGuild extends TestGuild {
  snapshot: GuildSnapshot;
  members: MemberRecord[];
  voiceStates: VoiceStateRecord[];
}

/** A guild store in memory, for guilds without a database. */
export class MemoryHome implements GuildStore {
  readonly guilds = new Map<bigint, MemoryGuild>();
  readonly unreachable = new Set<bigint>();
  readonly presencesOf = new Map<bigint, ShownPresence>();

  async view(guildId: bigint) {
    const found = this.#reach(guildId);
    if (!found) return null;
    const { guild, channels } = found.snapshot;
    return {
      id: guildId,
      ownerId: guild.ownerId,
      rolePermissions: rolePermissions(guild.roles),
      channels: new Map(channels.map((channel) => [channel.id, channel])),
    };
  }

  async member(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    const member = this.#membersOf(guildId).find((one) => one.userId === userId);
    return member ? { ...member, roleIds: member.roles.map(({ roleId }) => roleId) } : null;
  }

  async guildOfChannel(channelId: bigint): Promise<bigint | undefined> {
    return [...this.guilds.values()].find(({ snapshot }) => snapshot.channels.some(({ id }) => id === channelId))?.id;
  }

  async channel(guildId: bigint, channelId: bigint) {
    return this.#reach(guildId)?.snapshot.channels.find(({ id }) => id === channelId) ?? null;
  }

  async snapshot(guildId: bigint): Promise<GuildSnapshot | null> {
    return this.#reach(guildId)?.snapshot ?? null;
  }

  async members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]> {
    const { userIds, after = 0n } = selection;
    return this.#membersOf(guildId)
      .filter(({ userId }) => userId > after && (userIds?.includes(userId) ?? true))
      .slice(0, take);
  }

  async notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]> {
    return this.#membersOf(guildId)
      .filter(({ nick, roles, userId }) => nick !== null || roles.length > 0 || this.presencesOf.has(userId))
      .slice(0, take);
  }

  async searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]> {
    const begins = (name: string | null) => name?.toLowerCase().startsWith(prefix.toLowerCase()) === true;
    return this.#membersOf(guildId)
      .filter(({ user, nick }) => begins(user.username) || begins(nick))
      .slice(0, take);
  }

  async presences(_guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]> {
    return userIds.flatMap((userId) => this.presencesOf.get(userId) ?? []);
  }

  async voiceStates(guildId: bigint): Promise<VoiceStateRecord[]> {
    return this.#reach(guildId)?.voiceStates ?? [];
  }

  async countMembers(guildId: bigint): Promise<number> {
    return this.#membersOf(guildId).length;
  }

  async *pagesOfGuildIds(userId: bigint): AsyncGenerator<bigint[], void> {
    for (const { id, members } of this.guilds.values()) if (members.some((one) => one.userId === userId)) yield [id];
  }

  #membersOf(guildId: bigint): MemberRecord[] {
    return this.#reach(guildId)?.members ?? [];
  }

  #reach(guildId: bigint): MemoryGuild | undefined {
    if (this.unreachable.has(guildId)) throw new GuildUnavailable(guildId);
    return this.guilds.get(guildId);
  }
}

type App = Server['app'];

/** A user without a row. */
export function nobodysRow(app: App, username: string): User {
  const names = { username, handle: username, globalName: username };
  return { id: app.nextId(), ...names, avatarHash: null, bot: false, deletedAt: null };
}

export function addGuild(app: App, home: MemoryHome, name: string, ...members: User[]): MemoryGuild {
  const id = app.nextId();
  const owner = nobodysRow(app, `owner of ${name}`);
  const everyone = { id, guildId: id, name: '@everyone', permissions: DEFAULT_EVERYONE_PERMISSIONS, position: 0 };
  const looks = { color: 0, hoist: false, mentionable: false, managed: false, applicationId: null };
  const channel = channelOf(app, id, 'general');
  const guild: MemoryGuild = {
    id,
    owner,
    channel,
    snapshot: {
      guild: {
        ...PLAIN_GUILD,
        id,
        name,
        description: null,
        iconHash: null,
        ownerId: owner.id,
        roles: [{ ...everyone, ...looks }],
        emojis: [],
      },
      channels: [channel],
      lastMessageIds: new Map(),
      memberCount: 0,
    },
    members: [],
    voiceStates: [],
  };
  joinMembers(app, guild, owner, ...members);
  home.guilds.set(id, guild);
  return guild;
}

export function channelOf(app: App, guildId: bigint, name: string): TestGuild['channel'] {
  const place = { id: app.nextId(), guildId, parentId: null, position: 0 };
  return { ...PLAIN_CHANNEL, ...place, type: 0, name, topic: null, nsfw: false, rateLimitPerUser: 0, overwrites: [] };
}

export function joinMembers(app: App, guild: MemoryGuild, ...users: User[]): MemberRecord[] {
  const joinedAt = new Date(app.clock.now());
  const joined = users.map((user) => ({
    ...PLAIN_MEMBER,
    guildId: guild.id,
    userId: user.id,
    user,
    joinedAt,
    roles: [],
  }));
  guild.members = [...guild.members, ...joined].sort((one, other) => (one.userId < other.userId ? -1 : 1));
  guild.snapshot.memberCount = guild.members.length;
  return joined;
}

export const PLAIN_MESSAGE = {
  type: 0,
  content: 'hello',
  flags: 0,
  tts: false,
  embeds: [],
  components: [],
  mentionUserIds: [],
  mentionRoleIds: [],
  mentionEveryone: false,
  mentionedUsers: [],
  pinned: false,
  nonce: null,
  enforcedNonceKey: null,
  referenceId: null,
  referenceChannelId: null,
  visibleToId: null,
  applicationId: null,
  webhookId: null,
  interaction: null,
  interactionUsers: [],
  editedAt: null,
  attachments: [],
  reactions: [],
} satisfies Partial<MessageRecord>;

/** A message for publishing, without a row. */
export function messageOf(app: App, guild: TestGuild, author: User, facts: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: app.nextId(),
    channelId: guild.channel.id,
    guildId: guild.id,
    authorId: author.id,
    author,
    ...PLAIN_MESSAGE,
    ...facts,
  };
}
