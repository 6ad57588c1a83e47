import {
  accessBox,
  addedOfBoxes,
  BoxSettings,
  type BoxStatistics as BoxStatisticsFacts,
  type BoxWithToken,
  createBox,
  deleteBox,
  hoursOfBoxes,
  livingProcesses,
  newEnrolmentToken,
  type ParityRow as ParityRowFacts,
  ROWS_PER_BOX,
  renameBox,
  statisticsOf,
  visibleBoxes,
} from '../domain/boxes/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Box as BoxRow } from '../infra/database/index.js';
import { isMadeByBox } from '../infra/ids/ids.js';
import { topics } from '../infra/streams/topics.js';
import { builder, inputOf } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { guildRowOf } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { initialArgs, WITH_INITIAL } from './initial.js';
import { childLists, grouped, type ListArgs, listArgs, listCost, parseList } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { PortalHome } from './portal-home.js';
import { type Watched, watchState } from './watched-state.js';

export const BoxStatus = builder.enumType('BoxStatus', {
  description: 'Connection state of a box.',
  values: {
    NEVER_CONNECTED: { description: 'The box has never connected.' },
    CONNECTED: { description: 'The box is online.' },
    DISCONNECTED: { description: 'The box is offline.' },
  },
});

const BoxFailures = builder.objectRef<BoxStatisticsFacts['failures'][number]>('BoxFailures').implement({
  description: 'Number of requests to a box that failed with one HTTP status.',
  fields: (t) => ({
    status: t.exposeInt('status', {
      description:
        'HTTP status: 413 request too long, 502 invalid answer, 503 box offline or overloaded, 504 no answer in time.',
    }),
    count: t.exposeInt('count', { description: 'Number of requests with this status.' }),
  }),
});

const BoxHour = builder.objectRef<BoxStatisticsFacts['hours'][number]>('BoxHour').implement({
  description: 'Requests to a box within one hour.',
  fields: (t) => ({
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'Start of the hour.' }),
    requests: t.exposeInt('requests', { description: 'Number of requests.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of these requests without an answer from the box. Its own error answers do not count.',
    }),
  }),
});

const BoxStatistics = builder.objectRef<BoxStatisticsFacts>('BoxStatistics').implement({
  description: 'Requests to a box in the current hour and the 23 hours before it, delayed by a few seconds.',
  fields: (t) => ({
    requests: t.exposeInt('requests', {
      description: 'Number of requests, from bots, webhooks and the cloud itself.',
    }),
    failures: t.field({
      type: [BoxFailures],
      description: 'Failures by status, in ascending order, including zeros.',
      resolve: ({ failures }) => failures,
    }),
    addedP50Ms: t.exposeInt('addedP50Ms', {
      nullable: true,
      description:
        'Median time that the relay added, in milliseconds, rounded up to a step such as 10, 15 or 20. ' +
        'Null if not measured.',
    }),
    addedP95Ms: t.exposeInt('addedP95Ms', {
      nullable: true,
      description: '95th percentile of the same time. Null if not measured.',
    }),
    hours: t.field({ type: [BoxHour], description: 'The 24 hours, oldest first.', resolve: ({ hours }) => hours }),
  }),
});

const NAME = '1–100 characters.';

const Box = builder.objectRef<BoxRow>('Box').implement({
  description: 'A self-hosted Causeway instance that connects to this one. Visible only to its owner.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: NAME }),
    status: t.field({
      type: BoxStatus,
      description: 'Connection state.',
      resolve: (box, _args, context) => boxStatusOf(context, box),
    }),
    guilds: t.field({
      type: [Guild],
      description: 'Servers on the box, oldest first, even while it is offline.',
      args: listArgs,
      complexity: listCost,
      resolve: async ({ id }, args, context, info) => {
        const { most, after } = parseList(args);
        const guilds = await childLists(context, info, {
          most,
          read: (boxIds, take) =>
            context.call.read.boxGuild.findMany({
              where: { boxId: { in: boxIds }, id: { gt: after } },
              orderBy: { id: 'asc' },
              take,
            }),
          parentOf: (guild) => guild.boxId,
        }).load(id);
        return guilds.map(guildRowOf);
      },
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last connection, or the current time while it is online. Null if there was none.',
      resolve: async (box, _args, context) =>
        (await isConnected(context, box)) ? new Date(context.call.clock.now()) : box.lastSeenAt,
    }),
    protocolVersion: t.exposeString('protocolVersion', {
      nullable: true,
      description: 'Relay protocol version of the newest connection. Null before the first one.',
    }),
    statistics: t.field({
      type: BoxStatistics,
      description: 'Requests in the last 24 hours.',
      resolve: ({ id }, _args, context) => statisticsLoader(context).load(id),
    }),
  }),
});

/** Whether a live process holds the connection. */
async function isConnected({ call, loaders, budget }: GraphqlContext, { holderId }: BoxRow): Promise<boolean> {
  if (holderId === null) return false;
  const living = loaders.get('living processes', () =>
    createLoader<string, boolean>(async (ids) => {
      const found = await budget.step(() => livingProcesses(call.read, ids, call.live.now()));
      return new Map([...found].map((id) => [id, true]));
    }, false),
  );
  return living.load(holderId);
}

function statisticsLoader({ call, loaders, budget }: GraphqlContext): Loader<bigint, BoxStatisticsFacts> {
  return loaders.get('statistics of boxes', () => {
    const now = call.clock.now();
    const readBoth = (ids: bigint[]) =>
      Promise.all([
        budget.read(ids.length * ROWS_PER_BOX.hours, (take) => hoursOfBoxes(call.read, ids, now, take)),
        budget.read(ids.length * ROWS_PER_BOX.added, (take) => addedOfBoxes(call.read, ids, now, take)),
      ]);
    return createLoader<bigint, BoxStatisticsFacts>(
      async (ids) => {
        const [hours, added] = await readBoth(ids);
        const hoursOf = grouped(hours, ROWS_PER_BOX.hours, ({ boxId }) => boxId);
        const addedOf = grouped(added, ROWS_PER_BOX.added, ({ boxId }) => boxId);
        return new Map(ids.map((id) => [id, statisticsOf(hoursOf.get(id) ?? [], addedOf.get(id) ?? [], now)]));
      },
      statisticsOf([], [], now),
    );
  });
}

function ownBoxes({ call, budget }: GraphqlContext, args: ListArgs): Promise<BoxRow[]> {
  const { most, after } = parseList(args);
  const where = { ...visibleBoxes(call), id: { gt: after } };
  return budget.read(most, (take) => call.read.box.findMany({ where, orderBy: { id: 'asc' }, take }));
}

const ParityRow = builder.objectRef<ParityRowFacts>('ParityRow').implement({
  description: 'Behavior of a REST route for a server on a box.',
  fields: (t) => ({
    area: t.exposeString('area', { description: 'Subject of the route, such as `messages`.' }),
    method: t.exposeString('method', { description: 'HTTP method.' }),
    path: t.exposeString('path', { description: 'Path after the base URL, with parameters as `:name`.' }),
    outcome: t.exposeString('outcome', { description: '`works`, or the HTTP status `501`, `404` or `204`.' }),
    note: t.exposeString('note', { nullable: true, description: 'Explanation of the outcome. Null if there is none.' }),
  }),
});

builder.prismaObjectFields(Guild, (t) => ({
  parity: t.field({
    type: [ParityRow],
    description: 'Behavior of REST routes for bots of the cloud in a server on a box. Empty for a server of the cloud.',
    resolve: ({ id }, _args, { app }) => (isMadeByBox(id) ? [...app.parity] : []),
  }),
}));

builder.objectFields(PortalHome, (t) => ({
  boxes: t.field({
    type: [Box],
    description: 'Boxes of the caller, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_home, args, context) => ownBoxes(context, args),
  }),
}));

builder.queryFields((t) => ({
  boxes: t.field({
    type: [Box],
    description: 'Boxes of the caller, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context) => ownBoxes(context, args),
  }),
  box: t.field({
    type: Box,
    nullable: true,
    description: 'A box of the caller.',
    args: { id: t.arg.id(idOf.box) },
    resolve: (_root, args, { call }) => accessBox(call, parseId(args.id, 'id')),
  }),
}));

const CreateBoxInput = builder.inputType('CreateBoxInput', {
  description: 'A new box.',
  fields: (t) => ({ name: t.string({ required: true, description: NAME }) }),
});
const RenameBoxInput = builder.inputType('RenameBoxInput', {
  description: 'New name of a box.',
  fields: (t) => ({
    boxId: t.id(idOf.box),
    name: t.string({ required: true, description: NAME }),
  }),
});
const BoxIdInput = builder.inputType('BoxIdInput', {
  description: 'Identifies a box.',
  fields: (t) => ({ boxId: t.id(idOf.box) }),
});

const CreateBoxPayload = builder.objectRef<BoxWithToken>('CreateBoxPayload').implement({
  description: 'A box with a new enrolment token.',
  fields: (t) => ({
    box: t.field({ type: Box, description: 'The box.', resolve: ({ box }) => box }),
    enrolmentToken: t.exposeString('enrolmentToken', {
      description: 'Token that connects the box. It works once, within 7 days. Shown only once.',
    }),
  }),
});
const BoxPayload = builder.objectRef<{ box: BoxRow }>('BoxPayload').implement({
  description: 'The affected box.',
  fields: (t) => ({
    box: t.field({ type: Box, description: 'The box after the change.', resolve: ({ box }) => box }),
  }),
});

builder.mutationFields((t) => ({
  createBox: t.field({
    type: CreateBoxPayload,
    description: 'Creates a box that the caller owns. Start the box with the returned token to connect it.',
    args: { input: t.arg(inputOf(CreateBoxInput)) },
    resolve: (_root, { input }, { call }) => createBox(call, parseInput(BoxSettings, input)),
  }),
  renameBox: t.field({
    type: BoxPayload,
    description: 'Renames a box of the caller.',
    args: { input: t.arg(inputOf(RenameBoxInput)) },
    resolve: async (_root, { input: { boxId, ...input } }, { call }) => ({
      box: await renameBox(call, { boxId: parseId(boxId, 'boxId'), ...parseInput(BoxSettings, input) }),
    }),
  }),
  newEnrolmentToken: t.field({
    type: CreateBoxPayload,
    description:
      'Creates a token to connect a box of the caller again, such as from another machine. ' +
      'An earlier token stops working. The key of the box works until the new token is used.',
    args: { input: t.arg(inputOf(BoxIdInput)) },
    resolve: (_root, { input }, { call }) => newEnrolmentToken(call, parseId(input.boxId, 'boxId')),
  }),
  deleteBox: t.field({
    type: DeletedPayload,
    description:
      'Disconnects a box of the caller for good: applications leave its servers, and webhooks to them are deleted. ' +
      'Data on the box stays.',
    args: { input: t.arg(inputOf(BoxIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.boxId, 'boxId');
      await deleteBox(call, id);
      return { id };
    },
  }),
}));

export async function boxStatusOf(context: GraphqlContext, box: BoxRow) {
  if (await isConnected(context, box)) return 'CONNECTED';
  return box.generation === 0 ? 'NEVER_CONNECTED' : 'DISCONNECTED';
}

function watchedBox(id: bigint): Watched<BoxRow> {
  return {
    key: topics.box(id),
    read: ({ call }) => accessBox(call, id),
    topicsOf: () => [topics.box(id)],
  };
}

builder.subscriptionField('boxChanged', (t) =>
  t.field({
    type: Box,
    description: `The box after each change of its name, connection or servers, until it is deleted. ${WITH_INITIAL}`,
    args: { boxId: t.arg.id(idOf.box), ...initialArgs },
    subscribe: (_root, { boxId, ...args }, context) => watchState(context, watchedBox(parseId(boxId, 'boxId')), args),
    resolve: (box) => box,
  }),
);
