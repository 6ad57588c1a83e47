import type { Prisma } from '../../infra/database/index.js';
import { inPieces } from '../../infra/turns.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { holdMembers } from '../members/hold.js';
import type { MemberKey } from '../members/kept-timeouts.js';
import type { MemberRecord } from '../members/record.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

/** Rows of one query: SQLite takes 999 parameters, and each row's key has two. */
const PAGE = 400;

/** Who is in voice somewhere: in a guild or a channel, somebody, or by a connection. */
type InVoice = Pick<Prisma.VoiceStateWhereInput, 'guildId' | 'userId' | 'channelId' | 'sessionId' | 'processId'>;

/**
 * Takes people out of voice within a transaction, and tells of each who left. Of several who take somebody out at once, one tells. Who
 * removes a membership or a channel does so before it calls this: nobody joins then any more.
 * @param most how many at most; all unless stated
 */
export async function endVoice(write: Write, where: InVoice, most?: number): Promise<VoiceStateRecord[]> {
  const found = await write.db.voiceState.findMany({
    where,
    select: { guildId: true, userId: true },
    ...(most === undefined ? {} : { take: most }),
  });
  const left: VoiceStateRecord[] = [];
  for (const piece of inPieces(found, PAGE)) left.push(...(await endPiece(write, where, piece)));
  return left;
}

async function endPiece({ db, record }: Write, where: InVoice, keys: MemberKey[]): Promise<VoiceStateRecord[]> {
  const members = await holdMembers(db, keys);
  const inPiece = { AND: [where, { OR: keys }] };
  // A change that changes nothing locks the rows: whoever else would end them finds them gone.
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

/**
 * Takes the caller out of a guild's voice.
 * @throws UNAUTHENTICATED, UNKNOWN_VOICE_STATE for somebody who is in none of its channels
 */
export async function leaveVoice(call: CallContext, guildId: bigint): Promise<VoiceStateRecord> {
  const { user } = requireUser(call);
  const [left] = await call.write((write) => endVoice(write, { guildId, userId: user.id }));
  if (!left) throw new DomainError('UNKNOWN_VOICE_STATE');
  return left;
}
