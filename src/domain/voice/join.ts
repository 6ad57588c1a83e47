import { ChannelType } from 'discord-api-types/v10';
import { isMissingReference } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { accessGuildChannel } from '../guilds/access.js';
import { loadMemberRow } from '../members/rows.js';
import { allows, Permission } from '../permissions.js';
import { leaveAll } from './leave.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

export interface JoinVoiceInput {
  channelId: bigint;
  /** If set, the channel must belong to this guild. */
  guildId?: bigint | undefined;
  /** Undefined keeps the current value, or false. */
  selfMute?: boolean | undefined;
  selfDeaf?: boolean | undefined;
}

/**
 * Also moves the caller from another channel. A full channel needs MoveMembers.
 * @param sessionId the connection with which the voice state ends
 * @throws UNKNOWN_CHANNEL, INVALID_INPUT for a channel that is not for voice, LIMIT_EXCEEDED for a full one, and the
 * errors of `accessGuildChannel`
 */
export async function joinVoice(
  call: CallContext,
  input: JoinVoiceInput,
  sessionId: string,
): Promise<VoiceStateRecord> {
  const { user } = requireUser(call);
  const place = await accessGuildChannel(call, input.channelId, 'connectVoice');
  if (input.guildId !== undefined && input.guildId !== place.guildId) throw new DomainError('UNKNOWN_CHANNEL');
  // This check must precede `holdVoice`, which marks the connection as in voice.
  if (await call.boxRoutes.ofGuild(place.guildId)) throw new DomainError('UNKNOWN_CHANNEL');
  if (place.type !== ChannelType.GuildVoice) throw noVoiceThere('channelId');
  const heedsLimit = !allows(place.permissions, Permission.MoveMembers);
  call.connections.holdVoice(sessionId);
  const seat = { guildId: place.guildId, channelId: place.channelId, userId: user.id };
  const streams = [topics.guild(place.guildId)];
  const state = await call
    .write((write) => enterChannel(call, write, { ...seat, sessionId, heedsLimit }, input), { streams })
    .catch((error: unknown) => {
      throw isMissingReference(error) ? new DomainError('UNKNOWN_CHANNEL') : error;
    });
  // The connection closed during the transaction and left the new voice state behind.
  if (!call.connections.isOpen(sessionId)) await leaveAll(call, { userId: user.id, sessionId });
  return state;
}

interface VoiceConnection {
  guildId: bigint;
  channelId: bigint;
  userId: bigint;
  sessionId: string;
  heedsLimit: boolean;
}

async function enterChannel(
  call: CallContext,
  { db, record }: Write,
  { heedsLimit, ...seat }: VoiceConnection,
  { selfMute, selfDeaf }: JoinVoiceInput,
): Promise<VoiceStateRecord> {
  const { guildId, channelId, userId } = seat;
  const { userLimit } = await findVoiceChannel(db, guildId, channelId);
  const member = await loadMemberRow(db, guildId, userId);
  if (!member) throw new DomainError('UNKNOWN_CHANNEL');
  const key = { guildId_userId: { guildId, userId } };
  const before = await db.voiceState.findUnique({ where: key });
  if (heedsLimit && before?.channelId !== channelId) await requireCapacity(db, channelId, userLimit);
  const said = {
    ...seat,
    processId: call.live.id,
    selfMute: selfMute ?? before?.selfMute ?? false,
    selfDeaf: selfDeaf ?? before?.selfDeaf ?? false,
    suppress: before?.channelId === channelId && before.suppress,
  };
  const after = await db.voiceState.upsert({ where: key, create: said, update: said });
  const state = voiceRecord(after, member);
  const isChanged =
    before?.channelId !== channelId ||
    before.sessionId !== after.sessionId ||
    before.selfMute !== after.selfMute ||
    before.selfDeaf !== after.selfDeaf;
  if (isChanged) record({ type: 'VOICE_STATE_UPDATE', state });
  return state;
}

/** @throws UNKNOWN_CHANNEL */
export async function findVoiceChannel(
  db: Transaction,
  guildId: bigint,
  channelId: bigint,
): Promise<{ userLimit: number }> {
  const where = { id: channelId, guildId, type: ChannelType.GuildVoice };
  const channel = await db.channel.findFirst({ where, select: { userLimit: true } });
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return channel;
}

async function requireCapacity(db: Transaction, channelId: bigint, userLimit: number): Promise<void> {
  if (userLimit === 0 || (await db.voiceState.count({ where: { channelId } })) < userLimit) return;
  throw new DomainError('LIMIT_EXCEEDED', 'This voice channel is full.');
}

export function noVoiceThere(path: string): DomainError {
  return invalidInput({ path, code: 'CHANNEL_TYPE_INVALID', message: 'This is not a voice channel of the server.' });
}
