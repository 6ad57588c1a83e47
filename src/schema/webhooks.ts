import { accessBoxGuild } from '../domain/boxes/index.js';
import { accessGuild } from '../domain/guilds/index.js';
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
import { snowflakeTime } from '../infra/ids.js';
import { webhookUrl } from '../wire/webhooks.js';
import { Application, ownerApplication } from './applications.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import { Channel, viewableChannel } from './channels.js';
import { DeletedPayload } from './deleted.js';
import { Guild, guildOfMember } from './guilds.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists, listArgs, listCost, parseList } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { referredUser, User } from './users.js';

const Webhook = builder.objectRef<WebhookRow>('Webhook').implement({
  description: 'An address at which whoever knows it posts to one channel, as the bot of an application.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    application: t.field({
      type: Application,
      resolve: ({ applicationId }, _args, context, info) => ownerApplication(context, info, applicationId),
    }),
    name: t.exposeString('name'),
    channel: t.field({
      type: Channel,
      nullable: true,
      description: 'Null for somebody who cannot view it, and where it was deleted: then the webhook posts nowhere.',
      resolve: ({ channelId }, _args, context, info) => viewableChannel(context, info, channelId),
    }),
    guild: t.field({
      type: Guild,
      nullable: true,
      description: 'Null for somebody who is no member of it, and where it was deleted.',
      resolve: ({ guildId }, _args, context, info) => guildOfMember(context, info, guildId),
    }),
    tokenHint: t.string({ description: 'The first and the last characters of its token.', resolve: tokenHint }),
    creator: t.field({
      type: User,
      nullable: true,
      description: "Who made it: a person, or the application's bot.",
      resolve: ({ creatorId }, _args, context, info) => referredUser(context, info, creatorId),
    }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
    lastExecutedAt: t.expose('lastExecutedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When somebody last posted by it, a minute behind at most.',
    }),
  }),
});

builder.prismaObjectFields(Application, (t) => ({
  webhooks: t.field({
    type: [Webhook],
    description: 'Oldest first; empty for somebody without a role in the application.',
    resolve: async ({ id, ...application }, _args, context, info) => {
      if (!(await callerMayWithApplication(context, application, 'view'))) return [];
      return childLists<WebhookRow>(context, info, {
        most: limits.webhooksPerApplication,
        read: (applicationIds, take) =>
          context.call.read.webhook.findMany({
            where: { applicationId: { in: applicationIds }, ...LIVE },
            orderBy: { id: 'asc' },
            take,
          }),
        parentOf: (webhook) => webhook.applicationId,
      }).load(id);
    },
  }),
}));

builder.prismaObjectFields(Guild, (t) => ({
  webhooks: t.field({
    type: [Webhook],
    description:
      'Those to its channels, whichever application they are of, oldest first. For people who manage the server.',
    args: listArgs,
    complexity: listCost,
    resolve: async ({ id }, args, context, info) => {
      await context.budget.step<unknown>(() =>
        isOnBox(context, id) ? accessBoxGuild(context.call, id) : accessGuild(context.call, id, 'manageWebhooks'),
      );
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
    type: Webhook,
    nullable: true,
    description: 'For who has a role in its application, or manages its server.',
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, args, { call, budget }) => {
      const id = parseId(args.id, 'id');
      return budget.step(() => getWebhook(call, id));
    },
  }),
);

const NAME = '1 to 80 characters.';

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    channelId: t.id({ required: true, description: 'A channel with messages, of a server that the caller manages.' }),
    name: t.string({ required: true, description: NAME }),
  }),
});
const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'What is not given stays as it is, and so does what is null.',
  fields: (t) => ({
    webhookId: t.id({ required: true }),
    name: t.string({ description: NAME }),
    channelId: t.id({
      description: "Another channel with messages of its server, which the caller or the application's bot sees.",
    }),
  }),
});
const WebhookIdInput = builder.inputType('WebhookIdInput', {
  fields: (t) => ({ webhookId: t.id({ required: true }) }),
});

const CreateWebhookPayload = builder
  .objectRef<Awaited<ReturnType<typeof createWebhook>>>('CreateWebhookPayload')
  .implement({
    fields: (t) => ({
      webhook: t.field({ type: Webhook, resolve: ({ webhook }) => webhook }),
      token: t.exposeString('token', { description: 'Shown this once.' }),
      url: t.string({
        description: 'Where to post, without any other credential: it holds the token. Shown this once.',
        resolve: ({ webhook, token }, _args, { app }) => webhookUrl(webhook, token, app.addresses.publicUrl),
      }),
    }),
  });
const WebhookPayload = builder.objectRef<{ webhook: WebhookRow }>('WebhookPayload').implement({
  fields: (t) => ({ webhook: t.field({ type: Webhook, resolve: ({ webhook }) => webhook }) }),
});

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: CreateWebhookPayload,
    description:
      'Makes a webhook of an application; needs a role in it that may develop it, and to manage the server of the channel.',
    args: { input: t.arg({ type: CreateWebhookInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      createWebhook(call, {
        ...parseInput(NewWebhook, input),
        applicationId: parseId(input.applicationId, 'applicationId'),
        channelId: parseId(input.channelId, 'channelId'),
      }),
  }),
  updateWebhook: t.field({
    type: WebhookPayload,
    description:
      'Renames a webhook, or moves it to another channel of its server; needs a role in its application that may develop it.',
    args: { input: t.arg({ type: UpdateWebhookInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.webhookId, 'webhookId');
      return { webhook: await updateWebhook(call, id, parseInput(WebhookChange, input)) };
    },
  }),
  deleteWebhook: t.field({
    type: DeletedPayload,
    description:
      'Deletes a webhook: its token stops working at once. For who develops its application, or manages its server.',
    args: { input: t.arg({ type: WebhookIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.webhookId, 'webhookId');
      await deleteWebhook(call, id);
      return { id };
    },
  }),
}));
