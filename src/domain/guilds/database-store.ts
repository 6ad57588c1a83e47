import type { Clock } from '../../infra/clock.js';
import type { Channel, Reader } from '../../infra/database/index.js';
import type { EventBus } from '../bus-message.js';
import { loadMembers, type MemberSelection } from '../members/load.js';
import { loadNotableMembers } from '../members/notable.js';
import type { MemberRecord, MemberSummary } from '../members/record.js';
import { searchMembers } from '../members/search.js';
import { loadPresences } from '../presences/list.js';
import type { ShownPresence } from '../presences/record.js';
import { loadVoiceStates } from '../voice/list.js';
import type { VoiceStateRecord } from '../voice/record.js';
import { joinedPagesOfGuildIds } from './memberships.js';
import { countMembers, type GuildSnapshot, loadGuildSnapshot } from './snapshot.js';
import type { GuildStore } from './store.js';
import { type GuildView, GuildViews } from './views.js';

export class DatabaseGuildStore implements GuildStore {
  readonly #views: GuildViews;
  readonly #pagesOfGuildIds: (userId: bigint) => AsyncIterable<bigint[]>;

  constructor(
    private readonly reader: Reader,
    bus: Pick<EventBus, 'subscribe'>,
    clock: Clock,
    /** Processes whose rows end after this time are alive. */
    private readonly now: () => Date = () => new Date(clock.now()),
  ) {
    this.#views = new GuildViews(reader, bus, clock);
    this.#pagesOfGuildIds = joinedPagesOfGuildIds(reader);
  }

  view(guildId: bigint): Promise<GuildView | null> {
    return this.#views.guild(guildId);
  }

  member(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    return this.#views.member(guildId, userId);
  }

  guildOfChannel(channelId: bigint): Promise<bigint | null | undefined> {
    return this.#views.guildOfChannel(channelId);
  }

  channel(guildId: bigint, channelId: bigint): Promise<Channel | null> {
    return this.#views.channel(guildId, channelId);
  }

  snapshot(guildId: bigint): Promise<GuildSnapshot | null> {
    return loadGuildSnapshot(this.reader, guildId);
  }

  members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]> {
    return loadMembers(this.reader, guildId, selection, take);
  }

  notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]> {
    return loadNotableMembers(this.reader, guildId, take, this.now());
  }

  searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]> {
    return searchMembers(this.reader, guildId, prefix, take);
  }

  presences(_guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]> {
    return loadPresences(this.reader, userIds, this.now());
  }

  voiceStates(guildId: bigint): Promise<VoiceStateRecord[]> {
    return loadVoiceStates(this.reader, guildId, this.now());
  }

  countMembers(guildId: bigint): Promise<number> {
    return countMembers(this.reader, guildId);
  }

  pagesOfGuildIds(userId: bigint): AsyncIterable<bigint[]> {
    return this.#pagesOfGuildIds(userId);
  }
}
