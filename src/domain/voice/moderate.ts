import type { Prisma } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import type { GuildOperation } from '../guild-operations.js';
import { accessGuildChannel } from '../guilds/access.js';
import type { MemberRecord } from '../members/record.js';
import { findVoiceChannel, noVoiceThere } from './join.js';
import { endVoice } from './leave.js';
import { voiceRecord } from './record.js';

/** Undefined keeps a value. Null does too, except for `channelId`. */
export interface VoiceMove {
  /** Null disconnects the member. */
  channelId?: bigint | null | undefined;
  /** Whether the member may only listen. */
  suppress?: boolean | null | undefined;
}

export interface VoiceChange extends VoiceMove {
  /** Applies in all channels of the guild. */
  mute?: boolean | null | undefined;
  deaf?: boolean | null | undefined;
}

/**
 * The caller must be able to connect to the target channel.
 * @throws INVALID_INPUT at `channelId` unless it is a voice channel of the guild, and the errors of
 * `accessGuildChannel`
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

/** Callers may always disconnect and suppress themselves. */
export function operationsOfVoice({ mute, deaf, channelId, suppress }: VoiceChange, isOwn: boolean): GuildOperation[] {
  const operations: GuildOperation[] = [];
  if (typeof mute === 'boolean') operations.push('muteMember');
  if (typeof deaf === 'boolean') operations.push('deafenMember');
  if (channelId !== undefined && !(isOwn && channelId === null)) operations.push('moveMember');
  if (typeof suppress === 'boolean' && !(isOwn && suppress)) operations.push('muteMember');
  return operations;
}

/**
 * The transaction must lock the guild's stream.
 * @param member with the changes so far
 * @param isToldAnyway whether to publish an unchanged voice state too
 * @throws NOT_IN_VOICE, and INVALID_INPUT at `channelId` for a missing channel
 */
export async function moveInVoice(
  write: Write,
  member: MemberRecord,
  { channelId, suppress }: VoiceMove,
  isToldAnyway = false,
): Promise<void> {
  const { db, record, audit } = write;
  const { guildId, userId } = member;
  const key = { guildId_userId: { guildId, userId } };
  const before = await db.voiceState.findUnique({ where: key });
  if (!before) throw new DomainError('NOT_IN_VOICE');
  if (channelId === null) {
    await endVoice(write, { guildId, userId });
    await audit({ action: 'MEMBER_DISCONNECT', guildId, targetId: userId });
    return;
  }
  const isMoved = channelId !== undefined && channelId !== before.channelId;
  if (isMoved) await requireTarget(write, guildId, channelId);
  const data: Prisma.VoiceStateUncheckedUpdateManyInput = {
    ...(isMoved ? { channelId, suppress: false } : {}),
    ...(typeof suppress === 'boolean' && suppress !== before.suppress ? { suppress } : {}),
  };
  const isChanged = Object.keys(data).length > 0;
  if (!isChanged && !isToldAnyway) return;
  const after = isChanged ? await db.voiceState.update({ where: key, data }) : before;
  if (isMoved) {
    await audit({ action: 'MEMBER_MOVE', guildId, targetId: userId, changes: { channelId: String(channelId) } });
  }
  record({ type: 'VOICE_STATE_UPDATE', state: voiceRecord(after, member) });
}

async function requireTarget({ db }: Write, guildId: bigint, channelId: bigint): Promise<void> {
  try {
    await findVoiceChannel(db, guildId, channelId);
  } catch (error) {
    throw error instanceof DomainError && error.code === 'UNKNOWN_CHANNEL' ? noVoiceThere('channelId') : error;
  }
}
