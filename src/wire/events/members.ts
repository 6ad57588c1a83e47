import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { keyOfMember } from '../../domain/bus-message.js';
import type { MemberRecord } from '../../domain/members/index.js';
import { renderMember } from '../members.js';
import { renderUser } from '../users.js';
import type { EventRows } from './row.js';

const ofMember = {
  topic: 'guild',
  about: ({ member }: { member: MemberRecord }) => ({ guildId: member.guildId, userId: member.userId }),
  invalidates: ['member', 'picture'],
  changes: ({ member }: { member: MemberRecord }) => [keyOfMember(member.userId)],
  render: ({ member }: { member: MemberRecord }) => ({
    d: { ...renderMember(member), guild_id: String(member.guildId) },
  }),
} as const;

/** A bot receives its own joins and leaves as GUILD_CREATE and GUILD_DELETE. */
const COMING_AND_GOING = { intent: Intent.GuildMembers, ownBot: 'never' } as const;

export const memberEvents = {
  GUILD_MEMBER_ADD: { ...ofMember, audience: COMING_AND_GOING },
  GUILD_MEMBER_UPDATE: { ...ofMember, audience: { intent: Intent.GuildMembers, ownBot: 'always' } },
  GUILD_MEMBER_REMOVE: {
    topic: 'guild',
    about: ({ guildId, user }) => ({ guildId, userId: user.id }),
    changes: ({ user }) => [keyOfMember(user.id)],
    invalidates: ['member', 'picture'],
    audience: COMING_AND_GOING,
    render: ({ guildId, user }) => ({ d: { guild_id: String(guildId), user: renderUser(user) } }),
  },
  MEMBERSHIP_UPDATED: {
    topic: 'guild',
    about: ({ guildId, userId }) => ({ guildId, userId }),
    invalidates: ['member'],
    audience: null,
  },
} satisfies Partial<EventRows>;
