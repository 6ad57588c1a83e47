import type { Member, User } from '../../infra/database/index.js';

import type { NameKeys } from './name-keys.js';

export const WITH_USER_AND_ROLES = { user: true, roles: { select: { roleId: true } } } as const;

export type MemberRecord = Member & { user: User; roles: { roleId: bigint }[] };

/** The user is rendered separately. */
export type MemberSummary = Omit<Member, 'guildId' | 'userId' | keyof NameKeys> & {
  roleIds: bigint[];
};
