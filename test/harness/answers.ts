import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { accessChannel } from '../../src/domain/guilds/index.js';
import {
  type MessageInteraction,
  type MessageRecord,
  type Post,
  postMessage,
} from '../../src/domain/messages/index.js';
import type { Server } from '../../src/server.js';
import { callOf, type SentBody, type TestBot, toSend } from './world.js';

type App = Server['app'];

export function commandOf(
  app: App,
  userId: bigint | string,
  facts: Partial<MessageInteraction> = {},
): MessageInteraction {
  return { id: String(app.nextId()), type: 2, name: 'greet', userId: String(userId), owners: {}, ...facts };
}

export async function answer(
  app: App,
  bot: Pick<TestBot, 'id' | 'user'>,
  channelId: bigint,
  { body = { content: 'an answer' }, ...more }: Partial<Omit<Post, 'body'>> & { body?: SentBody } = {},
): Promise<MessageRecord> {
  const call = callOf(app, bot.user);
  const place = await accessChannel(call, channelId, 'viewChannel');
  const from = { author: bot.user, place, applicationId: bot.id, kind: MessageType.ChatInputCommand, files: [] };
  return postMessage(call, { ...from, body: toSend(body), ...more });
}

export function whisper(
  app: App,
  bot: Pick<TestBot, 'id' | 'user'>,
  channelId: bigint,
  personId: bigint,
  { body = { content: 'a whisper' }, ...more }: Parameters<typeof answer>[3] = {},
): Promise<MessageRecord> {
  const flags = (body.flags ?? 0) | MessageFlags.Ephemeral;
  return answer(app, bot, channelId, { body: { ...body, flags }, visibleToId: personId, ...more });
}
