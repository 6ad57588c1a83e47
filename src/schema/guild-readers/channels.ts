import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { isAllowed } from '../../domain/errors.js';
import { accessChannel } from '../../domain/guilds/index.js';
import type { Channel as ChannelRow } from '../../infra/database/index.js';
import type { GraphqlContext } from '../context.js';
import { referredRows } from '../lists.js';

export function canViewChannel({ call, budget }: GraphqlContext, channelId: bigint): Promise<boolean> {
  return isAllowed(() => budget.step(() => accessChannel(call, channelId, 'viewChannel')));
}

/** Null also if the caller cannot view it. */
export async function visibleChannel(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: bigint,
): Promise<ChannelRow | null> {
  return (await canViewChannel(context, id)) ? referredChannel(context, info, id) : null;
}

/** Batched. Null if there is no such channel. */
export function referredChannel(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: bigint,
): Promise<ChannelRow | null> {
  const query = queryFromInfo({ context, info });
  return referredRows(context, info, (ids) =>
    context.call.read.channel.findMany({ ...query, where: { id: { in: ids } } }),
  ).load(id);
}
