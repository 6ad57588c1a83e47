import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { type InvokedBuiltIn, invokeBuiltIn } from '../domain/built-in-commands/index.js';
import { DomainError } from '../domain/errors.js';
import { plainText } from '../domain/input.js';
import {
  accessInteraction,
  autocompleteCommand,
  ChosenValues,
  failureAt,
  InvokedOptions,
  invokeCommand,
  listInteractions,
  requireInvoking,
  requireSubmitting,
  SubmittedComponents,
  stateAt,
  submitModal,
  useComponent,
} from '../domain/interactions/index.js';
import { AUTOCOMPLETIONS_PER_PERSON, INVOCATIONS_PER_PERSON } from '../domain/limits.js';
import { viewerOf, visibleTo } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { PLATFORM_ID } from '../domain/platform/index.js';
import { takeAsCaller } from '../domain/rate-limits.js';
import type { Interaction as InteractionRow, InteractionStep as InteractionStepRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { idOrNull } from '../wire/id.js';
import { Application, referredApplication } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { Channel, viewableChannel } from './channels.js';
import type { GraphqlContext } from './context.js';
import type { Upload } from './forms.js';
import { canViewChannel } from './guild-readers/index.js';
import { idOf, parseId, parseOptionalId, snowflakeId } from './ids.js';
import { watchInteraction, watchInteractions } from './interaction-updates.js';
import { childLists, referredRows } from './lists.js';
import { Message } from './messages.js';
import { callerMayWithApplication } from './own-roles.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { receiveFiles, requireDistinct } from './uploads.js';

const InteractionState = builder.enumType('InteractionState', {
  description: 'State of an interaction.',
  values: {
    DELIVERING: { description: 'It is being sent to the application.' },
    DELIVERED_HTTP: { description: 'The endpoint received it and has 3 seconds to answer.' },
    DELIVERED_GATEWAY: { description: 'A gateway session received it and has 3 seconds to answer.' },
    DEFERRED: { description: 'The application will answer later, within 15 minutes of the interaction.' },
    ANSWERED: { description: 'The application answered.' },
    FAILED: { description: 'It could not be delivered, or no valid answer came in time.' },
    EXPIRED: { description: 'The application deferred the answer and did not send it in time.' },
  },
});

const InteractionStep = builder.objectRef<InteractionStepRow>('InteractionStep').implement({
  description: 'A step in the processing of an interaction.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'Kind of step: HTTP, GATEWAY, CALLBACK, REFUSED, FOLLOW_UP, EDIT, DELETE, FAILED or EXPIRED.',
    }),
    at: t.field({
      type: 'DateTime',
      description: 'Time of the step.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'HTTP status from the endpoint. Null if there was no response.',
    }),
    durationMs: t.exposeInt('durationMs', {
      nullable: true,
      description: 'Duration of the request in milliseconds. Null if none was sent.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason for the failure. Null if the step succeeded.',
    }),
    request: t.exposeString('request', {
      nullable: true,
      description: 'Sent request without its token, truncated. Null if not recorded.',
    }),
    response: t.exposeString('response', {
      nullable: true,
      description: 'Received response, truncated. Null if not recorded.',
    }),
  }),
});

/** Shown to users without a role in the application. */
const NO_ANSWER = 'The application did not answer.';

const MAX_STEPS = 100;

export const Interaction = builder.prismaObject('Interaction', {
  description:
    'Use of a command, component or modal by a person. ' +
    'It is visible to that person and to callers with a role in the application, for seven days.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      nullable: true,
      description: 'Application that receives it. Null for a built-in command.',
      resolve: ({ applicationId }, _args, context, info) =>
        applicationId === PLATFORM_ID ? null : referredApplication(context, info, applicationId),
    }),
    user: t.relation('user', { description: 'Person who triggered it.' }),
    type: t.exposeInt('type', { description: "Discord's interaction type." }),
    name: t.exposeString('name', { description: 'Name of the command, or custom ID of the component or modal.' }),
    commandId: t.id({
      nullable: true,
      description: 'ID of the command. Null for a component or modal.',
      resolve: ({ commandId }) => idOrNull(commandId),
    }),
    channel: t.field({
      type: Channel,
      nullable: true,
      description: 'Channel in which it was triggered. Null if the caller cannot see it.',
      resolve: ({ channelId }, _args, context, info) => viewableChannel(context, info, channelId),
    }),
    state: t.field({
      type: InteractionState,
      description: 'Current state.',
      resolve: (row, _args, { app }) => stateAt(row, app.clock.now()),
    }),
    message: t.field({
      type: Message,
      nullable: true,
      description: 'First answer. Null if there is none, or the caller cannot see it.',
      resolve: async ({ originalMessageId: id, channelId }, _args, context, info) => {
        if (id === null || !(await canViewChannel(context, channelId))) return null;
        const query = queryFromInfo({ context, info });
        return referredRows(context, info, (ids) =>
          context.call.read.message.findMany({
            ...query,
            where: { id: { in: ids }, ...visibleTo(viewerOf(context.call)) },
          }),
        ).load(id);
      },
    }),
    modal: t.field({
      type: 'JSON',
      nullable: true,
      description:
        "Modal to fill in, in the format of Discord's API. Null after it was submitted, and for other callers.",
      resolve: (row, _args, { call: { actor } }) =>
        actor.kind === 'person' && actor.user.id === row.userId ? row.modal : null,
    }),
    failure: t.string({
      nullable: true,
      description: 'Reason for the failure, or null. Callers without a role in the application get no details.',
      resolve: async (row, _args, context, info) => {
        const failure = failureAt(row, context.app.clock.now());
        return failure === null || (await developsIt(context, info, row)) ? failure : NO_ANSWER;
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when it was triggered.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    durationMs: t.exposeInt('httpMs', {
      nullable: true,
      description: 'Response time of the endpoint in milliseconds. Null if it was not called.',
    }),
    fellBack: t.exposeBoolean('fellBack', {
      description: 'Whether the endpoint failed and the interaction went to the gateway.',
    }),
  }),
});

builder.prismaObjectFields(Interaction, (t) => ({
  trace: t.field({
    type: [InteractionStep],
    description: `Processing steps in order, at most ${MAX_STEPS}. Empty for callers without a role in the application.`,
    resolve: async ({ id, applicationId }, _args, context, info) => {
      if (!(await developsIt(context, info, { applicationId }))) return [];
      return childLists(context, info, {
        most: MAX_STEPS,
        read: (interactionIds, take) =>
          context.call.read.interactionStep.findMany({
            where: { interactionId: { in: interactionIds } },
            orderBy: { id: 'asc' },
            take,
          }),
        parentOf: (step) => step.interactionId,
      }).load(id);
    },
  }),
}));

async function developsIt(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  { applicationId }: Pick<InteractionRow, 'applicationId'>,
): Promise<boolean> {
  const application = await referredRows(context, info, (ids) =>
    context.call.read.application.findMany({ where: { id: { in: ids } } }),
  ).load(applicationId);
  return application !== null && callerMayWithApplication(context, application, 'viewInteractions');
}

const InteractionConnection = builder.connectionObject(
  { type: Interaction, name: 'InteractionConnection' },
  { name: 'InteractionEdge' },
);

builder.prismaObjectFields(Application, (t) => ({
  interactions: t.field({
    type: InteractionConnection,
    description:
      'Interactions of the last seven days, oldest first; `last: 50` returns the newest. ' +
      'Empty for callers without a role.',
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: async (application, args, context) => {
      const page = parsePage(args);
      const isAllowed = await callerMayWithApplication(context, application, 'viewInteractions');
      const read = isAllowed
        ? await context.budget.read(page.take + 1, (take) =>
            listInteractions(context.call, application.id, { ...page, take }),
          )
        : [];
      return connectionOf(page, pageRows(page, read), (interaction) => interaction.id);
    },
  }),
}));

builder.queryField('interaction', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Interaction,
    nullable: true,
    description: 'An interaction of the caller, or with an application in which the caller has a role.',
    args: { id: t.arg.id(idOf.interaction) },
    resolve: (_root, { id }, { call, budget }) => budget.step(() => accessInteraction(call, parseId(id, 'id'))),
  }),
);

const InvokeCommandInput = builder.inputType('InvokeCommandInput', {
  description: 'A command with its options. Set `commandId`, or `name` for a built-in command.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    commandId: t.id({ description: 'ID of a registered command.' }),
    name: t.string({ description: 'Name of a built-in command. Ignored if `commandId` is set.' }),
    version: t.id({ description: '`version` of the command that the caller saw. Fails if the command has changed.' }),
    options: t.field({ type: 'JSON', description: "Options, in the format of Discord's `data.options`." }),
    targetId: t.id({ description: 'ID of the user or message for a command of a context menu.' }),
    files: t.field({
      type: ['File'],
      description: 'Files for options of the type ATTACHMENT. The value of such an option is an index in this list.',
    }),
  }),
});
const UseComponentInput = builder.inputType('UseComponentInput', {
  description: 'A component of a message, with the chosen values.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageId: t.id(idOf.message),
    customId: t.string({ required: true, description: 'Custom ID of the component.' }),
    values: t.stringList({ description: 'Chosen values of a select, at most 25.' }),
  }),
});
const SubmitModalInput = builder.inputType('SubmitModalInput', {
  description: 'A modal with its values.',
  fields: (t) => ({
    interactionId: t.id({ required: true, description: 'ID of the interaction that was answered with the modal.' }),
    components: t.field({
      type: 'JSON',
      required: true,
      description: "Components with their values, in the format of Discord's `data.components`.",
    }),
    files: t.field({
      type: ['File'],
      description: 'Files for file uploads. The values of a file upload are indexes in this list.',
    }),
  }),
});

const InteractionPayload = builder.objectRef<{ interaction: InteractionRow }>('InteractionPayload').implement({
  description: 'The new interaction.',
  fields: (t) => ({
    interaction: t.field({
      type: Interaction,
      description: 'The interaction after its delivery succeeded or failed.',
      resolve: ({ interaction }) => interaction,
    }),
  }),
});
const AutocompletePayload = builder.objectRef<{ interaction: InteractionRow }>('AutocompletePayload').implement({
  description: 'Result of `autocompleteCommand`.',
  fields: (t) => ({
    choices: t.field({
      type: 'JSON',
      description: "List of choices, in the format of Discord's API. Empty if the application did not answer.",
      resolve: ({ interaction }) => interaction.choices ?? [],
    }),
    interaction: t.field({
      type: Interaction,
      description: 'The interaction after it was answered or failed.',
      resolve: ({ interaction }) => interaction,
    }),
  }),
});

builder.mutationFields((t) => ({
  invokeCommand: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: InteractionPayload,
    description: 'Runs a command as the caller. Returns after it was delivered or failed.',
    args: { input: t.arg(inputOf(InvokeCommandInput)) },
    resolve: async (_root, { input }, { call }) => {
      const files = filesOf(input);
      const builtIn = builtInInput(input);
      if (builtIn) {
        await takeAsCaller(call, INVOCATIONS_PER_PERSON);
        return { interaction: await invokeBuiltIn(call, builtIn) };
      }
      const asked = { ...commandInput(input), targetId: parseOptionalId(input.targetId, 'targetId') };
      await takeAsCaller(call, INVOCATIONS_PER_PERSON);
      if (files.length > 0) await requireInvoking(call, { ...asked, files: files.length });
      return { interaction: await invokeCommand(call, { ...asked, files: await receiveFiles(files) }) };
    },
  }),
  autocompleteCommand: t.field({
    type: AutocompletePayload,
    description: 'Requests choices for the option that has `focused: true`.',
    args: { input: t.arg(inputOf(InvokeCommandInput)) },
    resolve: async (_root, { input }, { call }) => {
      const typed = commandInput(input);
      await takeAsCaller(call, AUTOCOMPLETIONS_PER_PERSON);
      return { interaction: await autocompleteCommand(call, typed) };
    },
  }),
  useComponent: t.field({
    type: InteractionPayload,
    description: 'Presses a button, or submits a select, of a message.',
    args: { input: t.arg(inputOf(UseComponentInput)) },
    resolve: async (_root, { input }, { call }) => {
      const used = {
        channelId: parseId(input.channelId, 'channelId'),
        messageId: parseId(input.messageId, 'messageId'),
        customId: parseInput(plainText(), input.customId, 'customId'),
        values: parseInput(ChosenValues, input.values ?? [], 'values'),
      };
      await takeAsCaller(call, INVOCATIONS_PER_PERSON);
      return { interaction: await useComponent(call, used) };
    },
  }),
  submitModal: t.field({
    type: InteractionPayload,
    description: 'Submits a modal that was shown to the caller. Fails if it was already submitted.',
    args: { input: t.arg(inputOf(SubmitModalInput)) },
    resolve: async (_root, { input }, { call }) => {
      const files = filesOf(input);
      const filled = {
        interactionId: parseId(input.interactionId, 'interactionId'),
        components: parseInput(SubmittedComponents, input.components, 'components'),
      };
      await takeAsCaller(call, INVOCATIONS_PER_PERSON);
      if (files.length > 0) await requireSubmitting(call, { ...filled, files: files.length });
      return { interaction: await submitModal(call, { ...filled, files: await receiveFiles(files) }) };
    },
  }),
}));

/** Undefined if the input names no built-in command. */
function builtInInput({
  channelId,
  commandId,
  name,
  options,
}: typeof InvokeCommandInput.$inferInput): InvokedBuiltIn | undefined {
  if (name === undefined || name === null || (commandId !== undefined && commandId !== null)) return undefined;
  return {
    channelId: parseId(channelId, 'channelId'),
    name: parseInput(plainText(), name, 'name'),
    options: parseInput(InvokedOptions, options ?? [], 'options'),
  };
}

function commandInput(input: typeof InvokeCommandInput.$inferInput) {
  const commandId = parseOptionalId(input.commandId, 'commandId');
  if (commandId === undefined) throw new DomainError('UNKNOWN_COMMAND');
  return {
    channelId: parseId(input.channelId, 'channelId'),
    commandId,
    version: parseOptionalId(input.version, 'version'),
    options: parseInput(InvokedOptions, input.options ?? [], 'options'),
  };
}

/** @throws INVALID_INPUT at `files` if a file occurs more than once */
function filesOf({ files }: { files?: Upload[] | null | undefined }): Upload[] {
  requireDistinct(files ?? []);
  return files ?? [];
}

builder.subscriptionField('interactionUpdated', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Interaction,
    description:
      "Each of an application's interactions when its state changes or its trace grows. Needs a role in the application.",
    args: { applicationId: t.arg.id(idOf.application) },
    subscribe: (_root, { applicationId }, context) =>
      watchInteractions(context, parseId(applicationId, 'applicationId')),
    resolve: (interaction) => interaction,
  }),
);

builder.subscriptionField('interactionChanged', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Interaction,
    description: 'One interaction when its state changes or its trace grows, for callers who can view it.',
    args: { id: t.arg.id(idOf.interaction) },
    subscribe: (_root, { id }, context) => watchInteraction(context, parseId(id, 'id')),
    resolve: (interaction) => interaction,
  }),
);
