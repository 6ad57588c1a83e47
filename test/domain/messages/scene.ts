import type { z } from 'zod';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import type { CallContext } from '../../../src/domain/call.js';
import { addReaction, type MessageEdit, sendMessage } from '../../../src/domain/messages/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import type { User } from '../../../src/infra/database/index.js';
import { EditMessageBody } from '../../../src/rest-compat/message-body.js';
import { hearGuild } from '../../harness/bus.js';
import { createPerson, permitEveryone } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createGuild, type TestGuild, toSend } from '../../harness/world.js';

export interface Room {
  guild: TestGuild;
  channelId: bigint;
  owner: CallContext;
  ada: CallContext;
  bob: CallContext;
  bot: CallContext;
  outsider: CallContext;
  users: Record<'ada' | 'bob' | 'bot', User>;
  events: BusMessage[];
  /** Sets the permissions of `@everyone`, and clears the events. */
  permit(permissions: bigint): Promise<void>;
  say(content?: string): Promise<bigint>;
  /** Sends a message as ada, reacts to it with 👍 as ada, and returns its id. */
  sayAndReact(): Promise<bigint>;
}

export async function openRoom({ app }: TestServer): Promise<Room> {
  const guild = await createGuild(app);
  const [ada, bob, outsider] = await Promise.all([createPerson(app), createPerson(app), createPerson(app)]);
  const bot = await createBot(app);
  for (const user of [ada, bob, bot.user]) await addMember(app, guild.id, user);
  const as = (user: User) => callOf(app, user);
  const { events } = hearGuild({ app }, guild.id);
  const room: Room = {
    guild,
    channelId: guild.channel.id,
    owner: as(guild.owner),
    ada: as(ada),
    bob: as(bob),
    bot: as(bot.user),
    outsider: as(outsider),
    users: { ada, bob, bot: bot.user },
    events,
    async permit(permissions) {
      await permitEveryone(app, guild.id, permissions);
      events.length = 0;
    },
    say: async (content = 'hello') =>
      (await sendMessage(room.ada, { channelId: room.channelId, body: toSend({ content }) })).id,
    async sayAndReact() {
      const messageId = await room.say();
      await addReaction(room.ada, { channelId: room.channelId, messageId, emoji: '👍' });
      return messageId;
    },
  };
  return room;
}

export type SentEdit = z.input<typeof EditMessageBody>;

/** Parses a body as the REST API does. @throws INVALID_INPUT */
export const toEdit = (body: SentEdit): MessageEdit => parseInput(EditMessageBody, body);
