import type { MemberSummary } from '../../domain/members/index.js';
import type { User } from '../../infra/database/index.js';
import { renderMemberSummary } from '../members.js';
import { renderUser } from '../users.js';

/** Direct channels have no `guild_id`. */
export function guildIdField(guildId: bigint | null): { guild_id?: string } {
  return guildId === null ? {} : { guild_id: String(guildId) };
}

export function memberField(member: MemberSummary | null, user: User): { member?: object } {
  return member ? { member: { ...renderMemberSummary(member), user: renderUser(user) } } : {};
}
