import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Prisma } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import type { DomainJob } from '../job-payloads.js';
import { discardAllFiles, STORED_ATTACHMENT } from '../messages/files/files.js';

/** Covers message ids above `after`, up to `last`. */
export interface MessagesToRemove {
  guildId: bigint;
  authorId: bigint;
  after: bigint;
  last: bigint;
}

export function messagesToRemove(
  { clock }: Pick<CallContext, 'clock'>,
  { guildId, userId }: { guildId: bigint; userId: bigint },
  seconds: number,
): DomainJob {
  const now = clock.now();
  const payload = {
    guildId: String(guildId),
    authorId: String(userId),
    after: String(snowflakeAt(now - seconds * 1_000) - 1n),
    last: String(snowflakeAt(now + 1)),
  };
  return { kind: 'messages-of-banned', payload, dueAt: now };
}

const PIECE = 100;

/** Idempotent. Keeps ephemeral messages. @throws `signal.reason` when aborted */
export async function removeMessagesOfBanned(
  call: CallContext,
  { guildId, authorId, after, last }: MessagesToRemove,
  signal: AbortSignal,
): Promise<void> {
  for (let from: bigint | undefined = after; from !== undefined; ) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    // The index has the author, but not the guild.
    const piece: RemovedMessage[] = await call.read.message.findMany({
      where: { authorId, id: { gt: from, lte: last } },
      select: REMOVED_MESSAGE,
      orderBy: { id: 'asc' },
      take: PIECE,
    });
    await removeMessagesIn(
      call,
      guildId,
      piece.filter(({ channel, visibleToId }) => channel.guildId === guildId && visibleToId === null),
    );
    from = piece.length < PIECE ? undefined : piece.at(-1)?.id;
  }
}

export const REMOVED_MESSAGE = {
  id: true,
  channelId: true,
  visibleToId: true,
  channel: { select: { guildId: true } },
  attachments: { select: STORED_ATTACHMENT },
} satisfies Prisma.MessageSelect;

export type RemovedMessage = Prisma.MessageGetPayload<{ select: typeof REMOVED_MESSAGE }>;

/** Removes some messages of a guild with their files. */
export async function removeMessagesIn(
  call: CallContext,
  guildId: bigint,
  messages: readonly RemovedMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const remove = async ({ db, record }: Write) => {
    await db.message.deleteMany({ where: { id: { in: messages.map(({ id }) => id) } } });
    for (const [channelId, messageIds] of byChannel(messages)) {
      record({ type: 'MESSAGE_DELETE_BULK', guildId, channelId, messageIds });
    }
  };
  await call.write(remove, { streams: [topics.guild(guildId)] });
  for (const { channelId, attachments } of messages) await discardAllFiles(call, channelId, attachments);
}

function byChannel(messages: readonly RemovedMessage[]): Map<bigint, bigint[]> {
  const ids = new Map<bigint, bigint[]>();
  for (const { id, channelId } of messages) ids.set(channelId, [...(ids.get(channelId) ?? []), id]);
  return ids;
}
