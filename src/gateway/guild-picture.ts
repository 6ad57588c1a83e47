import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { loadGuildSnapshot, loadMembers } from '../domain/guilds/index.js';
import type { MemberFacts } from '../domain/members/index.js';
import type { Reader, User } from '../infra/database/index.js';
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

/** A guild serialised as GUILD_CREATE shows it, shared by all sessions that are introduced to it while it is current. */
export class GuildPicture {
  readonly #common: Piece;
  #all: Promise<MemberList> | undefined;
  #notable: Promise<MemberList> | undefined;

  constructor(
    private readonly reader: Reader,
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
    const list = await (large ? this.#notableMembers() : this.#allMembers());
    if (list.userIds.has(viewer.user.id)) return [list.piece];
    return [new Piece(list.userIds.size === 0 ? own : `${own},`), list.piece];
  }

  #allMembers(): Promise<MemberList> {
    this.#all ??= this.#load(false);
    return this.#all;
  }

  #notableMembers(): Promise<MemberList> {
    this.#notable ??= this.#load(true);
    return this.#notable;
  }

  async #load(notable: boolean): Promise<MemberList> {
    const members = await loadMembers(this.reader, this.guildId, { notable }, MAX_NOTABLE_MEMBERS);
    return {
      piece: new Piece(members.map((member) => JSON.stringify(renderMember(member))).join(',')),
      userIds: new Set(members.map((member) => member.userId)),
    };
  }
}

/** Reads and serialises a guild, or null when there is none. */
export async function loadGuildPicture(reader: Reader, guildId: bigint): Promise<GuildPicture | null> {
  const snapshot = await loadGuildSnapshot(reader, guildId);
  return (
    snapshot && new GuildPicture(reader, guildId, JSON.stringify(renderGuildCreate(snapshot)), snapshot.memberCount)
  );
}
