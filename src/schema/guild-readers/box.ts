import { accessBoxGuild } from '../../domain/boxes/index.js';
import type { ChannelRecord } from '../../domain/channels/index.js';
import { DomainError, invalidInput } from '../../domain/errors.js';
import type { GuildSnapshot } from '../../domain/guilds/index.js';
import type { MemberRecord } from '../../domain/members/index.js';
import { ALL_PERMISSIONS } from '../../domain/permissions.js';
import type { BoxGuild, ChannelOverwrite, Guild, Member, Role, User } from '../../infra/database/index.js';
import type { GraphqlContext } from '../context.js';
import { type Page, type PageRows, pageRows } from '../page.js';
import type { GuildReader } from './reader.js';

/**
 * Reads a guild on a box. It has no row, only name and owner in an index. The rest is read from the box once per
 * operation, and is empty while the box is offline. Only the owner of the box sees it.
 */
export class BoxGuildReader implements GuildReader {
  constructor(
    private readonly context: GraphqlContext,
    private readonly guildId: bigint,
  ) {}

  async require(): Promise<void> {
    await this.find();
  }

  find(): Promise<Guild> {
    return this.context.budget.step(() => this.current());
  }

  async current(): Promise<Guild> {
    return guildRowOf(await accessBoxGuild(this.context.call, this.guildId));
  }

  async row(): Promise<Guild | null> {
    try {
      return await this.find();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'UNKNOWN_GUILD') return null;
      throw error;
    }
  }

  findIfVisible(): Promise<Guild | null> {
    return this.row();
  }

  async settingsOf(guild: Guild): Promise<Guild> {
    return (await this.#snapshot())?.guild ?? guild;
  }

  async ownerOf({ ownerId }: Guild): Promise<User | null> {
    const { guilds } = this.context.call;
    const [owner] = await this.#read(1, (take) => guilds.members(this.guildId, { userIds: [ownerId] }, take));
    return owner?.user ?? null;
  }

  async channels(): Promise<ChannelRecord[]> {
    const channels = (await this.#snapshot())?.channels ?? [];
    return channels.toSorted((a, b) => a.position - b.position || compare(a.id, b.id));
  }

  async visibleChannel(channelId: bigint): Promise<ChannelRecord | null> {
    return (await this.row()) && this.channel(channelId);
  }

  async channel(channelId: bigint): Promise<ChannelRecord | null> {
    const channels = (await this.#snapshot())?.channels;
    return channels?.find(({ id }) => id === channelId) ?? null;
  }

  async overwritesOf(channelId: bigint): Promise<ChannelOverwrite[]> {
    return (await this.channel(channelId))?.overwrites ?? [];
  }

  async roles(): Promise<Role[]> {
    const roles = (await this.#snapshot())?.guild.roles ?? [];
    return roles.toSorted((a, b) => a.position - b.position || compare(a.id, b.id));
  }

  async permissions(): Promise<bigint> {
    return ALL_PERMISSIONS;
  }

  permissionsIn(): Promise<bigint> {
    return this.permissions();
  }

  async members(page: Page): Promise<PageRows<Member>> {
    if (page.backwards) {
      throw invalidInput({
        path: 'last',
        code: 'BASE_TYPE_INVALID',
        message: 'Members of a server on a box can only be paged forward. Use `first` and `after`.',
      });
    }
    const { guilds } = this.context.call;
    const selection = { after: page.after };
    return pageRows(page, await this.#read(page.take + 1, (take) => guilds.members(this.guildId, selection, take)));
  }

  searchMembers(prefix: string, most: number): Promise<Member[]> {
    const { guilds } = this.context.call;
    return this.#read(most, (take) => guilds.searchMembers(this.guildId, prefix, take));
  }

  async userOf(member: Member): Promise<User> {
    return this.#recordOf(member).user;
  }

  async rolesOf(member: Member): Promise<Role[]> {
    const has = new Set(this.#recordOf(member).roles.map(({ roleId }) => roleId));
    return (await this.roles()).filter(({ id }) => has.has(id));
  }

  /** Null while the box is offline. */
  #snapshot(): Promise<GuildSnapshot | null> {
    const { call, budget, loaders } = this.context;
    return loaders.get(`box guild ${this.guildId}`, () =>
      budget.step(() => unlessOffline(null, () => call.guilds.snapshot(this.guildId))),
    );
  }

  async #read(most: number, read: (take: number) => Promise<MemberRecord[]>): Promise<MemberRecord[]> {
    const members = await this.context.budget.read(most, (take) => unlessOffline([], () => read(take)));
    for (const member of members) this.#membersRead.set(member.userId, member);
    return members;
  }

  /** A member that this operation has read, with user and roles. */
  #recordOf({ userId }: Member): MemberRecord {
    const member = this.#membersRead.get(userId);
    if (!member) throw new DomainError('UNKNOWN_MEMBER');
    return member;
  }

  get #membersRead(): Map<bigint, MemberRecord> {
    return this.context.loaders.get(`box members ${this.guildId}`, () => new Map<bigint, MemberRecord>());
  }
}

/** Fields that the index lacks get the defaults of a new guild. */
export function guildRowOf({ id, name, ownerId }: BoxGuild): Guild {
  return {
    id,
    name,
    description: null,
    // The icon is on the box.
    iconHash: null,
    ownerId,
    afkChannelId: null,
    afkTimeout: 300,
    systemChannelId: null,
    systemChannelFlags: 0,
    verificationLevel: 0,
    defaultMessageNotifications: 0,
    explicitContentFilter: 0,
    preferredLocale: 'en-US',
    memberCount: 0,
    deletedAt: null,
  };
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** @returns `otherwise` if the box is offline */
async function unlessOffline<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'overloaded') return otherwise;
    throw error;
  }
}
