import type { BusMessage } from '../domain/bus-message.js';
import { requireUser } from '../domain/call.js';
import { neededInChannel } from '../domain/guild-operations.js';
import { accessChannel } from '../domain/guilds/index.js';
import { STREAM_GAP } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { idOf, parseId } from './ids.js';
import type { BoundedQueue } from './queue.js';
import { watchQueue } from './watched-queue.js';

/**
 * Ends when the caller signs out or can no longer view the channel.
 * @throws what `accessChannel` throws
 */
export async function watchChannel(context: GraphqlContext, channelId: bigint): Promise<BoundedQueue<BusMessage>> {
  const { call } = context;
  const { user } = requireUser(call);
  const requireAccess = () => accessChannel(call, channelId, 'viewChannel');
  const place = await requireAccess();
  const ofGuild = place.kind === 'guild' ? [topics.guild(place.guildId)] : [];
  return watchQueue(context, {
    names: [...ofGuild, topics.user(user.id)],
    requireAccess,
    isUnsureAfter: (message) => message.type === STREAM_GAP || mayTakeAway(message, String(user.id)),
    shownOf: (message) => (isShown(message, channelId) ? message : undefined),
  });
}

/** Whether the watcher may lose access by this event. */
function mayTakeAway({ invalidates, userId }: BusMessage, watcherId: string): boolean {
  return invalidates.includes('view') || (invalidates.includes('member') && userId === watcherId);
}

/** Whether the event goes to every member who can view the channel. */
function isShown({ channelId, audience }: BusMessage, watched: bigint): boolean {
  if (channelId !== String(watched) || !audience || audience.anyInGuild !== undefined) return false;
  return audience.inChannel === undefined || BigInt(audience.inChannel) === neededInChannel(['viewChannel']);
}

/** Parses each event once for all subscribers. */
const parsedData = new WeakMap<BusMessage, object>();

function dataOf(message: BusMessage): object {
  const known = parsedData.get(message);
  if (known) return known;
  const data: object = JSON.parse(message.data);
  parsedData.set(message, data);
  return data;
}

const ChannelEvent = builder.objectRef<BusMessage>('ChannelEvent').implement({
  description: 'An event in the format of the gateway.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Name of the event, such as MESSAGE_CREATE.' }),
    data: t.field({ type: 'JSON', description: 'Payload of the event.', resolve: dataOf }),
  }),
});

builder.subscriptionField('channelEvents', (t) =>
  t.field({
    type: ChannelEvent,
    description: 'Events of a channel that all its viewers receive, until the caller can no longer view it.',
    args: { channelId: t.arg.id(idOf.channel) },
    subscribe: (_root, { channelId }, context) => watchChannel(context, parseId(channelId, 'channelId')),
    resolve: (message) => message,
  }),
);
