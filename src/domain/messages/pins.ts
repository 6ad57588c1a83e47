import { MessageType } from 'discord-api-types/v10';
import type { Message, Pin, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import {
  asOf,
  type ChannelAccess,
  eventChannel,
  guildIdOf,
  permissionsIn,
  recipientsOf,
  streamsOf,
} from '../channels/access.js';
import { DomainError } from '../errors.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { accessChannel } from '../guilds/access.js';
import { limits } from '../limits.js';
import type { MemberSummary } from '../members/record.js';
import { allows } from '../permissions.js';
import { loadMessage, loadMessages } from './load.js';
import { postNotice } from './post.js';
import type { MessageKey, MessageRecord } from './record.js';
import { requireUserMessage } from './user-messages.js';
import { EVERYONE } from './visibility.js';

/**
 * Also posts a notice. Does nothing if the message is pinned.
 * @throws UNKNOWN_MESSAGE, SYSTEM_MESSAGE, TOO_MANY_PINS, UNKNOWN_CHANNEL if the channel is deleted concurrently, and
 * the errors of `accessChannel`
 */
export async function pinMessage(call: CallContext, key: MessageKey): Promise<void> {
  const { user } = requireUser(call);
  await changePin(call, key, true, async (write, { place, message }) => {
    requireUserMessage(message);
    const lastPinAt = await addPin(call, write.db, place, message.id);
    return {
      lastPinAt,
      tell: () => postNotice(write, { author: user, place, kind: MessageType.ChannelPinnedMessage, about: message.id }),
    };
  });
}

/**
 * Does nothing if the message is not pinned.
 * @throws UNKNOWN_MESSAGE, UNKNOWN_CHANNEL if the channel is deleted concurrently, and the errors of `accessChannel`
 */
export async function unpinMessage(call: CallContext, key: MessageKey): Promise<void> {
  await changePin(call, key, false, async ({ db }, { place, message }) => {
    const { lastPinAt } = await findChannel(db, place);
    await db.pin.deleteMany({ where: { messageId: message.id } });
    return { lastPinAt };
  });
}

interface Changed {
  place: ChannelAccess;
  message: MessageRecord;
}

interface PinResult {
  lastPinAt: Date | null;
  tell?: () => Promise<void>;
}

/** `work` runs in the same transaction, and only if `pinned` changes. */
async function changePin(
  call: CallContext,
  { channelId, messageId }: MessageKey,
  pinned: boolean,
  work: (write: Write, changed: Changed) => Promise<PinResult>,
): Promise<void> {
  const place = await accessChannel(call, channelId, 'pinMessage');
  const change = async (): Promise<boolean> => {
    const message = await loadMessage(call, place, messageId);
    if (message.pinned === pinned) return true;
    const member = await authorIn(call, place, message);
    const mark = async (write: Write) => {
      const row = await markPinned(write.db, message, pinned);
      if (!row) return false;
      const { lastPinAt, tell } = await work(write, { place, message });
      await auditPin(write, place, message, pinned);
      const marked = { ...message, ...row, interaction: message.interaction };
      write.record({ type: 'MESSAGE_UPDATE', message: marked, member, ...asOf(place), ...recipientsOf(place) });
      write.record({ type: 'CHANNEL_PINS_UPDATE', ...eventChannel(place), lastPinAt });
      await tell?.();
      return true;
    };
    return call.write(mark, { streams: streamsOf(eventChannel(place)) });
  };
  while (!(await change()));
}

function authorIn(
  call: CallContext,
  place: ChannelAccess,
  { authorId }: MessageRecord,
): Promise<MemberSummary | null> | null {
  return place.kind === 'direct' ? null : call.guilds.member(place.guildId, authorId);
}

/** @returns null if the message has changed since it was read @throws UNKNOWN_MESSAGE */
async function markPinned(
  db: Transaction,
  { id, editedAt, flags }: MessageRecord,
  pinned: boolean,
): Promise<Message | null> {
  const where = { id, pinned: !pinned, editedAt, flags };
  const [row] = await db.message.updateManyAndReturn({ where, data: { pinned } });
  if (row) return row;
  const found = await db.message.findUnique({ where: { id }, select: { id: true } });
  if (!found) throw new DomainError('UNKNOWN_MESSAGE');
  return null;
}

/** @returns a time later than all other pins of the channel, since pages use it as a cursor @throws TOO_MANY_PINS */
async function addPin(call: CallContext, db: Transaction, place: ChannelAccess, messageId: bigint): Promise<Date> {
  const { channelId } = place;
  const { lastPinAt } = await findChannel(db, place);
  if ((await db.pin.count({ where: { channelId } })) >= limits.pinsPerChannel) {
    const message = `Maximum number of pins reached for the channel (${limits.pinsPerChannel})`;
    throw new DomainError('TOO_MANY_PINS', message);
  }
  const pinnedAt = new Date(Math.max(call.clock.now(), lastPinAt === null ? 0 : lastPinAt.getTime() + 1));
  await db.pin.create({ data: { messageId, channelId, pinnedAt } });
  await db.channel.update({ where: { id: channelId }, data: { lastPinAt: pinnedAt }, select: { id: true } });
  return pinnedAt;
}

/** @throws UNKNOWN_CHANNEL if the channel was deleted or belongs to another guild */
async function findChannel(db: Transaction, place: ChannelAccess): Promise<{ lastPinAt: Date | null }> {
  const where = { id: place.channelId, guildId: guildIdOf(place) };
  const channel = await db.channel.findFirst({ where, select: { lastPinAt: true } });
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return channel;
}

async function auditPin(
  { audit }: Write,
  place: ChannelAccess,
  message: MessageRecord,
  pinned: boolean,
): Promise<void> {
  if (place.kind === 'direct') return;
  await audit({
    action: pinned ? 'MESSAGE_PIN' : 'MESSAGE_UNPIN',
    guildId: place.guildId,
    targetId: message.authorId,
    changes: { channelId: String(place.channelId), messageId: String(message.id) },
  });
}

export interface ListPinsInput {
  channelId: bigint;
  /** Only messages pinned before this. */
  before?: Date | undefined;
  /** 1 to 50. */
  limit: number;
}

interface PinnedMessage {
  pinnedAt: Date;
  message: MessageRecord;
}

interface PinPage<Item> {
  items: Item[];
  hasMore: boolean;
}

/** Newest pin first. Returns none without ReadMessageHistory. @throws the errors of `accessChannel` */
export async function listPins(call: CallContext, input: ListPinsInput): Promise<PinPage<PinnedMessage>> {
  const place = await accessChannel(call, input.channelId, 'listPins');
  const { items: page, hasMore } = await readPins(call, place, input);
  if (page.length === 0) return { items: [], hasMore };
  const ids = page.map(({ messageId }) => messageId);
  const messages = await loadMessages(call, place, { viewer: EVERYONE, id: { in: ids } });
  const byId = new Map(messages.map((message) => [message.id, message]));
  const items = page.flatMap(({ messageId, pinnedAt }) => {
    const message = byId.get(messageId);
    return message ? [{ pinnedAt, message }] : [];
  });
  return { items, hasMore };
}

/** Like {@link listPins}, without loading messages. @throws the errors of `accessChannel` */
export async function listPinnedIds(call: CallContext, input: ListPinsInput): Promise<PinPage<Pin>> {
  return readPins(call, await accessChannel(call, input.channelId, 'listPins'), input);
}

async function readPins(
  call: CallContext,
  place: ChannelAccess,
  { before, limit }: ListPinsInput,
): Promise<PinPage<Pin>> {
  if (!allows(permissionsIn(place), CHANNEL_OPERATIONS.readMessageHistory)) return { items: [], hasMore: false };
  const pins = await call.read.pin.findMany({
    where: { channelId: place.channelId, ...(before && { pinnedAt: { lt: before } }) },
    orderBy: { pinnedAt: 'desc' },
    take: limit + 1,
  });
  return { items: pins.slice(0, limit), hasMore: pins.length > limit };
}
