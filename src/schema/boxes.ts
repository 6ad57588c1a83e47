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
import { topics } from '../infra/bus.js';
import type { Box as BoxRow } from '../infra/database/index.js';
import { isMadeByBox } from '../infra/ids.js';
import { guildRowOf } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { Guild } from './guilds.js';
import { parseId, snowflakeId } from './ids.js';
import { initialArgs, WITH_INITIAL } from './initial.js';
import { childLists, grouped, type ListArgs, listArgs, listCost, parseList } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { PortalHome } from './portal-home.js';
import { type Watched, watchState } from './watched-state.js';

const BoxStatus = builder.enumType('BoxStatus', {
  values: ['NEVER_CONNECTED', 'CONNECTED', 'DISCONNECTED'] as const,
});

const BoxFailures = builder.objectRef<BoxStatisticsFacts['failures'][number]>('BoxFailures').implement({
  description: 'How many requests to a box the relay ended with one of the statuses that stand for a fault.',
  fields: (t) => ({
    status: t.exposeInt('status', {
      description:
        '413 for what is too long for it, 502 for an answer that cannot be used, 503 while it is away or has too much to do, 504 for no answer in time.',
    }),
    count: t.exposeInt('count'),
  }),
});

const BoxHour = builder.objectRef<BoxStatisticsFacts['hours'][number]>('BoxHour').implement({
  description: 'What happened on a box within an hour.',
  fields: (t) => ({
    startsAt: t.expose('startsAt', { type: 'DateTime' }),
    requests: t.exposeInt('requests'),
    failed: t.exposeInt('failed', {
      description:
        'Of these, how many the box did not answer. What it answers itself is answered, whatever its status.',
    }),
  }),
});

const BoxStatistics = builder.objectRef<BoxStatisticsFacts>('BoxStatistics').implement({
  description: 'What happened on a box in the present hour and the 23 before it, a few seconds behind.',
  fields: (t) => ({
    requests: t.exposeInt('requests', {
      description: 'Requests of bots and webhooks to its servers, and what the cloud asks of it for itself.',
    }),
    failures: t.field({
      type: [BoxFailures],
      description: 'Each status once, in ascending order, those that did not occur with 0.',
      resolve: ({ failures }) => failures,
    }),
    addedP50Ms: t.exposeInt('addedP50Ms', {
      nullable: true,
      description:
        'What the way to the box and back added to half of its answers at most, in milliseconds: rounded up to one of a few steps, such as 10, 15, 20, 30. Null where the box said of none how long it worked.',
    }),
    addedP95Ms: t.exposeInt('addedP95Ms', { nullable: true, description: 'The same for 95 of 100 answers.' }),
    hours: t.field({ type: [BoxHour], description: '24, oldest first.', resolve: ({ hours }) => hours }),
  }),
});

const Box = builder.objectRef<BoxRow>('Box').implement({
  description: "A Causeway that runs at its owner's and is connected to this one. Shown to its owner only.",
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    status: t.field({
      type: BoxStatus,
      resolve: async (box, _args, context) => {
        if (await isConnected(context, box)) return 'CONNECTED';
        return box.generation === 0 ? 'NEVER_CONNECTED' : 'DISCONNECTED';
      },
    }),
    guilds: t.field({
      type: [Guild],
      description: 'Oldest first, whether or not it is connected.',
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
      description: 'When it was connected last: now, while it is.',
      resolve: async (box, _args, context) =>
        (await isConnected(context, box)) ? new Date(context.call.clock.now()) : box.lastSeenAt,
    }),
    protocolVersion: t.exposeString('protocolVersion', {
      nullable: true,
      description: 'Of docs/relay.md, that its newest connection speaks; null before the first.',
    }),
    statistics: t.field({
      type: BoxStatistics,
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
  description: 'What becomes of a REST route whose target is a server on a box.',
  fields: (t) => ({
    area: t.exposeString('area', { description: 'What the route is about, such as `messages`.' }),
    method: t.exposeString('method'),
    path: t.exposeString('path'),
    outcome: t.exposeString('outcome', { description: '`works`, `501`, `404` or `204`.' }),
    note: t.exposeString('note', { nullable: true }),
  }),
});

builder.prismaObjectFields(Guild, (t) => ({
  parity: t.field({
    type: [ParityRow],
    description:
      'What works on a server on a box for bots of its cloud; empty for one of the cloud, where everything does.',
    resolve: ({ id }, _args, { app }) => (isMadeByBox(id) ? [...app.parity] : []),
  }),
}));

builder.objectFields(PortalHome, (t) => ({
  boxes: t.field({
    type: [Box],
    description: "The caller's, oldest first.",
    args: listArgs,
    complexity: listCost,
    resolve: (_home, args, context) => ownBoxes(context, args),
  }),
}));

builder.queryFields((t) => ({
  boxes: t.field({
    type: [Box],
    description: "The caller's, oldest first.",
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context) => ownBoxes(context, args),
  }),
  box: t.field({
    type: Box,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, args, { call }) => accessBox(call, parseId(args.id, 'id')),
  }),
}));

const CreateBoxInput = builder.inputType('CreateBoxInput', {
  fields: (t) => ({ name: t.string({ required: true, description: '1 to 100 characters.' }) }),
});
const RenameBoxInput = builder.inputType('RenameBoxInput', {
  fields: (t) => ({
    boxId: t.id({ required: true }),
    name: t.string({ required: true, description: '1 to 100 characters.' }),
  }),
});
const BoxIdInput = builder.inputType('BoxIdInput', { fields: (t) => ({ boxId: t.id({ required: true }) }) });

const CreateBoxPayload = builder.objectRef<BoxWithToken>('CreateBoxPayload').implement({
  fields: (t) => ({
    box: t.field({ type: Box, resolve: ({ box }) => box }),
    enrolmentToken: t.exposeString('enrolmentToken', {
      description: 'Good once, for 7 days, and never shown again.',
    }),
  }),
});
const BoxPayload = builder.objectRef<{ box: BoxRow }>('BoxPayload').implement({
  fields: (t) => ({ box: t.field({ type: Box, resolve: ({ box }) => box }) }),
});

builder.mutationFields((t) => ({
  createBox: t.field({
    type: CreateBoxPayload,
    description: 'Makes a box that the caller owns; whoever runs it enrols it with the token.',
    args: { input: t.arg({ type: CreateBoxInput, required: true }) },
    resolve: (_root, { input }, { call }) => createBox(call, parseInput(BoxSettings, input)),
  }),
  renameBox: t.field({
    type: BoxPayload,
    args: { input: t.arg({ type: RenameBoxInput, required: true }) },
    resolve: async (_root, { input: { boxId, ...input } }, { call }) => ({
      box: await renameBox(call, { boxId: parseId(boxId, 'boxId'), ...parseInput(BoxSettings, input) }),
    }),
  }),
  newEnrolmentToken: t.field({
    type: CreateBoxPayload,
    description:
      'Makes a token that enrols the box once more, such as on another machine: an earlier token is no good any more, and the key that the box has is good until this one is used.',
    args: { input: t.arg({ type: BoxIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => newEnrolmentToken(call, parseId(input.boxId, 'boxId')),
  }),
  deleteBox: t.field({
    type: DeletedPayload,
    description:
      'Ends the connection with a box for good: applications leave its servers, and webhooks to them are deleted. What is on the box stays there.',
    args: { input: t.arg({ type: BoxIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.boxId, 'boxId');
      await deleteBox(call, id);
      return { id };
    },
  }),
}));

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
    description: `The box, anew whenever it is renamed, connects, is away, or has other servers, until it is deleted. ${WITH_INITIAL}`,
    args: { boxId: t.arg.id({ required: true }), ...initialArgs },
    subscribe: (_root, { boxId, ...args }, context) => watchState(context, watchedBox(parseId(boxId, 'boxId')), args),
    resolve: (box) => box,
  }),
);
