import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Database } from '../../infra/database/index.js';
import { nickColumns, userNameKeys } from './name-keys.js';

const PAGE = 400;

/**
 * A migration cannot do this, because a database does not know all capital letters. Skips memberships that change
 * concurrently.
 * @throws `signal.reason` when aborted
 */
export async function correctNameKeys({ reader, writer }: Pick<Database, 'reader' | 'writer'>, signal: AbortSignal) {
  for (let after = { guildId: 0n, userId: 0n }; ; ) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const page = await reader.member.findMany({
      where: { OR: [{ guildId: after.guildId, userId: { gt: after.userId } }, { guildId: { gt: after.guildId } }] },
      include: { user: { select: { username: true, globalName: true } } },
      orderBy: [{ guildId: 'asc' }, { userId: 'asc' }],
      take: PAGE,
    });
    for (const { guildId, userId, nick, user, usernameKey, globalNameKey, nickKey } of page) {
      const { nickKey: ofNick } = nickColumns(nick);
      const keys = { ...userNameKeys(user), nickKey: ofNick };
      const isRight =
        keys.usernameKey === usernameKey && keys.globalNameKey === globalNameKey && keys.nickKey === nickKey;
      if (isRight) continue;
      await writer.member.updateMany({ where: { guildId, userId, usernameKey, globalNameKey, nickKey }, data: keys });
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last;
  }
}
