import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import type { MemberRecord } from '../members/record.js';
import { loadMemberRows } from '../members/rows.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

/** SQLite takes 999 parameters, and each row's key has two. */
const PAGE = 400;

type InVoice = Pick<Prisma.VoiceStateWhereInput, 'guildId' | 'userId' | 'channelId' | 'sessionId' | 'processId'>;

/**
 * The transaction must lock the guild's stream. Remove a membership or channel before this call, so that no user joins
 * afterwards.
 */
export async function endVoice({ db, record }: Write, where: InVoice): Promise<VoiceStateRecord[]> {
  const rows = await db.voiceState.findMany({ where });
  if (rows.length === 0) return [];
  const memberOf = new Map<string, MemberRecord>();
  for (const piece of chunksOf(rows, PAGE)) {
    for (const member of await loadMemberRows(db, piece)) memberOf.set(keyOf(member), member);
  }
  await db.voiceState.deleteMany({ where });
  return rows.map((row) => {
    const state = { ...voiceRecord(row, memberOf.get(keyOf(row)) ?? null), channelId: null, suppress: false };
    record({ type: 'VOICE_STATE_UPDATE', state });
    return state;
  });
}

function keyOf({ guildId, userId }: { guildId: bigint; userId: bigint }): string {
  return `${guildId} ${userId}`;
}

/** @throws UNAUTHENTICATED, UNKNOWN_VOICE_STATE */
export async function leaveVoice(call: CallContext, guildId: bigint): Promise<VoiceStateRecord> {
  const { user } = requireUser(call);
  const end = (write: Write) => endVoice(write, { guildId, userId: user.id });
  const [left] = await call.write(end, { streams: [topics.guild(guildId)] });
  if (!left) throw new DomainError('UNKNOWN_VOICE_STATE');
  return left;
}

/** Ends voice states in several guilds, each in a transaction of its own. */
export async function leaveAll(call: CallContext, where: InVoice): Promise<void> {
  const found = await call.read.voiceState.findMany({ where, select: { guildId: true }, distinct: ['guildId'] });
  for (const { guildId } of found) {
    await yieldToEventLoop();
    await call.write((write) => endVoice(write, { ...where, guildId }), { streams: [topics.guild(guildId)] });
  }
}
