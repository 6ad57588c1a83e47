import {
  type AppliedFile,
  applicationFile,
  applyApplicationFile,
  type ApplicationFilePlan as PlanShape,
  planApplicationFile,
  type WebhookPlanEntry as WebhookEntry,
  writtenFile,
} from '../domain/application-files/index.js';
import { faultsWithin, invalidInput } from '../domain/errors.js';
import { parseInTurns } from '../domain/parse-input.js';
import { Application } from './applications.js';
import { builder, inputOf, LIST_LENGTH, WITH_PERSONAL_TOKEN } from './builder.js';
import { Channel, viewableChannel } from './channels.js';
import { CommandChange, CommandPlanEntry, globalCommands } from './commands.js';
import { idOf, parseId } from './ids.js';
import { childLists, fieldKey } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { CreateWebhookPayload, liveWebhooks } from './webhooks.js';

/** As for the lists that it contains. */
const FILE_COST = 2 * LIST_LENGTH;

builder.prismaObjectFields(Application, (t) => ({
  file: t.field({
    type: 'JSON',
    nullable: true,
    complexity: FILE_COST,
    description:
      'Settings, global commands and webhooks as the content of a file (`causeway app schema`). Null for callers without a role.',
    resolve: async (application, _args, context, info) => {
      if (!(await callerMayWithApplication(context, application, 'view'))) return null;
      const { call } = context;
      const [commands, webhooks] = await Promise.all([
        childLists(context, info, globalCommands(call), `${fieldKey(info)}.commands`).load(application.id),
        childLists(context, info, liveWebhooks(call), `${fieldKey(info)}.webhooks`).load(application.id),
      ]);
      return writtenFile(application, commands, webhooks);
    },
  }),
}));

const FieldChange = builder.objectRef<PlanShape['settings'][number]>('FieldChange').implement({
  description: 'Change of one field.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Name of the field in the file.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value before the change. Null if it was not set.',
      resolve: ({ before }) => before ?? null,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value after the change. Null if it is not set.',
      resolve: ({ after }) => after ?? null,
    }),
  }),
});

const WebhookPlanEntry = builder.objectRef<WebhookEntry>('WebhookPlanEntry').implement({
  description: 'Effect of a file on one webhook.',
  fields: (t) => ({
    change: t.expose('change', { type: CommandChange, description: 'Effect on the webhook.' }),
    webhookId: t.id({
      nullable: true,
      description: 'ID of the webhook. Null if it is new.',
      resolve: ({ id }) => (id === null ? null : String(id)),
    }),
    name: t.exposeString('name', { description: 'Name of the webhook before the change.' }),
    channel: t.field({
      type: Channel,
      nullable: true,
      description: 'Channel of the webhook before the change. Null if the caller cannot see it.',
      resolve: ({ channelId }, _args, context, info) => viewableChannel(context, info, channelId),
    }),
    changes: t.field({
      type: [FieldChange],
      description: 'Changed fields. Channels are given by their IDs.',
      resolve: ({ changes }) => changes,
    }),
  }),
});

const ApplicationFilePlan = builder.objectRef<PlanShape>('ApplicationFilePlan').implement({
  description: 'Effect of a file on an application.',
  fields: (t) => ({
    settings: t.field({
      type: [FieldChange],
      description: 'Changed settings.',
      resolve: ({ settings }) => settings,
    }),
    commands: t.field({
      type: [CommandPlanEntry],
      description: 'Commands of the file, then those to delete. Empty if the file does not list commands.',
      resolve: ({ commands }) => commands,
    }),
    webhooks: t.field({
      type: [WebhookPlanEntry],
      description: 'Webhooks of the file, then those to delete. Empty if the file does not list webhooks.',
      resolve: ({ webhooks }) => webhooks,
    }),
    digest: t.exposeString('digest', {
      description: 'Hash of file and plan. Pass it as `planDigest` to apply exactly this plan.',
    }),
  }),
});

const ApplyApplicationFileInput = builder.inputType('ApplyApplicationFileInput', {
  description: 'A file, and the plan to apply.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    file: t.field({
      type: 'JSON',
      required: true,
      description:
        'Content of the file. Omitted fields stay unchanged. Commands and webhooks that are not in its lists are deleted.',
    }),
    dryRun: t.boolean({ description: 'Whether to return the plan without applying it. Default: false.' }),
    planDigest: t.string({
      description:
        '`digest` of the plan to apply. Fails with CONFLICT if the plan has changed. Required unless `dryRun`.',
    }),
  }),
});

const ApplyApplicationFilePayload = builder
  .objectRef<AppliedFile & { applied: boolean }>('ApplyApplicationFilePayload')
  .implement({
    description: 'Result of `applyApplicationFile`.',
    fields: (t) => ({
      plan: t.field({ type: ApplicationFilePlan, description: 'The plan.', resolve: ({ plan }) => plan }),
      applied: t.exposeBoolean('applied', { description: 'Whether the plan was applied. False for a dry run.' }),
      application: t.field({
        type: Application,
        description: 'The application after the change.',
        resolve: ({ application }) => application,
      }),
      createdWebhooks: t.field({
        type: [CreateWebhookPayload],
        description: 'New webhooks with their tokens. Empty for a dry run.',
        resolve: ({ createdWebhooks }) => createdWebhooks,
      }),
    }),
  });

const NO_DIGEST = {
  path: 'planDigest',
  code: 'BASE_TYPE_REQUIRED',
  message: 'Make a plan with dryRun first, and pass its digest.',
};

builder.mutationField('applyApplicationFile', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: ApplyApplicationFilePayload,
    description:
      'Changes settings, global commands and webhooks to those of a file, all together or not at all. Needs the role DEVELOPER or higher, and for new webhooks Manage Guild in their servers.',
    args: { input: t.arg(inputOf(ApplyApplicationFileInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.applicationId, 'applicationId');
      const file = await parseInTurns(applicationFile(call), input.file, 'file');
      const { planDigest } = input;
      if (input.dryRun) {
        const planned = await faultsWithin('file', () => planApplicationFile(call, id, file));
        return { ...planned, applied: false, createdWebhooks: [] };
      }
      if (typeof planDigest !== 'string') throw invalidInput(NO_DIGEST);
      const applied = await faultsWithin('file', () => applyApplicationFile(call, id, file, planDigest));
      return { ...applied, applied: true };
    },
  }),
);
