import type { Member, User } from '../../infra/database/index.js';

import type { NameKeys } from './name-keys.js';

/** What a membership is read with to be a `MemberRecord`. */
export const WITH_USER_AND_ROLES = { user: true, roles: { select: { roleId: true } } } as const;

/** A membership with all that its rendering needs. */
export type MemberRecord = Member & { user: User; roles: { roleId: bigint }[] };

/** The part of a membership that stands beside a message, whose author is rendered on its own. */
export type MemberFacts = Omit<Member, 'guildId' | 'userId' | keyof NameKeys> & {
  roleIds: bigint[];
};
