import {
  deleteServer,
  figuresOfServer,
  getServer,
  listServers,
  type OwnedGuild,
  type ServerFigures as ServerFiguresFacts,
  transferServer,
} from '../domain/operators/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { logCost } from './audit-log.js';
import { builder, FOR_OPERATORS, type InputFields, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Instance } from './instance.js';
import { instancePage, ownerArgs, REASON, reasonOf, searchArgs } from './instance-pages.js';
import { pageArgs } from './page.js';
import { User } from './users.js';

const ServerFigures = builder.objectRef<ServerFiguresFacts>('ServerFigures').implement({
  description: 'Contents of a server, in numbers.',
  fields: (t) => ({
    messages: t.exposeInt('messages', { description: 'Number of messages.' }),
    channels: t.exposeInt('channels', { description: 'Number of channels.' }),
  }),
});

const InstanceServer = builder.objectRef<OwnedGuild>('InstanceServer').implement({
  description: 'A server on this instance, as operators see it. Servers on boxes are not among them.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: 'Name.' }),
    owner: t.expose('owner', { type: User, description: 'Person who owns the server.' }),
    memberCount: t.exposeInt('memberCount', { description: 'Number of members, with bots.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when the server was created.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    figures: t.field({
      type: ServerFigures,
      description: 'Contents of the server, in numbers.',
      resolve: ({ id }, _args, { call, budget }) => budget.step(() => figuresOfServer(call, id)),
    }),
  }),
});

const InstanceServerConnection = builder.connectionObject(
  { type: InstanceServer, name: 'InstanceServerConnection' },
  { name: 'InstanceServerEdge' },
);

builder.objectFields(Instance, (t) => ({
  servers: t.field({
    type: InstanceServerConnection,
    description: 'Servers, oldest first. Only for operators; everyone else gets NOT_FOUND.',
    args: { ...pageArgs, ...searchArgs, ...ownerArgs },
    complexity: logCost,
    resolve: (_instance, args, { call, budget }) =>
      instancePage(
        budget,
        args,
        (query) => listServers(call, query),
        ({ id }) => id,
      ),
  }),
  server: t.field({
    type: InstanceServer,
    description: 'A server. Only for operators; everyone else gets NOT_FOUND.',
    args: { id: t.arg.id(idOf.guild) },
    resolve: (_instance, { id }, { call }) => getServer(call, parseId(id, 'id')),
  }),
}));

const ofServer = (t: InputFields) => ({
  guildId: t.id(idOf.guild),
  reason: t.string({ required: true, description: REASON }),
});

const OperatorServerInput = builder.inputType('OperatorServerInput', {
  description: 'A server to act on.',
  fields: ofServer,
});
const TransferServerInput = builder.inputType('OperatorTransferServerInput', {
  description: 'A server and its new owner.',
  fields: (t) => ({
    ...ofServer(t),
    ownerId: t.id({ required: true, description: 'ID of a member, who becomes the owner.' }),
  }),
});

const InstanceServerPayload = builder.objectRef<{ server: OwnedGuild }>('InstanceServerPayload').implement({
  description: 'The server after the change.',
  fields: (t) => ({
    server: t.field({ type: InstanceServer, description: 'The server.', resolve: ({ server }) => server }),
  }),
});

const actedOn = (input: { guildId: string; reason: string }) => ({
  guildId: parseId(input.guildId, 'guildId'),
  reason: reasonOf(input),
});

builder.mutationFields((t) => ({
  operatorTransferServer: t.field({
    ...FOR_OPERATORS,
    type: InstanceServerPayload,
    description: 'Makes another member the owner of a server. For moderators.',
    args: { input: t.arg(inputOf(TransferServerInput)) },
    resolve: async (_root, { input }, { call }) => ({
      server: await transferServer(call, { ...actedOn(input), ownerId: parseId(input.ownerId, 'ownerId') }),
    }),
  }),
  operatorDeleteServer: t.field({
    ...FOR_OPERATORS,
    type: DeletedPayload,
    description: 'Deletes a server with all its channels and messages, for good. For moderators.',
    args: { input: t.arg(inputOf(OperatorServerInput)) },
    resolve: async (_root, { input }, { call }) => {
      const acted = actedOn(input);
      await deleteServer(call, acted);
      return { id: acted.guildId };
    },
  }),
}));
