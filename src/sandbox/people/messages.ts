import { type APIMessage, MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { type CallContext, requirePerson } from '../../domain/call.js';
import { accessChannel } from '../../domain/guilds/index.js';
import {
  editMessage,
  loadMessage,
  type MessageRecord,
  messageContent,
  sendMessage,
  viewerOf,
  visibleTo,
} from '../../domain/messages/index.js';
import { topics } from '../../infra/streams/topics.js';
import { renderMessage } from '../../wire/messages.js';
import { notFound, SandboxError } from '../errors.js';
import { until } from '../waiting.js';
import type { World } from '../worlds/world.js';
import { receive, TestFile, UPLOADS_PER_CALL } from './files.js';
import { Id, idOf } from './ids.js';

export const NewTestMessage = z.strictObject({
  channel: z.string(),
  content: messageContent.optional(),
  replyTo: Id.optional().describe('The id of a message in the channel.'),
  files: z.array(TestFile).max(UPLOADS_PER_CALL).default([]),
});

export const TestEdit = z.strictObject({
  channel: z.string(),
  message: Id,
  content: messageContent,
});

/** @throws the refusals of `sendMessage` */
export async function send(
  world: World,
  call: CallContext,
  { channel, content, replyTo, files }: z.output<typeof NewTestMessage>,
): Promise<APIMessage> {
  const { id, guildId } = await world.channel(channel);
  const reference = replyTo === undefined ? undefined : { messageId: idOf(replyTo), failIfNotExists: undefined };
  const received = await receive(call, files);
  const body = { content, reference };
  return shown(world, guildId, await sendMessage(call, { channelId: id, body, files: received }));
}

/** @throws the refusals of `editMessage` */
export async function edit(
  world: World,
  call: CallContext,
  { channel, message, content }: z.output<typeof TestEdit>,
): Promise<APIMessage> {
  const { id, guildId } = await world.channel(channel);
  return shown(world, guildId, await editMessage(call, { channelId: id, messageId: idOf(message), body: { content } }));
}

/** Deferred answers that a wait skips. */
const LOOKED_AT = 50;

export interface MessageWait {
  channel: string;
  /** Only later messages. */
  after: bigint;
  /** `bots`, `anyone`, or the name of a person or an application. */
  from: string;
}

/**
 * The first later message that the caller can see.
 * @param withinMs in real time
 * @throws SandboxError NO_MESSAGE
 */
export async function nextMessage(
  world: World,
  call: CallContext,
  { channel, after, from }: MessageWait,
  withinMs: number,
): Promise<APIMessage> {
  const { id, guildId } = await world.channel(channel);
  const place = await accessChannel(call, id, 'viewChannel');
  const author = authorOf(world, guildId, from);
  const look = async () => {
    const rows = await call.read.message.findMany({
      where: { channelId: id, id: { gt: after }, ...author, ...visibleTo(viewerOf(call)) },
      orderBy: { id: 'asc' },
      select: { id: true, flags: true },
      take: LOOKED_AT,
    });
    // A deferred answer becomes a message when the bot completes it.
    const next = rows.find(({ flags }) => (flags & MessageFlags.Loading) === 0);
    return next ? loadMessage(call, place, next.id, viewerOf(call)) : null;
  };
  const found = await until(call, topicsOf(call, guildId), withinMs, look);
  if (found) return shown(world, guildId, found);
  throw new SandboxError(504, 'NO_MESSAGE', `No message from ${from} came in ${channel} within ${withinMs} ms.`);
}

/**
 * Waits until a message was edited.
 * @param since its `edited_timestamp` so far
 * @throws SandboxError NO_EDIT, UNKNOWN_MESSAGE after its deletion
 */
export async function nextEdit(
  world: World,
  call: CallContext,
  { channel, message, since }: { channel: string; message: string; since: string | null },
  withinMs: number,
): Promise<APIMessage> {
  const { id, guildId } = await world.channel(channel);
  const place = await accessChannel(call, id, 'viewChannel');
  const look = async () => {
    const found = shown(world, guildId, await loadMessage(call, place, idOf(message), viewerOf(call)));
    return found.edited_timestamp === since ? null : found;
  };
  const found = await until(call, topicsOf(call, guildId), withinMs, look);
  if (found) return found;
  throw new SandboxError(504, 'NO_EDIT', `The message ${message} was not edited within ${withinMs} ms.`);
}

/** Ephemeral and direct messages are published to their user. */
function topicsOf(call: CallContext, guildId: bigint | null): string[] {
  const own = topics.user(requirePerson(call).user.id);
  return guildId === null ? [own] : [topics.guild(guildId), own];
}

function authorOf(world: World, guildId: bigint | null, from: string) {
  if (from === 'anyone') return {};
  if (from === 'bots') return { author: { bot: true } };
  const users = [...world.at(guildId).people.values(), ...world.applications];
  const found = users.find(({ name, id }) => name === from || String(id) === from);
  if (!found) throw notFound('user', from, ['bots', 'anyone', ...users.map(({ name }) => name)]);
  return { authorId: found.id };
}

function shown(world: World, guildId: bigint | null, message: MessageRecord): APIMessage {
  return renderMessage(message, world.at(guildId).app.addresses);
}
