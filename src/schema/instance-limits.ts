import { LIMIT_KINDS, limitOf, type Refusals } from '../domain/instance-limits/index.js';
import {
  type LimitValues,
  listLimits,
  listRefusals,
  MAX_SUBJECTS,
  NewLimit,
  nameSubjects,
  type SubjectValue,
  setLimit,
} from '../domain/operators/index.js';
import { parseInput } from '../domain/parse-input.js';
import { builder, FOR_OPERATORS, inputOf } from './builder.js';
import type { GraphqlContext } from './context.js';
import { Instance } from './instance.js';
import { REASON, reasonOf } from './instance-pages.js';
import { createLoader, type Loader } from './loaders.js';

const OPERATORS_ONLY = 'Only for operators; everyone else, also moderators, gets NOT_FOUND.';

const MAX_REFUSED = 200;

const InstanceLimitKind = builder.enumType('InstanceLimitKind', {
  description: 'A limit that operators can change.',
  values: Object.fromEntries(LIMIT_KINDS.map((kind) => [kind, { description: limitOf(kind).description }])) as Record<
    (typeof LIMIT_KINDS)[number],
    { description: string }
  >,
});

const LimitSubjectKind = builder.enumType('InstanceLimitSubjectKind', {
  description: 'Kind of subject that can have a value of its own.',
  values: {
    PERSON: { description: 'A person.' },
    BOT: { description: 'A bot, also with the token of a person.' },
    ADDRESS: { description: 'A network address; of IPv6, the /64 network.' },
  },
});

function subjectNames({ call, loaders, budget }: GraphqlContext): Loader<string, string | null> {
  return loaders.get('limit subjects', () =>
    createLoader<string, string | null>((subjects) => budget.step(() => nameSubjects(call.read, subjects)), null),
  );
}

const SUBJECT = 'ID of a person or bot, or a network address.';
const SUBJECT_NAME = 'Username of the person or bot. Null for an address, and after deletion.';

const InstanceLimitValue = builder.objectRef<SubjectValue>('InstanceLimitValue').implement({
  description: 'Value of a limit for one person, bot or network address.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: SUBJECT }),
    name: t.string({
      nullable: true,
      description: SUBJECT_NAME,
      resolve: ({ subject }, _args, context) => subjectNames(context).load(subject),
    }),
    value: t.exposeInt('value', { description: 'Value.' }),
  }),
});

const InstanceLimit = builder.objectRef<LimitValues>('InstanceLimit').implement({
  description: 'A limit that operators can change for the instance and for single people, bots and addresses.',
  fields: (t) => ({
    kind: t.expose('kind', { type: InstanceLimitKind, description: 'Which limit it is.' }),
    name: t.string({ description: 'Name.', resolve: ({ kind }) => limitOf(kind).name }),
    description: t.string({
      description: 'Explanation of what counts.',
      resolve: ({ kind }) => limitOf(kind).description,
    }),
    unit: t.string({
      description: 'Text after a value, such as `MiB` or `a day`.',
      resolve: ({ kind }) => limitOf(kind).unit,
    }),
    default: t.exposeInt('default', { description: 'Value unless operators set one.' }),
    value: t.int({ description: 'Value for the instance.', resolve: (limit) => limit.set ?? limit.default }),
    isSet: t.boolean({
      description: 'Whether operators set the value for the instance.',
      resolve: ({ set }) => set !== null,
    }),
    min: t.int({ description: 'Lowest possible value.', resolve: ({ kind }) => limitOf(kind).min }),
    max: t.int({ description: 'Highest possible value.', resolve: ({ kind }) => limitOf(kind).max }),
    subjectKinds: t.field({
      type: [LimitSubjectKind],
      description: 'Kinds of subjects that can have a value of their own.',
      resolve: ({ kind }) => [...limitOf(kind).subjects],
    }),
    perSubject: t.expose('perSubject', {
      type: [InstanceLimitValue],
      description: `Values for single people, bots and addresses. All limits have at most ${MAX_SUBJECTS} of them.`,
    }),
  }),
});

const InstanceRefusals = builder.objectRef<Refusals>('InstanceRefusals').implement({
  description: 'A person, bot or network address that a limit refused in the last ten minutes.',
  fields: (t) => ({
    kind: t.expose('kind', { type: InstanceLimitKind, description: 'Limit that refused.' }),
    subject: t.exposeString('subject', { description: SUBJECT }),
    subjectName: t.string({
      nullable: true,
      description: SUBJECT_NAME,
      resolve: ({ subject }, _args, context) => subjectNames(context).load(subject),
    }),
    refusals: t.exposeInt('count', { description: 'Number of refusals without a pause of ten minutes.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Time of the first refusal.',
      resolve: ({ since }) => new Date(since),
    }),
    lastAt: t.field({
      type: 'DateTime',
      description: 'Time of the last refusal.',
      resolve: ({ lastAt }) => new Date(lastAt),
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time when the limit counts from zero again. Null for a limit of what is stored.',
      resolve: ({ until }) => (until === null ? null : new Date(until)),
    }),
  }),
});

builder.objectFields(Instance, (t) => ({
  limits: t.field({
    type: [InstanceLimit],
    description: `Limits that operators can change. ${OPERATORS_ONLY}`,
    resolve: (_instance, _args, { call, budget }) => budget.step(() => listLimits(call)),
  }),
  limited: t.field({
    type: [InstanceRefusals],
    description: `Subjects that were refused in the last ten minutes, newest first, at most ${MAX_REFUSED}. ${OPERATORS_ONLY}`,
    resolve: (_instance, _args, { call, budget }) => budget.read(MAX_REFUSED, (take) => listRefusals(call, take)),
  }),
}));

const SetLimitInput = builder.inputType('OperatorSetLimitInput', {
  description: 'A limit and its new value.',
  fields: (t) => ({
    kind: t.field({ type: InstanceLimitKind, required: true, description: 'Limit to change.' }),
    subject: t.string({
      description:
        'ID or username of a person, ID of a bot, or a network address. Null or empty for the whole instance.',
    }),
    value: t.int({
      description: 'New value. Null removes the value, so that that of the instance or the default applies.',
    }),
    reason: t.string({ required: true, description: REASON }),
  }),
});

const InstanceLimitPayload = builder.objectRef<{ limit: LimitValues }>('InstanceLimitPayload').implement({
  description: 'The limit after the change.',
  fields: (t) => ({
    limit: t.field({ type: InstanceLimit, description: 'The limit.', resolve: ({ limit }) => limit }),
  }),
});

builder.mutationField('operatorSetLimit', (t) =>
  t.field({
    ...FOR_OPERATORS,
    type: InstanceLimitPayload,
    description:
      'Sets a limit for the instance, or for one person, bot or network address. Every process applies it within a second. For operators.',
    args: { input: t.arg(inputOf(SetLimitInput)) },
    resolve: async (_root, { input }, { call }) => {
      await setLimit(call, { ...parseInput(NewLimit, input), reason: reasonOf(input) });
      const limit = (await listLimits(call)).find(({ kind }) => kind === input.kind);
      if (!limit) throw new Error(`There is no limit ${input.kind}`);
      return { limit };
    },
  }),
);
