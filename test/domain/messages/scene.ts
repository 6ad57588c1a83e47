import type { z } from 'zod';
import { type CallOptions, callContext } from '../../../src/context.js';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import type { CallContext, UserActor } from '../../../src/domain/call.js';
import type { ErrorCode } from '../../../src/domain/errors.js';
import { parseInput } from '../../../src/domain/input.js';
import { type MessageEdit, type NewMessage, sendMessage } from '../../../src/domain/messages/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { EditMessageBody, SendMessageBody } from '../../../src/rest-compat/message-body.js';
import { hearGuild } from '../../harness/bus.js';
import { addMember, createBot, createGuild, createPerson, permitEveryone, type TestGuild } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';

/** A guild with its owner, two people and a bot in it, and somebody outside. */
export interface Room {
  guild: TestGuild;
  channelId: bigint;
  owner: CallContext;
  ada: CallContext;
  bob: CallContext;
  bot: CallContext;
  outsider: CallContext;
  users: Record<'ada' | 'bob' | 'bot', User>;
  /** Every gateway event of the guild so far. */
  events: BusMessage[];
  /** Lets everybody in the guild do this, and nothing else. */
  permit(permissions: bigint): Promise<void>;
  /** Sends a message as ada and answers its id. */
  say(content?: string): Promise<bigint>;
}

export async function openRoom({ app }: TestServer): Promise<Room> {
  const guild = await createGuild(app);
  const [ada, bob, outsider] = await Promise.all([createPerson(app), createPerson(app), createPerson(app)]);
  const bot = await createBot(app);
  for (const user of [ada, bob, bot.user]) await addMember(app, guild.id, user);
  const as = (actor: UserActor, options?: CallOptions) => callContext(app, actor, options);
  const { events } = hearGuild({ app }, guild.id);
  const room: Room = {
    guild,
    channelId: guild.channel.id,
    owner: as({ kind: 'person', user: guild.owner }),
    ada: as({ kind: 'person', user: ada }),
    bob: as({ kind: 'person', user: bob }),
    bot: as({ kind: 'bot', user: bot.user, applicationId: bot.id, messageContentIntent: true }),
    outsider: as({ kind: 'person', user: outsider }),
    users: { ada, bob, bot: bot.user },
    events,
    async permit(permissions) {
      await permitEveryone(app, guild.id, permissions);
      events.length = 0;
    },
    say: async (content = 'hello') =>
      (await sendMessage(room.ada, { channelId: room.channelId, body: toSend({ content }) })).id,
  };
  return room;
}

/** What a bot sends as a message, and as an edit. */
export type SentBody = z.input<typeof SendMessageBody>;
export type SentEdit = z.input<typeof EditMessageBody>;

/** A body as the REST face hands it to the domain. @throws INVALID_INPUT */
export const toSend = (body: SentBody): NewMessage => parseInput(SendMessageBody, body);
export const toEdit = (body: SentEdit): MessageEdit => parseInput(EditMessageBody, body);

/** How an attempt ended: `ok`, or the code of the refusal. */
export async function outcome(attempt: Promise<unknown>): Promise<ErrorCode | 'ok'> {
  try {
    await attempt;
    return 'ok';
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.code as ErrorCode;
    throw error;
  }
}
