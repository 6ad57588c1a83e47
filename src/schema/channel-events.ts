import { requireUser } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { accessGuildChannel } from '../domain/guilds/index.js';
import { BUS_RECONNECTED, type BusMessage, topics } from '../infra/bus.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseId } from './ids.js';
import { BoundedQueue } from './queue.js';
import type { Stream } from './streams.js';

/** Events of a channel that everybody who can view it is told of. */
const SHOWN = new Set([
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
  'MESSAGE_DELETE_BULK',
  'MESSAGE_REACTION_ADD',
  'MESSAGE_REACTION_REMOVE',
  'MESSAGE_REACTION_REMOVE_ALL',
  'MESSAGE_REACTION_REMOVE_EMOJI',
  'TYPING_START',
  'CHANNEL_UPDATE',
  'CHANNEL_PINS_UPDATE',
]);

/** Events after which somebody may no longer see a channel of the guild. */
const ACCESS_CHANGES = new Set([
  BUS_RECONNECTED,
  'CHANNEL_UPDATE',
  'CHANNEL_DELETE',
  'GUILD_UPDATE',
  'GUILD_DELETE',
  'GUILD_ROLE_UPDATE',
  'GUILD_ROLE_DELETE',
]);
const MEMBER_CHANGES = new Set(['GUILD_MEMBER_UPDATE', 'GUILD_MEMBER_REMOVE']);

/**
 * A channel's events from now on, for as long as the caller is signed in and can view it. What comes after a change that may
 * take the channel out of sight waits until that is settled.
 * @throws what `accessGuildChannel` throws
 */
export async function watchChannel(context: GraphqlContext, channelId: bigint): Promise<BoundedQueue<BusMessage>> {
  const { app, call, streams } = context;
  const { user } = requireUser(call);
  const { guildId } = await accessGuildChannel(call, channelId);
  const userId = String(user.id);
  const queue: BoundedQueue<BusMessage> = new BoundedQueue(() => {
    streams.delete(stream);
    guild.close();
    sessions.close();
  });
  const stream: Stream = {
    end: (error) => queue.end(error),
    checkSession: () => after(() => requireSession(context)),
  };
  streams.add(stream, userId);
  let settled = Promise.resolve();
  const after = (step: () => unknown) => {
    settled = settled.then(step).then(
      () => {},
      (error: unknown) => queue.end(error),
    );
  };
  const guild = app.bus.subscribe(topics.guild(guildId), (message) => {
    const isAboutMe = message.userId === userId;
    if (ACCESS_CHANGES.has(message.type) || (isAboutMe && MEMBER_CHANGES.has(message.type))) {
      after(() => accessGuildChannel(call, channelId));
    }
    if (message.channelId === String(channelId) && SHOWN.has(message.type)) after(() => queue.push(message));
  });
  const sessions = app.bus.subscribe(topics.sessions, (message) => {
    if (message.userId === userId || message.type === BUS_RECONNECTED) stream.checkSession();
  });
  await Promise.all([guild.ready, sessions.ready]);
  return queue;
}

async function requireSession({ isStillSignedIn }: GraphqlContext): Promise<void> {
  if (!(await isStillSignedIn())) throw new DomainError('UNAUTHENTICATED', 'You have signed out.');
}

/** Each event's data, parsed once for all who are shown it. */
const parsedData = new WeakMap<BusMessage, object>();

function dataOf(message: BusMessage): object {
  const known = parsedData.get(message);
  if (known) return known;
  const data: object = JSON.parse(message.data);
  parsedData.set(message, data);
  return data;
}

const ChannelEvent = builder.objectRef<BusMessage>('ChannelEvent').implement({
  description: 'An event as the gateway would send it.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Such as MESSAGE_CREATE.' }),
    data: t.field({ type: 'JSON', resolve: dataOf }),
  }),
});

builder.subscriptionField('channelEvents', (t) =>
  t.field({
    type: ChannelEvent,
    description: 'Ends when the caller can no longer view the channel.',
    args: { channelId: t.arg.id({ required: true }) },
    subscribe: (_root, { channelId }, context) => watchChannel(context, parseId(channelId, 'channelId')),
    resolve: (message) => message,
  }),
);
