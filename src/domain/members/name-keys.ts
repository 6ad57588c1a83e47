import type { Member, Transaction, User } from '../../infra/database/index.js';
import { nextRound } from '../../infra/turns.js';

/**
 * What a name is found by, whatever the case. Capitals, since what one of them is does not depend on the letters beside it, as for
 * the small sigma: the key of a name begins with the key of each of its beginnings.
 */
export function nameKey(name: string): string {
  return name.toUpperCase();
}

/** The columns of a membership that it is found by. */
export type NameKeys = Pick<Member, 'usernameKey' | 'globalNameKey' | 'nickKey'>;

/** The columns of a membership that follow from its user. */
export function userNameKeys({ username, globalName }: Pick<User, 'username' | 'globalName'>) {
  return { usernameKey: nameKey(username), globalNameKey: globalName === null ? null : nameKey(globalName) };
}

/** The columns of a membership that follow from its nickname. */
export function nickColumns(nick: string | null) {
  return { nick, nickKey: nick === null ? null : nameKey(nick) };
}

/** Memberships of one statement: SQLite takes 999 parameters. */
const MEMBERSHIPS_PER_ROUND = 400;

/**
 * Has a user's memberships found by the names that they have now. The transaction changes the names and has to be serializable: of a
 * joining at the same time, one sees the other.
 */
export async function renameMemberships(db: Transaction, user: User): Promise<void> {
  const { id: userId } = user;
  for (let after = 0n; ; ) {
    const page = await db.member.findMany({
      where: { userId, guildId: { gt: after } },
      select: { guildId: true },
      orderBy: { guildId: 'asc' },
      take: MEMBERSHIPS_PER_ROUND,
    });
    const guildIds = page.map(({ guildId }) => guildId);
    if (page.length > 0) {
      await db.member.updateMany({ where: { userId, guildId: { in: guildIds } }, data: userNameKeys(user) });
    }
    if (page.length < MEMBERSHIPS_PER_ROUND) return;
    after = guildIds.at(-1) ?? after;
    await nextRound();
  }
}
