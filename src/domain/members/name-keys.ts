import { yieldOnce } from '../../infra/concurrency/event-loop.js';
import type { Member, Transaction, User } from '../../infra/database/index.js';

/**
 * The key of a prefix must be a prefix of the key. Lower case breaks this, because the lower case of sigma depends on
 * its neighbours.
 */
export function nameKey(name: string): string {
  return name.toUpperCase();
}

export type NameKeys = Pick<Member, 'usernameKey' | 'globalNameKey' | 'nickKey'>;

export function userNameKeys({ username, globalName }: Pick<User, 'username' | 'globalName'>) {
  return { usernameKey: nameKey(username), globalNameKey: globalName === null ? null : nameKey(globalName) };
}

export function nickColumns(nick: string | null) {
  return { nick, nickKey: nick === null ? null : nameKey(nick) };
}

/** SQLite takes 999 parameters. */
const MEMBERSHIPS_PER_ROUND = 400;

/** The transaction must lock the user's stream. */
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
    await yieldOnce();
  }
}
