import type { Channel } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import type { BoxRoutes } from '../boxes/routes.js';
import type { MemberSelection } from '../members/load.js';
import type { MemberRecord, MemberSummary } from '../members/record.js';
import type { ShownPresence } from '../presences/record.js';
import type { VoiceStateRecord } from '../voice/record.js';
import type { GuildSnapshot } from './snapshot.js';
import type { GuildStore } from './store.js';
import type { GuildView } from './views.js';

/** Reads guilds from the cloud's database or from boxes. Ids made by the cloud need no lookup. */
export class RoutingGuildStore implements GuildStore {
  constructor(
    private readonly database: GuildStore,
    private readonly boxes: GuildStore,
    private readonly routes: BoxRoutes,
  ) {}

  view(guildId: bigint): Promise<GuildView | null> {
    return this.#ask(guildId, (store) => store.view(guildId));
  }

  member(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    return this.#ask(guildId, (store) => store.member(guildId, userId));
  }

  async guildOfChannel(channelId: bigint): Promise<bigint | null | undefined> {
    const onBox = isMadeByBox(channelId) ? await this.boxes.guildOfChannel(channelId) : undefined;
    return onBox ?? this.database.guildOfChannel(channelId);
  }

  channel(guildId: bigint, channelId: bigint): Promise<Channel | null> {
    return this.#ask(guildId, (store) => store.channel(guildId, channelId));
  }

  snapshot(guildId: bigint): Promise<GuildSnapshot | null> {
    return this.#ask(guildId, (store) => store.snapshot(guildId));
  }

  members(guildId: bigint, selection: MemberSelection, take: number): Promise<MemberRecord[]> {
    return this.#ask(guildId, (store) => store.members(guildId, selection, take));
  }

  notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]> {
    return this.#ask(guildId, (store) => store.notableMembers(guildId, take));
  }

  searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]> {
    return this.#ask(guildId, (store) => store.searchMembers(guildId, prefix, take));
  }

  presences(guildId: bigint, userIds: readonly bigint[]): Promise<ShownPresence[]> {
    return this.#ask(guildId, (store) => store.presences(guildId, userIds));
  }

  voiceStates(guildId: bigint): Promise<VoiceStateRecord[]> {
    return this.#ask(guildId, (store) => store.voiceStates(guildId));
  }

  countMembers(guildId: bigint): Promise<number> {
    return this.#ask(guildId, (store) => store.countMembers(guildId));
  }

  /** Reads all guilds on boxes first, since there are few. */
  async *pagesOfGuildIds(userId: bigint): AsyncGenerator<bigint[], void> {
    const onBoxes: bigint[] = [];
    if (await this.routes.areThereAny()) {
      for await (const page of this.boxes.pagesOfGuildIds(userId)) onBoxes.push(...page);
    }
    for await (const page of this.database.pagesOfGuildIds(userId)) yield merged(page, takeUpTo(onBoxes, page.at(-1)));
    if (onBoxes.length > 0) yield onBoxes;
  }

  #ask<Answer>(guildId: bigint, question: (store: GuildStore) => Promise<Answer>): Promise<Answer> {
    return isMadeByBox(guildId) ? this.#askThere(guildId, question) : question(this.database);
  }

  async #askThere<Answer>(guildId: bigint, question: (store: GuildStore) => Promise<Answer>): Promise<Answer> {
    return question((await this.routes.ofGuild(guildId)) ? this.boxes : this.database);
  }
}

/** Removes and returns the leading ids up to `last`. */
function takeUpTo(ascending: bigint[], last: bigint | undefined): bigint[] {
  if (last === undefined) return [];
  const beyond = ascending.findIndex((id) => id > last);
  return ascending.splice(0, beyond === -1 ? ascending.length : beyond);
}

function merged(page: bigint[], others: bigint[]): bigint[] {
  if (others.length === 0) return page;
  return [...page, ...others].sort((one, other) => (one < other ? -1 : 1));
}
