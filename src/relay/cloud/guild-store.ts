import type { BoxClient, BoxQuestions, BoxRoute, BoxRoutes } from '../../domain/boxes/index.js';
import type { BusMessage, EventBus } from '../../domain/bus-message.js';
import { DomainError } from '../../domain/errors.js';
import {
  type GuildSnapshot,
  type GuildStore,
  GuildUnavailable,
  type GuildView,
  pagesOfBoxGuildIds,
} from '../../domain/guilds/index.js';
import type { MemberRecord, MemberSelection, MemberSummary } from '../../domain/members/index.js';
import { rolePermissions } from '../../domain/permissions.js';
import type { ShownPresence } from '../../domain/presences/index.js';
import type { VoiceStateRecord } from '../../domain/voice/index.js';
import { getOrLoad, SubscribedCache } from '../../infra/caching/subscribed-cache.js';
import type { Clock } from '../../infra/clock.js';
import { KeyedSemaphore, type Release } from '../../infra/concurrency/semaphore.js';
import { within } from '../../infra/concurrency/timeouts.js';
import type { Channel, Reader } from '../../infra/database/index.js';
import { idSpaceOf } from '../../infra/ids/ids.js';
import type { Logger } from '../../infra/observability/logger.js';
import { topics } from '../../infra/streams/topics.js';
import type { CloudBotDirectory } from './cloud-bot-directory.js';
import { namesOnlyItsOwn, ownNamesOf } from './own-names.js';
import { memberSummaryOf, type PublishedGuild, readGuild, readMember, readMembers } from './records.js';

export interface RemoteGuildStoreParts {
  boxClient: BoxClient;
  routes: BoxRoutes;
  reader: Reader;
  bots: CloudBotDirectory;
  bus: EventBus;
  clock: Clock;
  log: Logger;
}

interface Cached {
  view: GuildView;
  channels: ReadonlyMap<bigint, Channel>;
}

interface Parts {
  channels: ReadonlyMap<bigint, Channel> | null;
  members: Map<bigint, Promise<MemberSummary | null>>;
}

const MAX_GUILDS = 1_000;
/** Beyond this, all cached members of the guild are dropped. */
const MAX_MEMBERS_PER_GUILD = 10_000;
/** Limit of a call (docs/relay.md, R-27). */
const MAX_MEMBERS = 1_000;
/** Of a connection's 256 streams (R-24). The rest are for bots' requests and other processes. */
const QUESTIONS_AT_ONCE = 64;
/** Longest wait for a free call. */
const TURN_PATIENCE_MS = 5_000;

/**
 * Calls the boxes of guilds (docs/relay.md, R-27). A guild is unavailable if a response is about another guild or
 * contains foreign ids.
 */
export class RemoteGuildStore implements GuildStore {
  readonly #cache: SubscribedCache<Cached, Parts, BusMessage>;
  readonly #turns = new KeyedSemaphore<bigint>(QUESTIONS_AT_ONCE);

  constructor(private readonly parts: RemoteGuildStoreParts) {
    const { clock, bus } = parts;
    this.#cache = new SubscribedCache({
      max: MAX_GUILDS,
      clock,
      bus,
      topicOf: topics.guild,
      accessOnly: true,
      read: (guildId) => this.#remembered(guildId),
      empty: (): Parts => ({ channels: null, members: new Map() }),
      onMessage: (guildId, message) => this.#onEvent(guildId, message),
    });
  }

  async view(guildId: bigint): Promise<GuildView | null> {
    const guild = await this.#cache.thing(guildId);
    return guild?.view ?? null;
  }

  async member(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    if (!(await this.#mayBeMember(guildId, userId))) return null;
    const { members } = this.#cache.of(guildId);
    return getOrLoad(members, userId, MAX_MEMBERS_PER_GUILD, () => this.#askForMember(guildId, userId));
  }

  async guildOfChannel(channelId: bigint): Promise<bigint | undefined> {
    const route = await this.parts.routes.ofChannel(channelId);
    if (!route) return undefined;
    const { channels } = this.#cache.peek(route.guildId) ?? {};
    // The channel is newer than the cached guild.
    if (channels && !channels.has(channelId)) this.#cache.forget(route.guildId);
    return route.guildId;
  }

  async channel(guildId: bigint, channelId: bigint): Promise<Channel | null> {
    const guild = await this.#cache.thing(guildId);
    return guild?.channels.get(channelId) ?? null;
  }

  async snapshot(guildId: bigint): Promise<GuildSnapshot | null> {
    const guild = await this.#askForGuild(guildId);
    return guild?.snapshot ?? null;
  }

  async members(guildId: bigint, { userIds, after }: MemberSelection, take: number): Promise<MemberRecord[]> {
    const wanted = userIds && (await this.#possibleMembers(guildId, userIds));
    if (wanted?.length === 0) return [];
    const found: MemberRecord[] = [];
    let last = after;
    while (found.length < take) {
      const limit = Math.min(MAX_MEMBERS, take - found.length);
      const question = {
        guild_id: String(guildId),
        ...(last === undefined ? {} : { after: String(last) }),
        ...(wanted ? { user_ids: wanted.map(String) } : {}),
        limit,
      };
      const page = await this.#ask(guildId, 'members', question, (answer) =>
        asked(readMembers(answer, guildId, limit), last, wanted),
      );
      found.push(...(page ?? []));
      if (!page || page.length < limit) break;
      last = page.at(-1)?.userId;
    }
    return found;
  }

  async notableMembers(guildId: bigint, take: number): Promise<MemberRecord[]> {
    const question = { guild_id: String(guildId), limit: take };
    const members = await this.#ask(guildId, 'notable_members', question, (answer) =>
      readMembers(answer, guildId, take),
    );
    return members ?? [];
  }

  async searchMembers(guildId: bigint, prefix: string, take: number): Promise<MemberRecord[]> {
    const question = { guild_id: String(guildId), query: prefix, limit: take };
    const members = await this.#ask(guildId, 'search_members', question, (answer) =>
      readMembers(answer, guildId, take),
    );
    return members ?? [];
  }

  /** Boxes do not report presences. */
  async presences(): Promise<ShownPresence[]> {
    return [];
  }

  async voiceStates(guildId: bigint): Promise<VoiceStateRecord[]> {
    const guild = await this.#askForGuild(guildId);
    return guild?.voiceStates ?? [];
  }

  async countMembers(guildId: bigint): Promise<number> {
    const guild = await this.#askForGuild(guildId);
    return guild?.snapshot.memberCount ?? 0;
  }

  pagesOfGuildIds(userId: bigint): AsyncIterable<bigint[]> {
    return pagesOfBoxGuildIds(this.parts.reader, userId);
  }

  /** Only the box's own users and the cloud's bots can be members. */
  async #mayBeMember(guildId: bigint, userId: bigint): Promise<boolean> {
    return idSpaceOf(userId) === idSpaceOf(guildId) || this.parts.bots.has(userId);
  }

  async #possibleMembers(guildId: bigint, userIds: readonly bigint[]): Promise<bigint[]> {
    const possible = await Promise.all(userIds.map((userId) => this.#mayBeMember(guildId, userId)));
    return userIds.filter((_, index) => possible[index]);
  }

  async #remembered(guildId: bigint): Promise<Cached | null> {
    const told = await this.#askForGuild(guildId);
    if (!told) return null;
    const { guild, channels } = told.snapshot;
    const byId = new Map(channels.map((channel) => [channel.id, channel]));
    const known = this.#cache.peek(guildId);
    if (known) known.channels = byId;
    const { ownerId, roles } = guild;
    return {
      view: { id: guildId, ownerId, rolePermissions: rolePermissions(roles), channels: byId },
      channels: byId,
    };
  }

  #askForGuild(guildId: bigint): Promise<PublishedGuild | null> {
    return this.#ask(guildId, 'guild', { guild_id: String(guildId) }, (answer) => readGuild(answer, guildId));
  }

  async #askForMember(guildId: bigint, userId: bigint): Promise<MemberSummary | null> {
    const question = { guild_id: String(guildId), user_id: String(userId) };
    return this.#ask(guildId, 'member', question, (answer) => {
      const member = readMember(answer, guildId);
      if (member.userId !== userId) throw new RangeError('the box returned another member');
      return memberSummaryOf(member);
    });
  }

  /**
   * Null if no box has the guild, or if the box returns null.
   * @throws GuildUnavailable, also for a refused call or an unusable response
   */
  async #ask<Name extends keyof BoxQuestions, Answer>(
    guildId: bigint,
    name: Name,
    question: BoxQuestions[Name],
    read: (answer: unknown) => Answer,
  ): Promise<Answer | null> {
    const { routes, boxClient } = this.parts;
    const route = await routes.ofGuild(guildId);
    if (!route) return null;
    const endTurn = await this.#turn(route);
    const asking = boxClient.ask(route.boxId, name, question).finally(endTurn);
    const answer = await asking.catch((error: unknown) => {
      if (error instanceof GuildUnavailable || !(error instanceof DomainError)) throw error;
      throw new GuildUnavailable(guildId, error);
    });
    if (answer === null) return null;
    try {
      const foreign = await namesOnlyItsOwn(answer, ownNamesOf(guildId, this.parts.bots));
      if (foreign !== null) throw new RangeError(foreign);
      return read(answer);
    } catch (error) {
      throw this.#unusable(route, name, error);
    }
  }

  /**
   * Waits for a free call. Call the result to end it.
   * @throws GuildUnavailable after `TURN_PATIENCE_MS`
   */
  async #turn({ boxId, guildId }: BoxRoute): Promise<Release> {
    const turn = this.#turns.take(boxId);
    try {
      return await within(this.parts.clock, TURN_PATIENCE_MS, turn);
    } catch (error) {
      void turn.then((endTurn) => endTurn());
      throw new GuildUnavailable(guildId, error);
    }
  }

  #unusable({ boxId, guildId }: BoxRoute, name: string, error: unknown): GuildUnavailable {
    const facts = { boxId: String(boxId), guildId: String(guildId), call: name, err: error };
    this.parts.log.warn(facts, 'Box sent an invalid response');
    return new GuildUnavailable(guildId, error);
  }

  #onEvent(guildId: bigint, { invalidates, userId }: BusMessage): void {
    if (invalidates.includes('view')) this.#cache.forget(guildId);
    if (invalidates.includes('member') && userId !== undefined)
      this.#cache.peek(guildId)?.members.delete(BigInt(userId));
  }
}

/** @throws RangeError unless the members were requested and are in ascending order */
function asked(members: MemberRecord[], after: bigint | undefined, userIds?: readonly bigint[]): MemberRecord[] {
  const wanted = userIds && new Set(userIds);
  let last = after;
  for (const { userId } of members) {
    const isInOrder = last === undefined || userId > last;
    if (!isInOrder || wanted?.has(userId) === false)
      throw new RangeError('the box returned members that were not requested');
    last = userId;
  }
  return members;
}
