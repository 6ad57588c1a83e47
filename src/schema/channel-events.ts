import type { BusMessage } from '../domain/bus-message.js';
import { requireUser } from '../domain/call.js';
import { neededInChannel } from '../domain/guild-operations.js';
import { accessGuildChannel } from '../domain/guilds/index.js';
import { BUS_RECONNECTED, subscribeToAll, topics, topicsOfGuild } from '../infra/bus.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseId } from './ids.js';
import { BoundedQueue } from './queue.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

/**
 * A channel's events from now on, those for the caller alone included, for as long as they are signed in and can view it. What comes after a change that may
 * take the channel out of sight waits until that is settled.
 * @throws what `accessGuildChannel` throws
 */
export async function watchChannel(context: GraphqlContext, channelId: bigint): Promise<BoundedQueue<BusMessage>> {
  const { app, call, streams } = context;
  const { user } = requireUser(call);
  const requireAccess = () => accessGuildChannel(call, channelId, 'viewChannel');
  const { guildId } = await requireAccess();
  const userId = String(user.id);
  const queue: BoundedQueue<BusMessage> = new BoundedQueue(() => {
    streams.delete(stream);
    guild.close();
    sessions.close();
  });
  const stream: Stream = {
    end: (error) => queue.end(error),
    check() {
      after(() => requireSession(context));
      after(requireAccess);
    },
  };
  streams.add(stream, userId);
  let settled = Promise.resolve();
  const after = (step: () => unknown) => {
    settled = settled.then(step).then(
      () => {},
      (error: unknown) => queue.end(error),
    );
  };
  const guild = subscribeToAll(app.bus, [...topicsOfGuild(guildId), topics.user(user.id)], (message) => {
    const isUnsure = message.type === BUS_RECONNECTED || mayTakeAway(message, userId);
    if (isUnsure) after(requireAccess);
    if (message.type !== BUS_RECONNECTED && isShown(message, channelId)) after(() => queue.push(message));
  });
  const sessions = app.bus.subscribe(topics.sessions, (message) => {
    if (mayEndSession(message, userId)) stream.check();
  });
  await Promise.all([guild.ready, sessions.ready]);
  return queue;
}

/** Whether somebody may no longer see a channel of the guild after the event. */
function mayTakeAway({ invalidates, userId }: BusMessage, watcherId: string): boolean {
  return invalidates.includes('view') || (invalidates.includes('member') && userId === watcherId);
}

/** Whether an event is one of the channel, and for everybody who can view that. */
function isShown({ channelId, audience }: BusMessage, watched: bigint): boolean {
  if (channelId !== String(watched) || !audience || audience.anyInGuild !== undefined) return false;
  return audience.inChannel === undefined || BigInt(audience.inChannel) === neededInChannel(['viewChannel']);
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
