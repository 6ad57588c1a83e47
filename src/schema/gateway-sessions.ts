import { findOnline, listSessions, type OpenSession } from '../domain/presences/index.js';
import { Application } from './applications.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { childLists, MAX_LIST } from './lists.js';
import { createLoader } from './loaders.js';
import { callerMayWithApplication } from './own-roles.js';

const GatewaySession = builder.objectRef<OpenSession>('GatewaySession').implement({
  description: 'A gateway session of a bot.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Stays the same when the session resumes. A client cannot resume with it.',
    }),
    shardId: t.exposeInt('shardId', { description: 'Number of the shard, starting at 0.' }),
    shardCount: t.exposeInt('shardCount', { description: 'Number of shards; 1 without sharding.' }),
    intents: t.exposeInt('intents', { description: 'Gateway intents that the client requested, as bits.' }),
    connectedAt: t.expose('connectedAt', {
      type: 'DateTime',
      description: 'Time when the session started or was last resumed.',
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  gatewaySessions: t.field({
    type: [GatewaySession],
    description: `Connected sessions, sorted by shard, at most ${MAX_LIST}. Empty for callers without a role.`,
    resolve: async (application, _args, context, info) => {
      if (!(await callerMayWithApplication(context, application, 'view'))) return [];
      return childLists(context, info, {
        most: MAX_LIST,
        read: (applicationIds, take) => listSessions(context.call, applicationIds, take),
        parentOf: ({ applicationId }) => applicationId,
      }).load(application.id);
    },
  }),
  botOnline: t.boolean({
    description: 'Whether the bot is connected to the gateway, even if it is invisible.',
    resolve: ({ id }, _args, context) => isOnline(context, id),
  }),
}));

function isOnline({ call, loaders, budget }: GraphqlContext, botId: bigint): Promise<boolean> {
  const make = () =>
    createLoader<bigint, boolean>(async (ids) => {
      const online = await budget.step(() => findOnline(call, ids));
      return new Map(online.map((id) => [id, true]));
    }, false);
  return loaders.get('online bots', make).load(botId);
}
