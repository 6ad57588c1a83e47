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
import { onlookerOf, seenBy } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { PLATFORM_ID } from '../domain/platform/index.js';
import { takeAsCaller } from '../domain/rate-limits.js';
import type { Interaction as InteractionRow, InteractionStep as InteractionStepRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids.js';
import { idOrNull } from '../wire/id.js';
import { Application, referredApplication } from './applications.js';
import { builder } from './builder.js';
import { Channel, canViewChannel, viewableChannel } from './channels.js';
import type { GraphqlContext } from './context.js';
import type { Upload } from './forms.js';
import { parseId, parseOptionalId, snowflakeId } from './ids.js';
import { watchInteraction, watchInteractions } from './interaction-updates.js';
import { childLists, referredRows } from './lists.js';
import { Message } from './messages.js';
import { callerMayWithApplication } from './own-roles.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { receiveFiles, requireDistinct } from './uploads.js';

const InteractionState = builder.enumType('InteractionState', {
  values: ['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY', 'DEFERRED', 'ANSWERED', 'FAILED', 'EXPIRED'] as const,
});

const InteractionStep = builder.objectRef<InteractionStepRow>('InteractionStep').implement({
  description: 'Something that happened with an interaction.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'HTTP, GATEWAY, CALLBACK, REFUSED, FOLLOW_UP, EDIT, DELETE, FAILED or EXPIRED.',
    }),
    at: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
    status: t.exposeInt('status', { nullable: true, description: 'The HTTP status that the endpoint answered.' }),
    durationMs: t.exposeInt('durationMs', { nullable: true }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed, in words.' }),
    request: t.exposeString('request', { nullable: true, description: 'What was sent, without its token, cut short.' }),
    response: t.exposeString('response', { nullable: true, description: 'What came, cut short.' }),
  }),
});

/** Shown to users without a role in the application. */
const NO_ANSWER = 'The application did not answer.';

const MAX_STEPS = 100;

export const Interaction = builder.prismaObject('Interaction', {
  description:
    'Something that a person asked of an application. The person sees it, and who has a role in the application, for seven days.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      nullable: true,
      description: 'Null for a built-in command, which the platform answers itself.',
      resolve: ({ applicationId }, _args, context, info) =>
        applicationId === PLATFORM_ID ? null : referredApplication(context, info, applicationId),
    }),
    user: t.relation('user'),
    type: t.exposeInt('type', { description: "The reference platform's interaction type." }),
    name: t.exposeString('name', { description: 'Of the command, or the custom id of the component or the modal.' }),
    commandId: t.id({
      nullable: true,
      description: 'Of a command and its autocompletion.',
      resolve: ({ commandId }) => idOrNull(commandId),
    }),
    channel: t.field({
      type: Channel,
      nullable: true,
      description: 'Null for somebody who cannot view it.',
      resolve: ({ channelId }, _args, context, info) => viewableChannel(context, info, channelId),
    }),
    state: t.field({ type: InteractionState, resolve: (row, _args, { app }) => stateAt(row, app.clock.now()) }),
    message: t.field({
      type: Message,
      nullable: true,
      description: 'The first answer; null while there is none, and for somebody who cannot see it.',
      resolve: async ({ originalMessageId: id, channelId }, _args, context, info) => {
        if (id === null || !(await canViewChannel(context, channelId))) return null;
        const query = queryFromInfo({ context, info });
        return referredRows(context, info, (ids) =>
          context.call.read.message.findMany({
            ...query,
            where: { id: { in: ids }, ...seenBy(onlookerOf(context.call)) },
          }),
        ).load(id);
      },
    }),
    modal: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the person is asked to fill in, until they have sent it; for that person.',
      resolve: (row, _args, { call: { actor } }) =>
        actor.kind === 'person' && actor.user.id === row.userId ? row.modal : null,
    }),
    failure: t.string({
      nullable: true,
      description: 'Why nothing came of it, in words: in detail for somebody with a role in the application.',
      resolve: async (row, _args, context, info) => {
        const failure = failureAt(row, context.app.clock.now());
        return failure === null || (await developsIt(context, info, row)) ? failure : NO_ANSWER;
      },
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
    durationMs: t.exposeInt('httpMs', {
      nullable: true,
      description: 'How long the endpoint took, where one was asked.',
    }),
    fellBack: t.exposeBoolean('fellBack', {
      description: 'Whether the endpoint was of no use, so that the gateway got it.',
    }),
  }),
});

builder.prismaObjectFields(Interaction, (t) => ({
  trace: t.field({
    type: [InteractionStep],
    description: 'What happened with it, one after the other. Empty for somebody without a role in the application.',
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
      'Those of the last seven days, oldest first; `last: 50` is the newest page. Empty for somebody without a role in it.',
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
    type: Interaction,
    nullable: true,
    description: 'One that the caller asked for, or that was asked of an application in which they have a role.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, { call, budget }) => budget.step(() => accessInteraction(call, parseId(id, 'id'))),
  }),
);

const InvokeCommandInput = builder.inputType('InvokeCommandInput', {
  description: 'A command by its id, or a built-in one by its name.',
  fields: (t) => ({
    channelId: t.id({ required: true }),
    commandId: t.id(),
    name: t.string(),
    version: t.id({ description: 'Of the command as the caller was shown it; one that has changed since is refused.' }),
    options: t.field({ type: 'JSON', description: "The wire's `data.options`." }),
    targetId: t.id({ description: 'The user or the message that a context menu is opened on.' }),
    files: t.field({
      type: ['File'],
      description: 'What options of the type ATTACHMENT take; their value is the place in this list, counted from 0.',
    }),
  }),
});
const UseComponentInput = builder.inputType('UseComponentInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    customId: t.string({ required: true }),
    values: t.stringList({ description: 'What was chosen in a select.' }),
  }),
});
const SubmitModalInput = builder.inputType('SubmitModalInput', {
  fields: (t) => ({
    interactionId: t.id({ required: true, description: 'The interaction that was answered with the modal.' }),
    components: t.field({ type: 'JSON', required: true, description: "The wire's `data.components`." }),
    files: t.field({
      type: ['File'],
      description: 'What file uploads take; their values are places in this list, counted from 0.',
    }),
  }),
});

const InteractionPayload = builder.objectRef<{ interaction: InteractionRow }>('InteractionPayload').implement({
  fields: (t) => ({ interaction: t.field({ type: Interaction, resolve: ({ interaction }) => interaction }) }),
});
const AutocompletePayload = builder.objectRef<{ interaction: InteractionRow }>('AutocompletePayload').implement({
  fields: (t) => ({
    choices: t.field({
      type: 'JSON',
      description: 'What the application offers; empty where it did not answer.',
      resolve: ({ interaction }) => interaction.choices ?? [],
    }),
    interaction: t.field({ type: Interaction, resolve: ({ interaction }) => interaction }),
  }),
});

builder.mutationFields((t) => ({
  invokeCommand: t.field({
    type: InteractionPayload,
    description: 'Runs a command as the caller. Answers once it was delivered, or could not be.',
    args: { input: t.arg({ type: InvokeCommandInput, required: true }) },
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
    description: 'Asks for choices of the option that is marked with `focused: true`.',
    args: { input: t.arg({ type: InvokeCommandInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const typed = commandInput(input);
      await takeAsCaller(call, AUTOCOMPLETIONS_PER_PERSON);
      return { interaction: await autocompleteCommand(call, typed) };
    },
  }),
  useComponent: t.field({
    type: InteractionPayload,
    description: 'Presses a button, or chooses in a select, of a message.',
    args: { input: t.arg({ type: UseComponentInput, required: true }) },
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
    description: 'Sends in a modal that the caller was shown.',
    args: { input: t.arg({ type: SubmitModalInput, required: true }) },
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
    type: Interaction,
    description:
      "Each of the application's interactions whenever it comes into another state, or a step is added to its trace.",
    args: { applicationId: t.arg.id({ required: true }) },
    subscribe: (_root, { applicationId }, context) =>
      watchInteractions(context, parseId(applicationId, 'applicationId')),
    resolve: (interaction) => interaction,
  }),
);

builder.subscriptionField('interactionChanged', (t) =>
  t.field({
    type: Interaction,
    description:
      'One interaction whenever something becomes of it, such as a modal to fill in: for whoever asked for it, and for its developers.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: (_root, { id }, context) => watchInteraction(context, parseId(id, 'id')),
    resolve: (interaction) => interaction,
  }),
);
