import { GatewayDispatchEvents } from 'discord-api-types/v10';
import type { GuildStore } from '../domain/guilds/index.js';
import type { MemberRecord, MemberSummary } from '../domain/members/index.js';
import type { VoiceStateRecord } from '../domain/voice/index.js';
import type { User } from '../infra/database/index.js';
import { renderGuildCreate, renderOwnGuildFields } from '../wire/guild-create.js';
import { renderMember, renderMemberSummary } from '../wire/members.js';
import { renderPresence } from '../wire/presences.js';
import { renderUser } from '../wire/users.js';
import { renderVoiceStateWithin } from '../wire/voice.js';
import { GatewayEvent, Piece } from './events.js';

const MAX_LISTED_MEMBERS = 1_000;

type Listed = 'all' | 'notable' | 'inVoice';

/** The members as JSON, separated by commas. */
interface MemberList {
  piece: Piece;
  userIds: ReadonlySet<bigint>;
}

export interface Viewer {
  user: User;
  member: MemberSummary;
  /** Whether the session has the presences intent, which shows other members too. */
  seesPresences: boolean;
  seesVoice: boolean;
  largeThreshold: number;
}

/** Caches promises that do not reject. */
class Shared<Key, Thing> {
  readonly #things = new Map<Key, Promise<Thing>>();

  get(key: Key, make: () => Promise<Thing>): Promise<Thing> {
    const known = this.#things.get(key);
    if (known) return known;
    const thing = make();
    this.#things.set(key, thing);
    thing.catch(() => this.#things.get(key) === thing && this.#things.delete(key));
    return thing;
  }

  forget(...keys: Key[]): void {
    for (const key of keys) this.#things.delete(key);
  }
}

/** GUILD_CREATE of one guild, serialised once for all sessions. */
export class GuildCreate {
  readonly #common: Piece;
  readonly #members = new Shared<Listed, MemberList>();
  readonly #presences = new Shared<Listed, Piece>();
  readonly #voice = new Shared<'states', VoiceStateRecord[]>();
  readonly #voicePiece = new Shared<'states', Piece>();

  constructor(
    private readonly store: GuildStore,
    private readonly guildId: bigint,
    common: string,
    private readonly memberCount: number,
  ) {
    this.#common = new Piece(common.slice(0, -1));
  }

  forgetLive(): void {
    this.#members.forget('notable', 'inVoice');
    this.#presences.forget('all', 'notable');
    this.#voice.forget('states');
    this.#voicePiece.forget('states');
  }

  async eventFor(viewer: Viewer): Promise<GatewayEvent> {
    const large = this.memberCount > viewer.largeThreshold;
    const fields = JSON.stringify(renderOwnGuildFields(viewer.member, large)).slice(1, -1);
    const listed = listedFor(viewer, large);
    return new GatewayEvent(
      GatewayDispatchEvents.GuildCreate,
      this.#common,
      new Piece(`,${fields},"members":[`),
      ...(await this.#membersFor(viewer, listed)),
      new Piece('],"presences":['),
      ...(await this.#presencesFor(viewer, listed)),
      new Piece('],"voice_states":['),
      ...(viewer.seesVoice ? [await this.#voiceStates()] : []),
      new Piece(']}'),
    );
  }

  async #membersFor(viewer: Viewer, listed: Listed | null): Promise<Piece[]> {
    const own = JSON.stringify({ ...renderMemberSummary(viewer.member), user: renderUser(viewer.user) });
    if (listed === null) return [new Piece(own)];
    const { userIds, piece } = await this.#list(listed);
    return userIds.has(viewer.user.id) ? [piece] : joined(own, piece);
  }

  async #presencesFor({ user, seesPresences }: Viewer, listed: Listed | null): Promise<Piece[]> {
    if (!seesPresences || listed === null) return [];
    const { userIds } = await this.#list(listed);
    const piece = await this.#presences.get(listed, () => this.#loadPresences([...userIds]));
    if (userIds.has(user.id)) return [piece];
    const own = await this.#loadPresences([user.id]);
    return own.bytes.length === 0 ? [piece] : joined(own.bytes.toString(), piece);
  }

  #list(listed: Listed): Promise<MemberList> {
    return this.#members.get(listed, async () => {
      const members = await this.#loadMembers(listed);
      return {
        piece: new Piece(members.map((member) => JSON.stringify(renderMember(member))).join(',')),
        userIds: new Set(members.map((member) => member.userId)),
      };
    });
  }

  async #loadMembers(listed: Listed): Promise<MemberRecord[]> {
    if (listed === 'inVoice') {
      const states = await this.#statesInVoice();
      return states.flatMap(({ member }) => member ?? []).slice(0, MAX_LISTED_MEMBERS);
    }
    if (listed === 'notable') return this.store.notableMembers(this.guildId, MAX_LISTED_MEMBERS);
    return this.store.members(this.guildId, {}, MAX_LISTED_MEMBERS);
  }

  async #loadPresences(userIds: bigint[]): Promise<Piece> {
    const presences = await this.store.presences(this.guildId, userIds);
    return new Piece(presences.map((presence) => JSON.stringify(renderPresence(presence))).join(','));
  }

  #statesInVoice(): Promise<VoiceStateRecord[]> {
    return this.#voice.get('states', () => this.store.voiceStates(this.guildId));
  }

  #voiceStates(): Promise<Piece> {
    return this.#voicePiece.get('states', async () => {
      const states = await this.#statesInVoice();
      return new Piece(states.map((state) => JSON.stringify(renderVoiceStateWithin(state))).join(','));
    });
  }
}

/** The members listed in addition to the bot's own; null for none. */
function listedFor({ seesPresences, seesVoice }: Viewer, large: boolean): Listed | null {
  if (seesPresences) return large ? 'notable' : 'all';
  return seesVoice ? 'inVoice' : null;
}

function joined(own: string, list: Piece): Piece[] {
  return [new Piece(list.bytes.length === 0 ? own : `${own},`), list];
}

/** @throws GuildUnavailable */
export async function loadGuildCreate(store: GuildStore, guildId: bigint): Promise<GuildCreate | null> {
  const snapshot = await store.snapshot(guildId);
  return snapshot && new GuildCreate(store, guildId, JSON.stringify(renderGuildCreate(snapshot)), snapshot.memberCount);
}
