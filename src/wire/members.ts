import type { APIGuildMember, GuildMemberFlags } from 'discord-api-types/v10';
import type { MemberRecord, MemberSummary } from '../domain/members/index.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

export function renderMemberSummary(member: MemberSummary): Omit<APIGuildMember, 'user'> {
  return {
    roles: member.roleIds.map(String),
    joined_at: wireTime(member.joinedAt),
    premium_since: null,
    nick: member.nick,
    avatar: null,
    banner: null,
    pending: false,
    communication_disabled_until: member.communicationDisabledUntil && wireTime(member.communicationDisabledUntil),
    flags: 0 as GuildMemberFlags,
    deaf: member.deaf,
    mute: member.mute,
  };
}

export function renderMember(member: MemberRecord): APIGuildMember {
  const facts = { ...member, roleIds: member.roles.map((role) => role.roleId) };
  return { ...renderMemberSummary(facts), user: renderUser(member.user) };
}
