import { MessageType } from 'discord-api-types/v10';
import type { Attachment, Message, Prisma, User } from '../../infra/database/index.js';
import { actorIdOf, type CallContext } from '../call.js';
import { type ChannelAccess, guildIdOf } from '../channels/access.js';
import { DomainError } from '../errors.js';
import { peopleOf, storedInteraction, usersOf } from './interaction.js';
import type { MessageRecord, ReactionCount } from './record.js';
import { EVERYONE, mayShow, type Reader, type Viewer, visibleTo } from './visibility.js';

type Row = Message & { author: User; attachments: Attachment[] };

const WITH_AUTHOR_AND_FILES = { author: true, attachments: { orderBy: { id: 'asc' } } } satisfies Prisma.MessageInclude;

export interface MessageQuery {
  viewer: Viewer;
  id?: bigint | Prisma.BigIntFilter;
  /** By id. */
  order?: 'asc' | 'desc';
  take?: number;
}

export function viewerOf({ actor }: CallContext): Reader {
  return actor.kind === 'person' ? { kind: 'person', userId: actor.user.id } : EVERYONE;
}

/** Runs a constant number of queries. */
export async function loadMessages(
  call: CallContext,
  place: ChannelAccess,
  { viewer, id, order, take }: MessageQuery,
): Promise<MessageRecord[]> {
  const rows = await call.read.message.findMany({
    where: { channelId: place.channelId, id, ...visibleTo(viewer) },
    ...(order && { orderBy: { id: order } }),
    take,
    include: WITH_AUTHOR_AND_FILES,
  });
  return completeMessages(call, place, rows);
}

export async function completeMessages(call: CallContext, place: ChannelAccess, rows: Row[]): Promise<MessageRecord[]> {
  const guildId = guildIdOf(place);
  const referenced = await findReferenced(call, rows);
  const all = [...rows, ...referenced.values()];
  const [users, reactions] = await Promise.all([
    findShownUsers(call, all),
    countReactions(
      call,
      rows.map((row) => row.id),
    ),
  ]);
  const complete = (row: Row): MessageRecord => {
    const interaction = storedInteraction(row.interaction);
    return {
      ...row,
      guildId,
      mentionedUsers: idList(row.mentionUserIds).flatMap((id) => users.get(id) ?? []),
      interaction,
      interactionUsers: usersOf(interaction, users),
      reactions: reactions.get(row.id) ?? [],
    };
  };
  return rows.map((row) => {
    if (row.referenceId === null || !showsReferenced(row)) return complete(row);
    const target = referenced.get(row.referenceId);
    return { ...complete(row), referenced: target && mayShow(target, row) ? complete(target) : null };
  });
}

/** @throws UNKNOWN_MESSAGE */
export async function loadMessage(
  call: CallContext,
  place: ChannelAccess,
  id: bigint,
  viewer: Viewer = EVERYONE,
): Promise<MessageRecord> {
  const [message] = await loadMessages(call, place, { id, viewer });
  if (!message) throw new DomainError('UNKNOWN_MESSAGE');
  return message;
}

/** Loads no relations. @throws UNKNOWN_MESSAGE also for an ephemeral message */
export async function findMessage(
  call: CallContext,
  { channelId }: ChannelAccess,
  id: bigint,
): Promise<Pick<MessageRecord, 'id' | 'authorId' | 'visibleToId' | 'applicationId' | 'flags' | 'interaction'>> {
  const message = await call.read.message.findFirst({
    where: { id, channelId, ...visibleTo(EVERYONE) },
    select: { id: true, authorId: true, visibleToId: true, applicationId: true, flags: true, interaction: true },
  });
  if (!message) throw new DomainError('UNKNOWN_MESSAGE');
  return { ...message, interaction: storedInteraction(message.interaction) };
}

function idList(value: Prisma.JsonValue): bigint[] {
  return Array.isArray(value) ? value.flatMap((id) => (typeof id === 'string' ? [BigInt(id)] : [])) : [];
}

/** A pin notice refers to a message without including it (Discord's documentation, Message Resource). */
function showsReferenced({ type }: Row): boolean {
  return type !== MessageType.ChannelPinnedMessage;
}

async function findReferenced(call: CallContext, rows: Row[]): Promise<Map<bigint, Row>> {
  const ids = rows.filter(showsReferenced).flatMap((row) => row.referenceId ?? []);
  if (ids.length === 0) return new Map();
  const found = await call.read.message.findMany({ where: { id: { in: ids } }, include: WITH_AUTHOR_AND_FILES });
  return new Map(found.map((row) => [row.id, row]));
}

function findShownUsers(call: CallContext, rows: Row[]): Promise<Map<bigint, User>> {
  return findUsers(
    call,
    rows.flatMap((row) => [...idList(row.mentionUserIds), ...peopleOf(storedInteraction(row.interaction))]),
  );
}

export async function findUsers(call: CallContext, ids: readonly bigint[]): Promise<Map<bigint, User>> {
  if (ids.length === 0) return new Map();
  const found = await call.read.user.findMany({ where: { id: { in: [...new Set(ids)] } } });
  return new Map(found.map((user) => [user.id, user]));
}

/** Ordered by each emoji's first reaction. */
export async function countReactions(call: CallContext, messageIds: bigint[]): Promise<Map<bigint, ReactionCount[]>> {
  const counts = new Map<bigint, ReactionCount[]>();
  if (messageIds.length === 0) return counts;
  const groups = await call.read.reaction.groupBy({
    by: ['messageId', 'emoji'],
    where: { messageId: { in: messageIds } },
    _count: { _all: true },
    _min: { createdAt: true },
  });
  if (groups.length === 0) return counts;
  const mine = await findOwnReactions(call, [...new Set(groups.map((group) => group.messageId))]);
  const firstSeen = (group: (typeof groups)[number]) => group._min.createdAt?.getTime() ?? 0;
  for (const group of groups.sort((a, b) => firstSeen(a) - firstSeen(b))) {
    const ofMessage = counts.get(group.messageId) ?? [];
    const me = mine.has(`${group.messageId} ${group.emoji}`);
    ofMessage.push({ emoji: group.emoji, count: group._count._all, me });
    counts.set(group.messageId, ofMessage);
  }
  return counts;
}

async function findOwnReactions(call: CallContext, messageIds: bigint[]): Promise<Set<string>> {
  const userId = actorIdOf(call.actor);
  if (userId === null) return new Set();
  const own = await call.read.reaction.findMany({
    where: { messageId: { in: messageIds }, userId },
    select: { messageId: true, emoji: true },
  });
  return new Set(own.map((reaction) => `${reaction.messageId} ${reaction.emoji}`));
}
