import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { requireUser } from '../../domain/call.js';
import type { GuildOperation } from '../../domain/guild-operations.js';
import { accessGuild, channelsWith, permissionsInChannel } from '../../domain/guilds/index.js';
import { limits } from '../../domain/limits.js';
import type { Channel, ChannelOverwrite, Guild, Member, Role, User } from '../../infra/database/index.js';
import type { GraphqlContext } from '../context.js';
import { childLists, fieldKey, referredRows } from '../lists.js';
import { type Page, type PageRows, pageRows, withinPage } from '../page.js';
import { referredUser } from '../users.js';
import { referredChannel, visibleChannel } from './channels.js';
import { memberRoles } from './member-roles.js';
import type { GuildReader } from './reader.js';

/** Reads a guild whose rows this instance has. */
export class DatabaseGuildReader implements GuildReader {
  constructor(
    private readonly context: GraphqlContext,
    private readonly guildId: bigint,
  ) {}

  async require(operation: GuildOperation): Promise<void> {
    await this.#access(operation);
  }

  async find(query: object): Promise<Guild | null> {
    await this.#access('viewGuild');
    return this.row(query);
  }

  async current(): Promise<Guild | null> {
    await accessGuild(this.context.call, this.guildId, 'viewGuild');
    return this.row({});
  }

  row(query: object): Promise<Guild | null> {
    return this.context.call.read.guild.findUnique({ ...query, where: { id: this.guildId } });
  }

  async findIfVisible(info: GraphQLResolveInfo): Promise<Guild | null> {
    const { call, budget } = this.context;
    const member = await budget.step(() => call.guilds.member(this.guildId, requireUser(call).user.id));
    if (!member) return null;
    const query = queryFromInfo({ context: this.context, info });
    const read = (ids: bigint[]) => call.read.guild.findMany({ ...query, where: { id: { in: ids } } });
    return referredRows(this.context, info, read).load(this.guildId);
  }

  async settingsOf(guild: Guild): Promise<Guild> {
    return guild;
  }

  ownerOf({ ownerId }: Guild, query: object): Promise<User | null> {
    return this.context.call.read.user.findUnique({ ...query, where: { id: ownerId } });
  }

  /** Computed once per field of an operation. */
  channels(info: GraphQLResolveInfo): Promise<Channel[]> {
    const { call, loaders } = this.context;
    const query = queryFromInfo({ context: this.context, info });
    return loaders.get(`visible ${fieldKey(info)} ${this.guildId}`, async () => {
      const channels = await childLists<Channel>(this.context, info, {
        most: limits.channelsPerGuild,
        read: (guildIds, take) =>
          call.read.channel.findMany({
            ...query,
            where: { guildId: { in: guildIds } },
            orderBy: [{ position: 'asc' }, { id: 'asc' }],
            take,
          }),
        parentOf: (channel) => channel.guildId,
      }).load(this.guildId);
      const visible = channelsWith(await this.#access('viewGuild'), requireUser(call).user.id, 'viewChannel');
      return channels.filter(({ id }) => visible.has(id));
    });
  }

  visibleChannel(channelId: bigint, info: GraphQLResolveInfo): Promise<Channel | null> {
    return visibleChannel(this.context, info, channelId);
  }

  channel(channelId: bigint, info: GraphQLResolveInfo): Promise<Channel | null> {
    return referredChannel(this.context, info, channelId);
  }

  overwritesOf(channelId: bigint, info: GraphQLResolveInfo): Promise<ChannelOverwrite[]> {
    return childLists(this.context, info, {
      most: limits.overwritesPerChannel,
      read: (channelIds, take) =>
        this.context.call.read.channelOverwrite.findMany({
          where: { channelId: { in: channelIds } },
          orderBy: [{ channelId: 'asc' }, { targetId: 'asc' }],
          take,
        }),
      parentOf: (overwrite) => overwrite.channelId,
    }).load(channelId);
  }

  roles(info: GraphQLResolveInfo): Promise<Role[]> {
    const query = queryFromInfo({ context: this.context, info });
    return childLists(this.context, info, {
      most: limits.rolesPerGuild,
      read: (guildIds, take) =>
        this.context.call.read.role.findMany({
          ...query,
          where: { guildId: { in: guildIds } },
          orderBy: [{ position: 'asc' }, { id: 'asc' }],
          take,
        }),
      parentOf: (role) => role.guildId,
    }).load(this.guildId);
  }

  async permissions(): Promise<bigint> {
    return (await this.#access('viewGuild')).permissions;
  }

  async permissionsIn(channelId: bigint): Promise<bigint> {
    const { call } = this.context;
    const { user } = requireUser(call);
    return (await permissionsInChannel(call.guilds, this.guildId, channelId, user.id, call.clock.now())) ?? 0n;
  }

  async members(page: Page, info: GraphQLResolveInfo): Promise<PageRows<Member>> {
    const { budget, call } = this.context;
    const query = queryFromInfo({ context: this.context, info, path: ['edges', 'node'] });
    const rows = await budget.read(page.take + 1, (take) =>
      call.read.member.findMany({
        ...query,
        where: { guildId: this.guildId, userId: withinPage(page) },
        orderBy: { userId: page.backwards ? 'desc' : 'asc' },
        take,
      }),
    );
    return pageRows(page, rows);
  }

  searchMembers(prefix: string, most: number): Promise<Member[]> {
    const { budget, call } = this.context;
    return budget.read(most, (take) => call.guilds.searchMembers(this.guildId, prefix, take));
  }

  userOf({ userId }: Member, info: GraphQLResolveInfo): Promise<User | null> {
    return referredUser(this.context, info, userId);
  }

  rolesOf(member: Member): Promise<Role[]> {
    return memberRoles(this.context).load(member);
  }

  #access(operation: GuildOperation) {
    const { budget, call } = this.context;
    return budget.step(() => accessGuild(call, this.guildId, operation));
  }
}
