import { chunksOf } from '../../infra/concurrency/event-loop.js';
import type { Prisma } from '../../infra/database/index.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import type { MemberKey } from '../members/kept-timeouts.js';
import { lockMembers } from '../members/lock.js';
import type { MemberRecord } from '../members/record.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

/** SQLite takes 999 parameters, and each row's key has two. */
const PAGE = 400;

type InVoice = Pick<Prisma.VoiceStateWhereInput, 'guildId' | 'userId' | 'channelId' | 'sessionId' | 'processId'>;

/**
 * Of concurrent calls, only one publishes a leave. Remove a membership or channel before this call, so that no user
 * joins afterwards.
 * @param most no limit by default
 */
export async function endVoice(write: Write, where: InVoice, most?: number): Promise<VoiceStateRecord[]> {
  const found = await write.db.voiceState.findMany({
    where,
    select: { guildId: true, userId: true },
    ...(most === undefined ? {} : { take: most }),
  });
  const left: VoiceStateRecord[] = [];
  for (const piece of chunksOf(found, PAGE)) left.push(...(await endPiece(write, where, piece)));
  return left;
}

async function endPiece({ db, record }: Write, where: InVoice, keys: MemberKey[]): Promise<VoiceStateRecord[]> {
  const members = await lockMembers(db, keys);
  const inPiece = { AND: [where, { OR: keys }] };
  // This update only locks the rows, so that a concurrent call finds none.
  const states = await db.voiceState.updateManyAndReturn({ where: inPiece, data: { suppress: false } });
  const memberOf = new Map<string, MemberRecord>(members.map((member) => [keyOf(member), member]));
  await db.voiceState.deleteMany({ where: inPiece });
  return states.map((row) => {
    const state = { ...voiceRecord(row, memberOf.get(keyOf(row)) ?? null), channelId: null };
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
  const [left] = await call.write((write) => endVoice(write, { guildId, userId: user.id }));
  if (!left) throw new DomainError('UNKNOWN_VOICE_STATE');
  return left;
}
