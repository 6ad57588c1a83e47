import { LoadingCache } from '../../infra/caching/loading-cache.js';
import { CACHE_MS, getOrLoad, SubscribedCache } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { yieldOnce } from '../../infra/concurrency/event-loop.js';
import type { Channel, Reader } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { BusMessage, EventBus } from '../bus-message.js';
import type { MemberSummary } from '../members/record.js';
import { type GuildPermissionInput, type Overwrite, rolePermissions } from '../permissions.js';

/** The columns of a channel that the view contains. A change of others keeps access. */
export const CHANNEL_ACCESS_COLUMNS = { type: true, nsfw: true, rateLimitPerUser: true } as const;

export interface ChannelSummary extends Pick<Channel, 'id' | keyof typeof CHANNEL_ACCESS_COLUMNS> {
  overwrites: Overwrite[];
}

/** The data that decides access in a guild. Immutable: a change creates a new view. */
export interface GuildView extends GuildPermissionInput {
  channels: ReadonlyMap<bigint, ChannelSummary>;
}

interface Parts {
  /** Channels that changed since the view was read. Empty if only roles changed, null if nothing did. */
  changed: Set<bigint> | null;
  members: Map<bigint, Promise<MemberSummary | null>>;
  channels: Map<bigint, Promise<Channel | null>>;
}

const MAX_GUILDS = 5_000;
const MAX_CHANNELS = 50_000;
/** At this size, the map of a guild is cleared. */
const MAX_MEMBERS_PER_GUILD = 10_000;
const MAX_CHANNELS_PER_GUILD = 100;

/** Overwrites read before yielding to the event loop. */
const OVERWRITES_PER_PAGE = 1_000;

/**
 * Every request and dispatched event needs this data. Entries live for at most 30 seconds. Events that affect access
 * drop them earlier, in every process.
 */
export class GuildViews {
  readonly #cache: SubscribedCache<GuildView, Parts, BusMessage>;
  readonly #guildOfChannel: LoadingCache<bigint, { guildId: bigint | null }>;

  constructor(
    private readonly reader: Reader,
    bus: Pick<EventBus, 'subscribe'>,
    clock: Clock,
  ) {
    this.#guildOfChannel = new LoadingCache({
      max: MAX_CHANNELS,
      expiry: { ms: CACHE_MS, clock },
      load: (id) => reader.channel.findUnique({ where: { id }, select: { guildId: true } }),
    });
    this.#cache = new SubscribedCache({
      max: MAX_GUILDS,
      clock,
      bus,
      topicOf: topics.guild,
      accessOnly: true,
      read: (guildId) => loadView(reader, guildId),
      empty: (): Parts => ({ changed: null, members: new Map(), channels: new Map() }),
      onMessage: (guildId, message) => this.#onEvent(guildId, message),
    });
  }

  async guild(guildId: bigint): Promise<GuildView | null> {
    const parts = this.#cache.of(guildId);
    const { changed } = parts;
    if (changed) this.#cache.renew(guildId, (view) => loadView(this.reader, guildId, { view, changed }));
    parts.changed = null;
    return this.#cache.thing(guildId);
  }

  async member(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    const { members } = this.#cache.of(guildId);
    return getOrLoad(members, userId, MAX_MEMBERS_PER_GUILD, () => loadMember(this.reader, guildId, userId));
  }

  async channel(guildId: bigint, channelId: bigint): Promise<Channel | null> {
    const { channels } = this.#cache.of(guildId);
    const where = { id: channelId };
    const channel = await getOrLoad(channels, channelId, MAX_CHANNELS_PER_GUILD, () =>
      this.reader.channel.findUnique({ where }),
    );
    return channel?.guildId === guildId ? channel : null;
  }

  /** Null for a direct channel, undefined for a missing one. */
  async guildOfChannel(channelId: bigint): Promise<bigint | null | undefined> {
    return (await this.#guildOfChannel.get(channelId))?.guildId;
  }

  #onEvent(guildId: bigint, { invalidates, channelId, userId }: BusMessage): void {
    if (invalidates.includes('roles')) this.#onRole(guildId);
    else if (invalidates.includes('view') && channelId !== undefined) this.#onChannel(guildId, BigInt(channelId));
    else if (invalidates.includes('view')) this.#cache.forget(guildId);
    if (invalidates.includes('channel') && channelId !== undefined)
      this.#cache.peek(guildId)?.channels.delete(BigInt(channelId));
    if (invalidates.includes('member') && userId !== undefined)
      this.#cache.peek(guildId)?.members.delete(BigInt(userId));
  }

  #onRole(guildId: bigint): void {
    const parts = this.#cache.peek(guildId);
    if (!parts) return;
    parts.changed ??= new Set();
    // Members may have received a new role in the same transaction.
    parts.members.clear();
  }

  #onChannel(guildId: bigint, channelId: bigint): void {
    this.#guildOfChannel.delete(channelId);
    const parts = this.#cache.peek(guildId);
    if (!parts) return;
    parts.changed ??= new Set();
    parts.changed.add(channelId);
    parts.channels.delete(channelId);
  }
}

interface Known {
  view: GuildView;
  changed: ReadonlySet<bigint>;
}

/** @param known if set, reads only its changed channels, since a guild may have thousands of overwrites */
async function loadView(reader: Reader, guildId: bigint, known?: Known): Promise<GuildView | null> {
  const guild = await reader.guild.findUnique({
    where: { id: guildId, deletedAt: null },
    select: {
      ownerId: true,
      roles: { select: { id: true, permissions: true } },
      channels: {
        where: known ? { id: { in: [...known.changed] } } : {},
        select: { id: true, ...CHANNEL_ACCESS_COLUMNS },
      },
    },
  });
  if (!guild) return null;
  const channels = new Map(known?.view.channels);
  for (const id of known?.changed ?? []) channels.delete(id);
  const found = guild.channels.map((channel) => ({ ...channel, overwrites: [] }));
  for (const channel of found) channels.set(channel.id, channel);
  if (found.length > 0) await addOverwrites(reader, found);
  return { id: guildId, ownerId: guild.ownerId, rolePermissions: rolePermissions(guild.roles), channels };
}

/** @param channels without overwrites */
async function addOverwrites(reader: Reader, channels: ChannelSummary[]): Promise<void> {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  for (let last = { channelId: 0n, targetId: 0n }; ; await yieldOnce()) {
    const page = await reader.channelOverwrite.findMany({
      where: {
        channelId: { in: [...byId.keys()].filter((id) => id >= last.channelId) },
        NOT: { channelId: last.channelId, targetId: { lte: last.targetId } },
      },
      select: { channelId: true, targetId: true, allow: true, deny: true },
      orderBy: [{ channelId: 'asc' }, { targetId: 'asc' }],
      take: OVERWRITES_PER_PAGE,
    });
    for (const { channelId, ...overwrite } of page) byId.get(channelId)?.overwrites.push(overwrite);
    last = page.at(-1) ?? last;
    if (page.length < OVERWRITES_PER_PAGE) return;
  }
}

async function loadMember(reader: Reader, guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
  const member = await reader.member.findUnique({
    where: { guildId_userId: { guildId, userId } },
    select: {
      nick: true,
      joinedAt: true,
      communicationDisabledUntil: true,
      mute: true,
      deaf: true,
      temporary: true,
      awayMessage: true,
      awaySince: true,
      roles: { select: { roleId: true } },
      guild: { select: { deletedAt: true } },
    },
  });
  if (!member || member.guild.deletedAt) return null;
  const { roles, guild: _guild, ...facts } = member;
  return { ...facts, roleIds: roles.map((role) => role.roleId) };
}
