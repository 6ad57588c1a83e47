import { GatewayDispatchEvents } from 'discord-api-types/v10';
import type { GuildHome } from '../domain/guilds/index.js';
import type { MemberFacts } from '../domain/members/index.js';
import type { User } from '../infra/database/index.js';
import { renderGuildCreate, renderOwnGuildFields } from '../wire/guild-create.js';
import { renderMember, renderMemberFacts } from '../wire/members.js';
import { renderUser } from '../wire/users.js';
import { GatewayEvent, Piece } from './events.js';

/** Members that are listed of a guild beyond a session's threshold. */
const MAX_NOTABLE_MEMBERS = 1_000;

/** Serialised members, comma-separated. */
interface MemberList {
  piece: Piece;
  userIds: ReadonlySet<bigint>;
}

export interface Viewer {
  user: User;
  member: MemberFacts;
  /** Whether the session has the intent that shows other members. */
  seesMembers: boolean;
  largeThreshold: number;
}

/** GUILD_CREATE of one guild: its snapshot, serialised once for all sessions that are introduced to it while it is current. */
export class GuildCreate {
  readonly #common: Piece;
  /** Members as they are listed, by whether those only who are notable. */
  readonly #lists = new Map<boolean, Promise<MemberList>>();

  constructor(
    private readonly home: GuildHome,
    private readonly guildId: bigint,
    common: string,
    private readonly memberCount: number,
  ) {
    this.#common = new Piece(common.slice(0, -1));
  }

  /** GUILD_CREATE for one session. */
  async eventFor(viewer: Viewer): Promise<GatewayEvent> {
    const large = this.memberCount > viewer.largeThreshold;
    const fields = JSON.stringify(renderOwnGuildFields(viewer.member, large)).slice(1, -1);
    return new GatewayEvent(
      GatewayDispatchEvents.GuildCreate,
      this.#common,
      new Piece(`,${fields},"members":[`),
      ...(await this.#members(viewer, large)),
      new Piece(']}'),
    );
  }

  async #members(viewer: Viewer, large: boolean): Promise<Piece[]> {
    const own = JSON.stringify({ ...renderMemberFacts(viewer.member), user: renderUser(viewer.user) });
    if (!viewer.seesMembers) return [new Piece(own)];
    const list = await this.#list(large);
    if (list.userIds.has(viewer.user.id)) return [list.piece];
    return [new Piece(list.userIds.size === 0 ? own : `${own},`), list.piece];
  }

  /** A list is read once for all sessions; after a fault, the next one reads it anew. */
  #list(notable: boolean): Promise<MemberList> {
    const known = this.#lists.get(notable);
    if (known) return known;
    const list = this.#load(notable);
    this.#lists.set(notable, list);
    list.catch(() => this.#lists.delete(notable));
    return list;
  }

  async #load(notable: boolean): Promise<MemberList> {
    const members = await this.home.members(this.guildId, { notable }, MAX_NOTABLE_MEMBERS);
    return {
      piece: new Piece(members.map((member) => JSON.stringify(renderMember(member))).join(',')),
      userIds: new Set(members.map((member) => member.userId)),
    };
  }
}

/**
 * Reads and serialises a guild; null when there is none.
 * @throws GuildUnavailable
 */
export async function loadGuildCreate(home: GuildHome, guildId: bigint): Promise<GuildCreate | null> {
  const snapshot = await home.snapshot(guildId);
  return snapshot && new GuildCreate(home, guildId, JSON.stringify(renderGuildCreate(snapshot)), snapshot.memberCount);
}
