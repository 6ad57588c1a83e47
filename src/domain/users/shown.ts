import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { loadMemberRow } from '../members/rows.js';

/** Must run in the transaction of the change. A job updates the memberships later. */
export async function showUserAnew(
  { clock }: Pick<CallContext, 'clock'>,
  { record, addJob }: Pick<Write, 'record' | 'addJob'>,
  user: User,
): Promise<void> {
  record({ type: 'USER_UPDATE', user });
  const payload = { userId: String(user.id) };
  await addJob({ kind: 'show-user', key: `show-user:${user.id}`, payload, dueAt: clock.now() });
}

/** A member changes with their user (Discord's documentation, Gateway Events). @throws `signal.reason` when aborted */
export async function showMemberships(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  for await (const page of call.guilds.pagesOfGuildIds(userId)) {
    for (const guildId of page) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      const show = async ({ db, record }: Write) => {
        const member = await loadMemberRow(db, guildId, userId);
        if (member) record({ type: 'GUILD_MEMBER_UPDATE', member });
      };
      await call.write(show, { streams: [topics.guild(guildId)] });
    }
  }
}
