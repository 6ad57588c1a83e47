import type { GraphQLResolveInfo } from 'graphql';
import type { GuildOperation } from '../../domain/guild-operations.js';
import type { Channel, ChannelOverwrite, Guild, Member, Role, User } from '../../infra/database/index.js';
import type { Page, PageRows } from '../page.js';

/** Reads a guild for the fields of GraphQL, as far as the caller may see it. */
export interface GuildReader {
  /**
   * The owner of a box may do everything there.
   * @throws UNKNOWN_GUILD unless the caller is a member or owns the guild's box; MISSING_PERMISSIONS
   */
  require(operation: GuildOperation): Promise<void>;

  /**
   * @param query relations to read with the guild
   * @throws UNKNOWN_GUILD as {@link require}
   */
  find(query: object): Promise<Guild | null>;

  /** As {@link find}, for a subscription, whose budget begins after it. */
  current(): Promise<Guild | null>;

  /** The guild of a channel that the caller can see. */
  row(query: object): Promise<Guild | null>;

  /** Null unless the caller is a member or owns the guild's box. */
  findIfVisible(info: GraphQLResolveInfo): Promise<Guild | null>;

  /** The guild with the settings that fields show. */
  settingsOf(guild: Guild): Promise<Guild>;

  /** @param query relations to read with the user */
  ownerOf(guild: Guild, query: object): Promise<User | null>;

  /** Channels that the caller can see, by position and id. */
  channels(info: GraphQLResolveInfo): Promise<Channel[]>;

  /** Null unless the caller can see it. */
  visibleChannel(channelId: bigint, info: GraphQLResolveInfo): Promise<Channel | null>;

  /** Finds a channel even if the caller cannot see it. */
  channel(channelId: bigint, info: GraphQLResolveInfo): Promise<Channel | null>;

  overwritesOf(channelId: bigint, info: GraphQLResolveInfo): Promise<ChannelOverwrite[]>;

  /** By position and id. */
  roles(info: GraphQLResolveInfo): Promise<Role[]>;

  /** The caller's permissions without channel overwrites. */
  permissions(): Promise<bigint>;

  /** The caller's permissions in a channel. Takes no step of the budget. */
  permissionsIn(channelId: bigint): Promise<bigint>;

  /** In the order of user ids. @throws INVALID_INPUT for a page that the guild's host cannot read */
  members(page: Page, info: GraphQLResolveInfo): Promise<PageRows<Member>>;

  /** By name. */
  searchMembers(prefix: string, most: number): Promise<Member[]>;

  userOf(member: Member, info: GraphQLResolveInfo): Promise<User | null>;

  /** Without `@everyone`, lowest first. */
  rolesOf(member: Member): Promise<Role[]>;
}
