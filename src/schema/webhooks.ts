import type { CallContext } from '../domain/call.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  LIVE,
  NewWebhook,
  tokenHint,
  updateWebhook,
  WebhookChange,
} from '../domain/webhooks/index.js';
import type { Webhook as WebhookRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { webhookUrl } from '../wire/webhooks.js';
import { Application, ownerApplication } from './applications.js';
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { Channel, viewableChannel } from './channels.js';
import { DeletedPayload } from './deleted.js';
import { readerOf } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { type ChildList, childLists, listArgs, listCost, parseList } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { referredUser, User } from './users.js';

const NAME = '1–80 characters.';

const Webhook = builder.objectRef<WebhookRow>('Webhook').implement({
  description: "A URL that posts messages to one channel as an application's bot.",
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      description: 'Application whose bot posts the messages.',
      resolve: ({ applicationId }, _args, context, info) => ownerApplication(context, info, applicationId),
    }),
    name: t.exposeString('name', { description: NAME }),
    channel: t.field({
      type: Channel,
      nullable: true,
      description:
        'Channel of the messages. Null if the caller cannot see it, or if it was deleted and the webhook no longer works.',
      resolve: ({ channelId }, _args, context, info) => viewableChannel(context, info, channelId),
    }),
    guild: t.field({
      type: Guild,
      nullable: true,
      description: 'Server of the channel. Null if the caller is not a member, or if it was deleted.',
      resolve: ({ guildId }, _args, context, info) => readerOf(context, guildId).findIfVisible(info),
    }),
    tokenHint: t.string({
      description: 'First and last characters of the token, to recognize it.',
      resolve: tokenHint,
    }),
    creator: t.field({
      type: User,
      nullable: true,
      description: "User who created the webhook: a person or the application's bot.",
      resolve: ({ creatorId }, _args, context, info) => referredUser(context, info, creatorId),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when the webhook was created.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    lastExecutedAt: t.expose('lastExecutedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last message, accurate to a minute. Null if there was none.',
    }),
  }),
});

export function liveWebhooks({ read }: CallContext): ChildList<WebhookRow> {
  return {
    most: limits.webhooksPerApplication,
    read: (applicationIds, take) =>
      read.webhook.findMany({
        where: { applicationId: { in: applicationIds }, ...LIVE },
        orderBy: { id: 'asc' },
        take,
      }),
    parentOf: (webhook) => webhook.applicationId,
  };
}

builder.prismaObjectFields(Application, (t) => ({
  webhooks: t.field({
    type: [Webhook],
    description: `Webhooks, oldest first, at most ${limits.webhooksPerApplication}. Empty for callers without a role.`,
    resolve: async ({ id, ...application }, _args, context, info) => {
      if (!(await callerMayWithApplication(context, application, 'view'))) return [];
      return childLists(context, info, liveWebhooks(context.call)).load(id);
    },
  }),
}));

builder.prismaObjectFields(Guild, (t) => ({
  webhooks: t.field({
    type: [Webhook],
    description: 'Webhooks of all applications that post to its channels, oldest first. Needs Manage Guild.',
    args: listArgs,
    complexity: listCost,
    resolve: async ({ id }, args, context, info) => {
      await readerOf(context, id).require('manageWebhooks');
      const { most, after } = parseList(args);
      return childLists<WebhookRow>(context, info, {
        most,
        read: (guildIds, take) =>
          context.call.read.webhook.findMany({
            where: { guildId: { in: guildIds }, id: { gt: after }, ...LIVE },
            orderBy: { id: 'asc' },
            take,
          }),
        parentOf: (webhook) => webhook.guildId,
      }).load(id);
    },
  }),
}));

builder.queryField('webhook', (t) =>
  t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Webhook,
    nullable: true,
    description: 'A webhook. Needs a role in its application, or Manage Guild in its server.',
    args: { id: t.arg.id(idOf.webhook) },
    resolve: (_root, args, { call, budget }) => {
      const id = parseId(args.id, 'id');
      return budget.step(() => getWebhook(call, id));
    },
  }),
);

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    channelId: t.id({
      required: true,
      description: 'ID of a channel that holds messages, in a server where the caller has Manage Guild.',
    }),
    name: t.string({ required: true, description: NAME }),
  }),
});
const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes of a webhook. Omitted and null fields stay unchanged.',
  fields: (t) => ({
    webhookId: t.id(idOf.webhook),
    name: t.string({ description: NAME }),
    channelId: t.id({
      description:
        "ID of a channel that holds messages in the same server, visible to the caller or the application's bot.",
    }),
  }),
});
const WebhookIdInput = builder.inputType('WebhookIdInput', {
  description: 'Identifies a webhook.',
  fields: (t) => ({ webhookId: t.id(idOf.webhook) }),
});

export const CreateWebhookPayload = builder
  .objectRef<Awaited<ReturnType<typeof createWebhook>>>('CreateWebhookPayload')
  .implement({
    description: 'The new webhook with its token.',
    fields: (t) => ({
      webhook: t.field({ type: Webhook, description: 'The new webhook.', resolve: ({ webhook }) => webhook }),
      token: t.exposeString('token', { description: 'Token that the URL contains. Shown only once.' }),
      url: t.string({
        description: 'URL to post to. It contains the token and needs no other credential. Shown only once.',
        resolve: ({ webhook, token }, _args, { app }) => webhookUrl(webhook, token, app.addresses.publicUrl),
      }),
    }),
  });
const WebhookPayload = builder.objectRef<{ webhook: WebhookRow }>('WebhookPayload').implement({
  description: 'The affected webhook.',
  fields: (t) => ({
    webhook: t.field({
      type: Webhook,
      description: 'The webhook after the change.',
      resolve: ({ webhook }) => webhook,
    }),
  }),
});

builder.mutationFields((t) => ({
  createWebhook: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: CreateWebhookPayload,
    description:
      'Creates a webhook. Needs the role DEVELOPER or higher in the application, and Manage Guild in the server.',
    args: { input: t.arg(inputOf(CreateWebhookInput)) },
    resolve: (_root, { input }, { call }) =>
      createWebhook(call, {
        ...parseInput(NewWebhook, input),
        applicationId: parseId(input.applicationId, 'applicationId'),
        channelId: parseId(input.channelId, 'channelId'),
      }),
  }),
  updateWebhook: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: WebhookPayload,
    description: 'Renames a webhook, or moves it to another channel of its server. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(UpdateWebhookInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.webhookId, 'webhookId');
      return { webhook: await updateWebhook(call, id, parseInput(WebhookChange, input)) };
    },
  }),
  deleteWebhook: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: DeletedPayload,
    description:
      'Deletes a webhook. Needs the role DEVELOPER or higher in the application, or Manage Guild in the server.',
    args: { input: t.arg(inputOf(WebhookIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.webhookId, 'webhookId');
      await deleteWebhook(call, id);
      return { id };
    },
  }),
}));
