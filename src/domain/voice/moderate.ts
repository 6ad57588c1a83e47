import type { Prisma } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import type { GuildOperation } from '../guild-operations.js';
import { accessGuildChannel } from '../guilds/access.js';
import type { MemberRecord } from '../members/record.js';
import { holdChannel, noVoiceThere } from './join.js';
import { endVoice } from './leave.js';
import { voiceRecord } from './record.js';

/** A change of where somebody is in voice, by a moderator. What is not given stays; of all but the channel, null is the same. */
export interface VoiceMove {
  /** Where they are moved to; null takes them out of voice. */
  channelId?: bigint | null | undefined;
  /** Whether they may only listen. */
  suppress?: boolean | null | undefined;
}

/** A change of how somebody is in voice, by a moderator. */
export interface VoiceChange extends VoiceMove {
  /** In every channel of the guild. */
  mute?: boolean | null | undefined;
  deaf?: boolean | null | undefined;
}

/**
 * The caller may move somebody there, if anywhere: into a channel that they may connect to themselves.
 * @throws INVALID_INPUT at `channelId` for what is no voice channel of the guild, and what `accessGuildChannel` throws
 */
export async function requireMoveTarget(
  call: CallContext,
  guildId: bigint,
  channelId: VoiceMove['channelId'],
): Promise<void> {
  if (channelId === null || channelId === undefined) return;
  if ((await call.guilds.guildOfChannel(channelId)) !== guildId) throw noVoiceThere('channelId');
  await accessGuildChannel(call, channelId, 'connectVoice');
}

/** What a change of how somebody is in voice takes; of oneself, to leave and to be suppressed takes nothing. */
export function operationsOfVoice({ mute, deaf, channelId, suppress }: VoiceChange, isOwn: boolean): GuildOperation[] {
  const operations: GuildOperation[] = [];
  if (typeof mute === 'boolean') operations.push('muteMember');
  if (typeof deaf === 'boolean') operations.push('deafenMember');
  if (channelId !== undefined && !(isOwn && channelId === null)) operations.push('moveMember');
  if (typeof suppress === 'boolean' && !(isOwn && suppress)) operations.push('muteMember');
  return operations;
}

/**
 * Moves somebody within a transaction, and tells how they are in voice now.
 * @param member held, as the transaction has them by now
 * @param isToldAnyway whether what changed of the member is told along
 * @throws NOT_IN_VOICE, and INVALID_INPUT at `channelId` for a channel that is not there
 */
export async function moveInVoice(
  write: Write,
  member: MemberRecord,
  { channelId, suppress }: VoiceMove,
  isToldAnyway = false,
): Promise<void> {
  const { db, record, audit } = write;
  const { guildId, userId } = member;
  // A change that changes nothing locks the row: whoever takes them out of voice meanwhile tells so before or after.
  const [before] = await db.voiceState.updateManyAndReturn({ where: { guildId, userId }, data: { guildId } });
  if (!before) throw new DomainError('NOT_IN_VOICE');
  if (channelId === null) {
    await endVoice(write, { guildId, userId });
    await audit({ action: 'MEMBER_DISCONNECT', guildId, targetId: userId });
    return;
  }
  const isMoved = channelId !== undefined && channelId !== before.channelId;
  if (isMoved) await holdTarget(write, guildId, channelId);
  const data: Prisma.VoiceStateUncheckedUpdateManyInput = {
    ...(isMoved ? { channelId, suppress: false } : {}),
    ...(typeof suppress === 'boolean' && suppress !== before.suppress ? { suppress } : {}),
  };
  const isChanged = Object.keys(data).length > 0;
  if (!isChanged && !isToldAnyway) return;
  const key = { guildId_userId: { guildId, userId } };
  const after = isChanged ? await db.voiceState.update({ where: key, data }) : before;
  if (isMoved) {
    await audit({ action: 'MEMBER_MOVE', guildId, targetId: userId, changes: { channelId: String(channelId) } });
  }
  record({ type: 'VOICE_STATE_UPDATE', state: voiceRecord(after, member) });
}

async function holdTarget({ db }: Write, guildId: bigint, channelId: bigint): Promise<void> {
  try {
    await holdChannel(db, guildId, channelId);
  } catch (error) {
    throw error instanceof DomainError && error.code === 'UNKNOWN_CHANNEL' ? noVoiceThere('channelId') : error;
  }
}
