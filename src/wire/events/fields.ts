import type { MemberFacts } from '../../domain/members/index.js';
import type { User } from '../../infra/database/index.js';
import { renderMemberFacts } from '../members.js';
import { renderUser } from '../users.js';

/** `guild_id`, which events of direct channels do not have. */
export function guildIdField(guildId: bigint | null): { guild_id?: string } {
  return guildId === null ? {} : { guild_id: String(guildId) };
}

/** `member` of somebody who did something in a guild, their user in it. */
export function memberField(member: MemberFacts | null, user: User): { member?: object } {
  return member ? { member: { ...renderMemberFacts(member), user: renderUser(user) } } : {};
}
