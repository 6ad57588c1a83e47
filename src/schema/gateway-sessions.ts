import { findOnline, listSessions, type OpenSession } from '../domain/presences/index.js';
import { Application } from './applications.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { childLists, MAX_LIST } from './lists.js';
import { createLoader } from './loaders.js';
import { callerMayWithApplication } from './own-roles.js';

const GatewaySession = builder.objectRef<OpenSession>('GatewaySession').implement({
  description: 'A connection of a bot to the gateway.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The same when the session is resumed; it is not what a client resumes with.',
    }),
    shardId: t.exposeInt('shardId'),
    shardCount: t.exposeInt('shardCount', { description: '1 where the client did not ask for shards.' }),
    intents: t.exposeInt('intents', { description: 'Bits, as the client asked for them.' }),
    connectedAt: t.expose('connectedAt', { type: 'DateTime', description: 'When it began, or was resumed last.' }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  gatewaySessions: t.field({
    type: [GatewaySession],
    description: `Those that are connected, at most ${MAX_LIST}; of the lowest shards first.`,
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
    description: 'Whether its bot is connected to the gateway, be it as invisible.',
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
