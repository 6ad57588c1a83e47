import { expelBox, listBoxes, type OwnedBox } from '../domain/operators/index.js';
import { logCost } from './audit-log.js';
import { BoxStatus, boxStatusOf } from './boxes.js';
import { builder, FOR_OPERATORS, inputOf } from './builder.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Instance } from './instance.js';
import { instancePage, ownerArgs, REASON, reasonOf, searchArgs } from './instance-pages.js';
import { pageArgs } from './page.js';
import { User } from './users.js';

const InstanceBox = builder.objectRef<OwnedBox>('InstanceBox').implement({
  description: 'A box that connects to this instance, as operators see it.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: 'Name.' }),
    owner: t.expose('owner', { type: User, description: 'Person who owns the box.' }),
    status: t.field({
      type: BoxStatus,
      description: 'Connection state.',
      resolve: (box, _args, context) => boxStatusOf(context, box),
    }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start or end of the last connection. Null if there was none.',
    }),
    protocolVersion: t.exposeString('protocolVersion', {
      nullable: true,
      description: 'Relay protocol version of the newest connection. Null before the first one.',
    }),
    mayConnect: t.boolean({
      description: 'Whether the box has a key or an enrolment token. If not, its owner must create a token first.',
      resolve: ({ publicKey, tokenHash }) => publicKey !== null || tokenHash !== null,
    }),
    serverNames: t.stringList({
      description: 'Names of the servers on the box, oldest first.',
      resolve: ({ guilds }) => guilds.map(({ name }) => name),
    }),
  }),
});

const InstanceBoxConnection = builder.connectionObject(
  { type: InstanceBox, name: 'InstanceBoxConnection' },
  { name: 'InstanceBoxEdge' },
);

builder.objectFields(Instance, (t) => ({
  boxes: t.field({
    type: InstanceBoxConnection,
    description: 'Boxes, oldest first. Only for operators; everyone else, also moderators, gets NOT_FOUND.',
    args: { ...pageArgs, ...searchArgs, ...ownerArgs },
    complexity: logCost,
    resolve: (_instance, args, { call, budget }) =>
      instancePage(
        budget,
        args,
        (query) => listBoxes(call, query),
        ({ id }) => id,
      ),
  }),
}));

const DisconnectBoxInput = builder.inputType('OperatorDisconnectBoxInput', {
  description: 'A box to disconnect.',
  fields: (t) => ({ boxId: t.id(idOf.box), reason: t.string({ required: true, description: REASON }) }),
});

const InstanceBoxPayload = builder.objectRef<{ box: OwnedBox }>('InstanceBoxPayload').implement({
  description: 'The box after the change.',
  fields: (t) => ({ box: t.field({ type: InstanceBox, description: 'The box.', resolve: ({ box }) => box }) }),
});

builder.mutationField('operatorDisconnectBox', (t) =>
  t.field({
    ...FOR_OPERATORS,
    type: InstanceBoxPayload,
    description: 'Disconnects a box until its owner enrols it again with a new enrolment token. For operators.',
    args: { input: t.arg(inputOf(DisconnectBoxInput)) },
    resolve: async (_root, { input }, { call }) => ({
      box: await expelBox(call, { boxId: parseId(input.boxId, 'boxId'), reason: reasonOf(input) }),
    }),
  }),
);
